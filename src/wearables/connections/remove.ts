import { z } from 'zod';
import { AccessRefused, GrantLost } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { clearTimers, setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import { endingDemo, unschedule } from '../pulls/schedule.ts';
import type { ConnectionRow } from './connection.ts';
import { openForAsking } from './grants.ts';
import * as store from './store.ts';

/** After these minutes each a provider that did not answer is asked once more to take a grant back, and then no more. */
const TRIES_AFTER_MINUTES = [1, 10, 60, 360];

/** Gives the grant of a removed connection back, as far as the provider lets us; then nothing is left of either. */
export const revokeGrant = defineJob({
  name: 'wearables.revoke',
  input: z.object({ connection_id: z.string(), tried: z.int() }),
  canWait: true,
  async run(app: App, tenant, { connection_id: id, tried }) {
    const done = await takeBack(app, tenant, id).then(
      () => true,
      (error: unknown) => {
        if (error instanceof GrantLost) return true;
        app.log.info({ connection_id: id, err: error }, 'a grant could not be given back yet');
        return false;
      },
    );
    await inTenant(app, tenant, async (work) => {
      const minutes = done ? undefined : TRIES_AFTER_MINUTES[tried];
      if (minutes === undefined) return store.erase(work, id);
      const dueAt = later(work.now, minutes * MINUTE);
      await setTimer(work, revokeGrant, { key: id, dueAt, input: { connection_id: id, tried: tried + 1 } });
    });
  },
});

/** Throws what the port may throw; a grant that is lost needs not be taken back. */
async function takeBack(app: App, tenant: Tenant, id: string): Promise<void> {
  const isOurs = await readTenant(app, tenant, async (work) => {
    const row = await store.findAny(work, id);
    return row !== undefined && row.removed_at !== null && !(await isElsewhere(work, row));
  });
  if (!isOurs) return;
  const asking = await openForAsking(app, tenant, { id, removed: true });
  if (!asking) return;
  const { body, application, grant } = asking;
  await body.revoke(application, grant).catch(async (error: unknown) => {
    if (!(error instanceof AccessRefused)) throw error;
    const again = await openForAsking(app, tenant, { id, removed: true, refused: grant.accessToken });
    await again?.body.revoke(application, again.grant);
  });
}

/** Who is connected again, or as another user, would lose that: to many providers all grants of a person are one. */
async function isElsewhere(work: Work, { provider, external_index: index }: ConnectionRow): Promise<boolean> {
  return index !== null && (await store.listByExternal(work, { provider, indexes: [index] })).length > 0;
}

/** The user has these connections no more, from this moment; the data that came by them stay. */
export async function removeConnections(work: Work, connections: readonly ConnectionRow[]): Promise<void> {
  const ids = connections.map(({ id }) => id);
  if (ids.length === 0) return;
  for (const id of ids) {
    // Whoever takes readings in holds the row; once this has it, nothing more comes.
    await store.change(work, id, { removed_at: work.now, updated_at: work.now });
    await enqueue(work, revokeGrant, { connection_id: id, tried: 0 });
  }
  await unschedule(work, ids, 'non_retriable_error');
  await clearTimers(work, [endingDemo], ids);
}
