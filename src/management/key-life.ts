import { z } from 'zod';
import { inTenant, type App, type Work } from '../app.ts';
import { emit, type EventType } from '../events/events.ts';
import { DAY, isoMoment, later } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { execute } from '../platform/db/transact.ts';
import { defineJob, type AnyJob } from '../platform/jobs/jobs.ts';
import { setTimer } from '../platform/jobs/timers.ts';
import { apiKeyExpired, apiKeyExpiring } from './events.ts';
import { markTold, type TeamKeyRow } from './key-store.ts';
import { masked } from './keys.ts';

const WARNED_BEFORE_MS = 7 * DAY;

/** Works on keys, which are of no tenant, inside the work of one. */
export async function withKeys<T>({ tx }: Work, run: (tx: Tx) => Promise<T>): Promise<T> {
  await execute(tx, 'SET LOCAL ROLE aliquot_system');
  const value = await run(tx);
  await execute(tx, 'SET LOCAL ROLE aliquot_tenant');
  return value;
}

/** Says to the endpoints of the team what became of its key. */
export const tellOfKey = (work: Work, event: EventType<typeof apiKeyExpired.data>, key: TeamKeyRow) =>
  emit(work, event, {
    subject: { userId: null, clientUserId: null },
    data: {
      id: key.id,
      label: key.label,
      value: masked(key.prefix),
      read_only: key.read_only,
      areas: key.areas,
      expires_at: key.expires_at && isoMoment(key.expires_at),
      replaced_by: key.replaced_by,
    },
  });

const input = z.object({ key_id: z.uuid() });

const tellExpiring = defineJob({
  name: 'management.api-key-expiring',
  input,
  run: (app: App, tenant, { key_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const until = later(work.now, WARNED_BEFORE_MS);
      const at = { after: work.now, until, now: work.now };
      const key = await withKeys(work, (tx) => markTold(tx, { tenant, id, column: 'expiring_told_at' }, at));
      if (key) await tellOfKey(work, apiKeyExpiring, key);
    }),
});

const tellExpired = defineJob({
  name: 'management.api-key-expired',
  input,
  run: (app: App, tenant, { key_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const at = { after: undefined, until: work.now, now: work.now };
      const key = await withKeys(work, (tx) => markTold(tx, { tenant, id, column: 'expired_told_at' }, at));
      if (key) await tellOfKey(work, apiKeyExpired, key);
    }),
});

export const keyJobs: readonly AnyJob<App>[] = [tellExpiring, tellExpired];

/** Sets the timers that tell of the end of a key. */
export async function watchExpiry(work: Work, key: { id: string; expires_at: Date | null }): Promise<void> {
  if (key.expires_at === null) return;
  const warnAt = later(key.expires_at, -WARNED_BEFORE_MS);
  const timer = { key: key.id, input: { key_id: key.id } };
  await setTimer(work, tellExpiring, { ...timer, dueAt: warnAt < work.now ? work.now : warnAt });
  await setTimer(work, tellExpired, { ...timer, dueAt: key.expires_at });
}
