import type { z } from 'zod';
import { enqueueForTenant, type Job } from '../platform/jobs/jobs.ts';
import type { Platform } from '../platform/work.ts';
import type { SequencedEvent, EventHandler } from './events.ts';

/**
 * An event handler that enqueues a job for every event of the given types. `inputOf` returns the input of the job, or
 * undefined to skip the event. Modules subscribe to each other in this way; the emitting module does not know its
 * subscribers.
 */
export function onEvents<A extends Platform, I>(
  types: readonly string[],
  job: Job<A, I>,
  inputOf: (event: SequencedEvent) => z.input<z.ZodType<I>> | undefined,
): EventHandler<A> {
  const wanted = new Set(types);
  return {
    name: job.name,
    handle: async (_app, tx, events) => {
      for (const event of events) {
        const input = wanted.has(event.type) ? inputOf(event) : undefined;
        if (input !== undefined) await enqueueForTenant(tx, { tenant: event.tenant, job: job.name, input });
      }
    },
  };
}
