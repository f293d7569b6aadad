import { z } from 'zod';
import { inTenant, type App, type Work } from '../app.ts';
import { defineJob, enqueueOneAs } from '../platform/jobs/jobs.ts';
import { BUNDLE_MAX } from './bundle.ts';
import { unpackOfEndpoint } from './bundle-store.ts';
import { holdPart, isSomethingHeld, isSomethingOwed, releasePart } from './move-queue-store.ts';
import { keepEndpoint } from './store.ts';

/** So many messages are moved while the endpoint is held: the events of all teams wait for it. */
export const MOVED_AT_ONCE = 1000;

/**
 * Holds what is owed to an endpoint that is disabled, or lets it go again, as part of the work that has changed and
 * holds the endpoint. Of a long queue the rest follows, part by part; senders take nothing of it meanwhile while the
 * endpoint is disabled.
 */
export async function moveQueue(
  work: Work,
  { id, disabled }: { id: string; disabled: boolean },
): Promise<void> {
  const more = disabled ? await hold(work, id) : await release(work, id);
  if (!more) return;
  const one = `webhook-queue/${id}`;
  await enqueueOneAs(work.tx, {
    tenant: work.tenant,
    job: moveQueueOn.name,
    input: { endpoint_id: id },
    one,
  });
}

/** Goes on with it, as the endpoint is by now. */
export const moveQueueOn = defineJob({
  name: 'webhooks.move_queue',
  input: z.object({ endpoint_id: z.string() }),
  canWait: true,
  run: (app: App, tenant, { endpoint_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const endpoint = await keepEndpoint(work, id);
      if (endpoint) await moveQueue(work, { id, disabled: endpoint.disabled_at !== null });
    }),
});

async function hold(work: Work, id: string): Promise<boolean> {
  await unpackOfEndpoint(work, { endpointId: id, limit: MOVED_AT_ONCE / BUNDLE_MAX });
  await holdPart(work, { endpointId: id, limit: MOVED_AT_ONCE });
  return isSomethingOwed(work, id);
}

async function release(work: Work, id: string): Promise<boolean> {
  await releasePart(work, { endpointId: id, limit: MOVED_AT_ONCE });
  work.rings.add('deliveries');
  return isSomethingHeld(work, id);
}
