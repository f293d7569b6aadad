import type { z } from 'zod';
import { enqueueAs, type Job } from '../platform/jobs/jobs.ts';
import type { Platform } from '../platform/work.ts';
import type { PlacedEvent, Reaction } from './events.ts';

/**
 * A job for every event of some types: `inputOf` makes its input of the event, or undefined to leave it.
 * Slices listen to each other in this way; the one that speaks does not know who listens.
 */
export function onEvents<A extends Platform, I>(
  types: readonly string[],
  job: Job<A, I>,
  inputOf: (event: PlacedEvent) => z.input<z.ZodType<I>> | undefined,
): Reaction<A> {
  const wanted = new Set(types);
  return {
    name: job.name,
    take: async (_app, tx, events) => {
      for (const event of events) {
        const input = wanted.has(event.type) ? inputOf(event) : undefined;
        if (input !== undefined) await enqueueAs(tx, { tenant: event.tenant, job: job.name, input });
      }
    },
  };
}
