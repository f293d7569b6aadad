import { z } from 'zod';
import { inTenant, type App, type Work } from '../../app.ts';
import { defineJob, enqueueUnique } from '../../platform/jobs/jobs.ts';
import { BUNDLE_MAX } from './bundle.ts';
import { unpackOfEndpoint } from './bundle-store.ts';
import { holdBatch, hasHeld, hasPending, releaseBatch } from './move-queue-store.ts';
import { shareLockEndpoint } from './store.ts';

/** How many messages are moved while the endpoint is locked: the fan-out of all teams waits for the lock. */
export const MOVE_BATCH_MAX = 1000;

/**
 * Holds the messages of an endpoint that is disabled, or releases them again, as part of the work that has changed and
 * locked the endpoint. The rest of a long queue follows in batches by a job; senders take none of it while the endpoint
 * is disabled.
 */
export async function moveQueue(
  work: Work,
  { id, disabled }: { id: string; disabled: boolean },
): Promise<void> {
  const more = disabled ? await hold(work, id) : await release(work, id);
  if (!more) return;
  const one = `webhook-queue/${id}`;
  await enqueueUnique(work.tx, {
    tenant: work.tenant,
    job: moveQueueJob.name,
    input: { endpoint_id: id },
    one,
  });
}

/** Continues, according to the current state of the endpoint. */
export const moveQueueJob = defineJob({
  name: 'webhooks.move_queue',
  input: z.object({ endpoint_id: z.string() }),
  canWait: true,
  run: (app: App, tenant, { endpoint_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const endpoint = await shareLockEndpoint(work, id);
      if (endpoint) await moveQueue(work, { id, disabled: endpoint.disabled_at !== null });
    }),
});

async function hold(work: Work, id: string): Promise<boolean> {
  await unpackOfEndpoint(work, { endpointId: id, limit: MOVE_BATCH_MAX / BUNDLE_MAX });
  await holdBatch(work, { endpointId: id, limit: MOVE_BATCH_MAX });
  return hasPending(work, id);
}

async function release(work: Work, id: string): Promise<boolean> {
  await releaseBatch(work, { endpointId: id, limit: MOVE_BATCH_MAX });
  work.wakeups.add('deliveries');
  return hasHeld(work, id);
}
