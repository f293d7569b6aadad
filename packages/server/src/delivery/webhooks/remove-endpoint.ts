import { z } from 'zod';
import { inTenant, type App, type Work } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import {
  deleteEndpoint,
  removeBatch,
  type EndpointTable,
  type EndpointRowsBatch,
} from './remove-endpoint-store.ts';
import { updateEndpoint } from './store.ts';

/** How many messages or attempts are removed in one transaction: a sender that records one of them waits for it. */
const REMOVE_BATCH_MAX = 2000;

/**
 * Removes an endpoint that the caller has locked. From now on it is invisible, gets no messages and cannot be enabled.
 * Its messages and attempts are deleted in batches, because the fan-out of all teams waits for this work.
 */
export async function markEndpointRemoved(work: Work, id: string): Promise<void> {
  await updateEndpoint(work, id, { disabled_at: work.now, deleted_at: work.now });
  await enqueue(work, removeEndpointJob, { endpoint_id: id });
}

/** Removes the rows of a deleted endpoint, then the endpoint, and then attempts that were recorded meanwhile. */
export const removeEndpointJob = defineJob({
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
  { id, of }: { id: string; of: readonly EndpointTable[] },
): Promise<void> {
  for (const table of of) {
    let after: string | null = null;
    do {
      const part: EndpointRowsBatch = { tenant, endpointId: id, of: table, after, limit: REMOVE_BATCH_MAX };
      after = await asSystem(app.db, (tx) => removeBatch(tx, part));
    } while (after !== null);
  }
}
