import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { defineJob, enqueueUnique } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { transferBacklogBatch, listBacklogTransfers } from './backlog-transfer-store.ts';
import { lockPipeline } from './store.ts';

/** Events per transaction. A larger batch would delay settings changes, and event delivery behind them. */
export const TRANSFER_BATCH = 1000;

/**
 * Transfers a batch of the backlog of brokers that are no longer the main one. The caller must hold the lock on the
 * settings. A job transfers the rest of a long backlog, batch by batch. Until the transfer is complete, senders skip
 * both brokers: the new one, so that older events go first, and the old one, so that it takes nothing from the new one.
 */
export async function transferBacklog(tx: Tx, tenant: Tenant, now: Date): Promise<void> {
  let isMore = false;
  for (const from of await listBacklogTransfers(tx, tenant)) {
    isMore = (await transferBacklogBatch(tx, from, { now, limit: TRANSFER_BATCH })) || isMore;
  }
  if (!isMore) return;
  const one = `pipeline-backlog/${tenant.teamId}/${tenant.environment}`;
  await enqueueUnique(tx, { tenant, job: transferBacklogJob.name, input: {}, one });
}

/** Continues the transfer, by the current settings. */
export const transferBacklogJob = defineJob({
  name: 'pipelines.hand_on_backlog',
  input: z.object({}),
  run: async (app: App, tenant) => {
    await asSystem(app.db, async (tx) => {
      await lockPipeline(tx, tenant);
      await transferBacklog(tx, tenant, app.clock.now());
    });
    app.notifier.notify('deliveries');
  },
});
