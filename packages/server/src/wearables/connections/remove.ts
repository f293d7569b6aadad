import { z } from 'zod';
import { AccessTokenRejectedError, GrantLostError } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { clearTimers, setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import { endDemoJob, cancelPulls } from './pull-schedule.ts';
import type { ProviderConnectionRow } from './connection.ts';
import { authorizeConnection } from './grants.ts';
import * as store from './store.ts';

/** The delays after which a failed revocation is retried; then it is given up. */
const RETRY_DELAYS_MINUTES = [1, 10, 60, 360];

/** Revokes the grant of a removed connection at the provider, if it supports that, and deletes the row. */
export const revokeGrant = defineJob({
  name: 'wearables.revoke',
  input: z.object({ connection_id: z.string(), tried: z.int() }),
  canWait: true,
  async run(app: App, tenant, { connection_id: id, tried }) {
    const done = await revokeAtProvider(app, tenant, id).then(
      () => true,
      (error: unknown) => {
        if (error instanceof GrantLostError) return true;
        app.log.info({ connection_id: id, err: error }, 'revoking a grant failed');
        return false;
      },
    );
    await inTenant(app, tenant, async (work) => {
      const minutes = done ? undefined : RETRY_DELAYS_MINUTES[tried];
      if (minutes === undefined) return store.deleteRemoved(work, id);
      const dueAt = later(work.now, minutes * MINUTE);
      await setTimer(work, revokeGrant, { key: id, dueAt, input: { connection_id: id, tried: tried + 1 } });
    });
  },
});

/** Throws the errors of the port. A lost grant needs no revocation. */
async function revokeAtProvider(app: App, tenant: Tenant, id: string): Promise<void> {
  const isOurs = await readTenant(app, tenant, async (work) => {
    const row = await store.findIncludingRemoved(work, id);
    return row !== undefined && row.removed_at !== null && !(await hasOtherConnection(work, row));
  });
  if (!isOurs) return;
  const asking = await authorizeConnection(app, tenant, { id, removed: true });
  if (!asking) return;
  const { body, application, grant } = asking;
  await body.revoke(application, grant).catch(async (error: unknown) => {
    if (!(error instanceof AccessTokenRejectedError)) throw error;
    const again = await authorizeConnection(app, tenant, { id, removed: true, refused: grant.accessToken });
    await again?.body.revoke(application, again.grant);
  });
}

/** Many providers revoke all grants of an account at once: do not revoke while another connection uses the account. */
async function hasOtherConnection(
  work: Work,
  { provider, external_index: index }: ProviderConnectionRow,
): Promise<boolean> {
  return index !== null && (await store.listByExternal(work, { provider, indexes: [index] })).length > 0;
}

/** Removes connections, effective at once. The data that they brought stays. */
export async function removeConnections(
  work: Work,
  connections: readonly ProviderConnectionRow[],
): Promise<void> {
  const ids = connections.map(({ id }) => id);
  if (ids.length === 0) return;
  for (const id of ids) {
    // Ingestion holds a share lock on the row: once this update has the row, nothing more is ingested.
    await store.update(work, id, { removed_at: work.now, updated_at: work.now });
    await enqueue(work, revokeGrant, { connection_id: id, tried: 0 });
  }
  await cancelPulls(work, ids, 'non_retriable_error');
  await clearTimers(work, [endDemoJob], ids);
}
