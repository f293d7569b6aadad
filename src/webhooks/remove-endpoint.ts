import { z } from 'zod';
import { inTenant, type App, type Work } from '../app.ts';
import { asSystem } from '../platform/db/transact.ts';
import { defineJob, enqueue } from '../platform/jobs/jobs.ts';
import type { Tenant } from '../platform/tenant.ts';
import { deleteEndpoint, removePart, type OfEndpoint, type Part } from './remove-endpoint-store.ts';
import { updateEndpoint } from './store.ts';

/** So many messages, or attempts, are removed in one transaction: whoever writes one of them down waits for it. */
export const REMOVED_AT_ONCE = 2000;

/**
 * Removes an endpoint that the caller holds. From now on nobody sees it, nothing is owed or sent to it, and it cannot be
 * enabled again; what it was owed and its attempts follow in parts, since the events of all teams wait for this work.
 */
export async function removeEndpointOf(work: Work, id: string): Promise<void> {
  await updateEndpoint(work, id, { disabled_at: work.now, deleted_at: work.now });
  await enqueue(work, removeEndpointOn, { endpoint_id: id });
}

/** Removes what hangs on a deleted endpoint, then itself, and then the attempts that were recorded meanwhile. */
export const removeEndpointOn = defineJob({
  name: 'webhooks.remove_endpoint',
  input: z.object({ endpoint_id: z.string() }),
  canWait: true,
  run: async (app: App, tenant, { endpoint_id: id }) => {
    await removeAll(app, tenant, { id, of: ['webhook_delivery', 'webhook_bundle', ...ATTEMPTS] });
    await inTenant(app, tenant, (work) => deleteEndpoint(work, id));
    await removeAll(app, tenant, { id, of: ATTEMPTS });
  },
});

const ATTEMPTS = ['webhook_attempt', 'webhook_attempt_block'] as const;

async function removeAll(
  app: App,
  tenant: Tenant,
  { id, of }: { id: string; of: readonly OfEndpoint[] },
): Promise<void> {
  for (const table of of) {
    let after: string | null = null;
    do {
      const part: Part = { tenant, endpointId: id, of: table, after, limit: REMOVED_AT_ONCE };
      after = await asSystem(app.db, (tx) => removePart(tx, part));
    } while (after !== null);
  }
}
