import { z } from 'zod';
import { inTenant, type App, type Work } from '../app.ts';
import { defineJob, enqueueOneAs } from '../platform/jobs/jobs.ts';
import { deleteEndpoint, removePart } from './remove-endpoint-store.ts';
import { updateEndpoint } from './store.ts';

/** So many messages, and so many attempts, are removed while the events of all teams wait for it. */
export const REMOVED_AT_ONCE = 1000;
/** And so many when nobody waits. */
const REMOVED_LATER = 10_000;

/**
 * Removes an endpoint that the caller holds, with what it is owed and its attempts. The events of all teams wait until
 * the caller's transaction ends; so of long lists the rest follows, part by part, while nobody sees the endpoint any
 * more and nothing is sent to it.
 */
export async function removeEndpointOf(work: Work, id: string): Promise<void> {
  if (!(await removeSome(work, { id, limit: REMOVED_AT_ONCE }))) return;
  await updateEndpoint(work, id, { disabled_at: work.now, deleted_at: work.now });
  await goOn(work, id);
}

/** Goes on with it. */
export const removeEndpointOn = defineJob({
  name: 'webhooks.remove_endpoint',
  input: z.object({ endpoint_id: z.string() }),
  canWait: true,
  run: (app: App, tenant, { endpoint_id: id }) =>
    inTenant(app, tenant, async (work) => {
      if (await removeSome(work, { id, limit: REMOVED_LATER })) await goOn(work, id);
    }),
});

/** Answers whether something of it is left. */
async function removeSome(work: Work, { id, limit }: { id: string; limit: number }): Promise<boolean> {
  const more = await removePart(work, { endpointId: id, limit });
  if (!more) await deleteEndpoint(work, id);
  return more;
}

const goOn = ({ tx, tenant }: Work, id: string): Promise<void> =>
  enqueueOneAs(tx, {
    tenant,
    job: removeEndpointOn.name,
    input: { endpoint_id: id },
    one: `webhook-removal/${id}`,
  });
