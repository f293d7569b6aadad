import { z } from 'zod';
import { inTenant, readTenant, type App } from '../../app.ts';
import type { Reaction } from '../../events/events.ts';
import { defineJob, enqueueOneAs, type Job } from '../../platform/jobs/jobs.ts';
import { orderUpdated } from '../orders/events.ts';
import * as store from './kit-store.ts';
import { decideAgain } from './take-report.ts';

const TOGETHER = 100;

/**
 * Looks again at the reports that came before anybody had registered their kit: each in a transaction of its own, so
 * that one which cannot be decided holds up none, and is tried again with the job.
 */
export const attendKits: Job<App, Record<string, never>> = defineJob({
  name: 'incoming-results.attend-kits',
  input: z.object({}).strict(),
  async run(app, tenant) {
    const failures: unknown[] = [];
    const seen = new Set<string>();
    for (;;) {
      const all = await readTenant(app, tenant, (work) =>
        store.listOfRegistered(work, TOGETHER + failures.length),
      );
      const ids = all.filter((id) => !seen.has(id));
      if (ids.length === 0) break;
      for (const id of ids) {
        seen.add(id);
        await inTenant(app, tenant, (work) => decideAgain(work, id)).catch((error: unknown) =>
          failures.push(error),
        );
      }
    }
    if (failures.length > 0) throw failures[0];
  },
});

/** Registering a kit is told as a change of its order. A look at who waits costs less than a job for every change. */
export const kitReaction: Reaction<App> = {
  name: attendKits.name,
  take: async (_app, tx, events) => {
    const changed = new Map(
      events
        .filter(({ type }) => type === orderUpdated.type)
        .map(({ tenant }) => [`${tenant.teamId}/${tenant.environment}`, tenant]),
    );
    if (changed.size === 0) return;
    for (const tenant of await store.listAwaiting(tx, [...changed.values()])) {
      const one = `attend-kits/${tenant.teamId}/${tenant.environment}`;
      await enqueueOneAs(tx, { tenant, job: attendKits.name, input: {}, one });
    }
  },
};
