import { z } from 'zod';
import { inTenant, type App, type Work } from '../../app.ts';
import { emit, type EventType } from '../../events/events.ts';
import { DAY, isoTimestamp, later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { execute } from '../../platform/db/transact.ts';
import { defineJob, type AnyJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { apiKeyExpired, apiKeyExpiring } from './events.ts';
import { markNotified, type TeamKeyRow } from './key-store.ts';
import { maskKey } from './keys.ts';

const WARN_BEFORE_MS = 7 * DAY;

/** Runs `run` as the system role inside a tenant's transaction, because tenants have no access to keys. */
export async function withSystemRole<T>({ tx }: Work, run: (tx: Tx) => Promise<T>): Promise<T> {
  await execute(tx, 'SET LOCAL ROLE aliquot_system');
  const value = await run(tx);
  await execute(tx, 'SET LOCAL ROLE aliquot_tenant');
  return value;
}

/** Emits an event about a key of the team. */
export const emitKeyEvent = (work: Work, event: EventType<typeof apiKeyExpired.data>, key: TeamKeyRow) =>
  emit(work, event, {
    subject: { userId: null, clientUserId: null },
    data: {
      id: key.id,
      label: key.label,
      value: maskKey(key.prefix),
      read_only: key.read_only,
      areas: key.areas,
      expires_at: key.expires_at && isoTimestamp(key.expires_at),
      replaced_by: key.replaced_by,
    },
  });

const input = z.object({ key_id: z.uuid() });

const expiringKeyJob = defineJob({
  name: 'management.api-key-expiring',
  input,
  run: (app: App, tenant, { key_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const until = later(work.now, WARN_BEFORE_MS);
      const at = { after: work.now, until, now: work.now };
      const key = await withSystemRole(work, (tx) =>
        markNotified(tx, { tenant, id, column: 'expiring_told_at' }, at),
      );
      if (key) await emitKeyEvent(work, apiKeyExpiring, key);
    }),
});

const expiredKeyJob = defineJob({
  name: 'management.api-key-expired',
  input,
  run: (app: App, tenant, { key_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const at = { after: undefined, until: work.now, now: work.now };
      const key = await withSystemRole(work, (tx) =>
        markNotified(tx, { tenant, id, column: 'expired_told_at' }, at),
      );
      if (key) await emitKeyEvent(work, apiKeyExpired, key);
    }),
});

export const keyJobs: readonly AnyJob<App>[] = [expiringKeyJob, expiredKeyJob];

/** Sets the timers that emit the events on the expiry of a key. */
export async function scheduleExpiryEvents(
  work: Work,
  key: { id: string; expires_at: Date | null },
): Promise<void> {
  if (key.expires_at === null) return;
  const warnAt = later(key.expires_at, -WARN_BEFORE_MS);
  const timer = { key: key.id, input: { key_id: key.id } };
  await setTimer(work, expiringKeyJob, { ...timer, dueAt: warnAt < work.now ? work.now : warnAt });
  await setTimer(work, expiredKeyJob, { ...timer, dueAt: key.expires_at });
}
