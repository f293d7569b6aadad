import { z } from 'zod';
import { inTenant, readTenant, type App } from '../../app.ts';
import type { EventHandler } from '../../events/events.ts';
import { defineJob, enqueueUnique, type Job } from '../../platform/jobs/jobs.ts';
import { distinctTenants, toTenantKey } from '../../platform/tenant.ts';
import { orderUpdated } from '../../ordering/orders/events.ts';
import * as store from './kit-store.ts';
import { rematchReport } from './receive-report.ts';

const BATCH_SIZE = 100;

/**
 * Matches reports again that arrived before their kit was registered. Each report has its own transaction, so that a
 * failing one does not block the others; it is retried with the job.
 */
export const matchRegisteredKits: Job<App, Record<string, never>> = defineJob({
  name: 'incoming-results.attend-kits',
  input: z.object({}).strict(),
  async run(app, tenant) {
    const failures: unknown[] = [];
    const seen = new Set<string>();
    for (;;) {
      const all = await readTenant(app, tenant, (work) =>
        store.listReportsOfRegisteredKits(work, BATCH_SIZE + failures.length),
      );
      const ids = all.filter((id) => !seen.has(id));
      if (ids.length === 0) break;
      for (const id of ids) {
        seen.add(id);
        await inTenant(app, tenant, (work) => rematchReport(work, id)).catch((error: unknown) =>
          failures.push(error),
        );
      }
    }
    if (failures.length > 0) throw failures[0];
  },
});

/** Registering a kit emits an order update. Enqueues a job only for tenants with waiting reports. */
export const kitRegistrationHandler: EventHandler<App> = {
  name: matchRegisteredKits.name,
  handle: async (_app, tx, events) => {
    const updates = events.filter(({ type }) => type === orderUpdated.type);
    if (updates.length === 0) return;
    const changed = distinctTenants(updates.map(({ tenant }) => tenant));
    for (const tenant of await store.listTenantsAwaitingKits(tx, changed)) {
      const one = `attend-kits/${toTenantKey(tenant)}`;
      await enqueueUnique(tx, { tenant, job: matchRegisteredKits.name, input: {}, one });
    }
  },
};
