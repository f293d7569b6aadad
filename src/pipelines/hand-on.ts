import { z } from 'zod';
import type { App } from '../app.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { defineJob, enqueueOneAs } from '../platform/jobs/jobs.ts';
import type { Tenant } from '../platform/tenant.ts';
import { handOnPart, listHandingOn } from './hand-on-store.ts';
import { holdPipeline } from './store.ts';

/** So many events are handed on in one transaction: those who change settings wait for it, and for them all events. */
export const HANDED_ON_AT_ONCE = 1000;

/**
 * Hands on a part of what waits for brokers that are no longer the main one, as part of the work that holds the settings.
 * Of a long backlog the rest follows, part by part. Until all of it is there nobody sends to the new main one, so that
 * what is older comes first, nor to the old one, so that nothing gets away from the new one.
 */
export async function handOn(tx: Tx, tenant: Tenant, now: Date): Promise<void> {
  let isMore = false;
  for (const from of await listHandingOn(tx, tenant)) {
    isMore = (await handOnPart(tx, from, { now, limit: HANDED_ON_AT_ONCE })) || isMore;
  }
  if (!isMore) return;
  const one = `pipeline-backlog/${tenant.teamId}/${tenant.environment}`;
  await enqueueOneAs(tx, { tenant, job: handOnBacklog.name, input: {}, one });
}

/** Goes on with it, as the settings are by now. */
export const handOnBacklog = defineJob({
  name: 'pipelines.hand_on_backlog',
  input: z.object({}),
  run: async (app: App, tenant) => {
    await asSystem(app.db, async (tx) => {
      await holdPipeline(tx, tenant);
      await handOn(tx, tenant, app.clock.now());
    });
    app.bell.ring('deliveries');
  },
});
