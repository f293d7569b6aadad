import type { App } from '../../app.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Tx } from '../../platform/db/database.ts';
import { NOTHING_REMOVED, type Removal, type RemovalStep } from '../../platform/db/removal.ts';
import type { Work } from '../../platform/work.ts';
import { forceIndexScans } from './delivery-store.ts';
import {
  clampDueTimes,
  findNextEndpoint,
  listEndpointsToClean,
  releaseStaleHolds,
  removeOld,
  removeOldOfTenant,
  type EndpointToClean,
} from './clean-store.ts';
import { removeEndedLeases } from './lease-store.ts';

/** How long exhausted messages can be sent again, in tenant time. */
export const RESENDABLE_MS = 30 * DAY;
/** Longer than any retry delay. */
const CREDIBLE_DELAY_MS = 12 * HOUR;
const ENDPOINTS_AT_ONCE = 100;
const BATCH = 5000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Cleans up endpoint by endpoint, once an hour: releases stale holds, and corrects due times of a clock that was far
 * ahead.
 */
export function startCleaner(app: App): Loop {
  let after = NIL_UUID;
  const round = async () => {
    if (after === NIL_UUID) await asSystem(app.db, (tx) => removeEndedLeases(tx, app.clock.now()));
    const places = await asSystem(app.db, (tx) =>
      listEndpointsToClean(tx, { after, limit: ENDPOINTS_AT_ONCE }),
    );
    for (const place of places) await cleanEndpoint(app, place);
    after = places.at(-1)?.id ?? NIL_UUID;
    return places.length > 0;
  };
  return startLoop(app, { name: 'webhook-cleaner', everyMs: HOUR, iterate: round });
}

export async function cleanEndpoint(app: App, place: EndpointToClean): Promise<void> {
  const inBatch = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
    asSystem(app.db, async (tx) => {
      // The queue may be long, and has nothing to clean.
      const [, done] = await Promise.all([forceIndexScans(tx), run(tx)]);
      return done;
    });
  await inBatch((tx) => releaseStaleHolds(tx, place));
  const now = app.clock.now();
  const latest = later(now, CREDIBLE_DELAY_MS);
  while (await inBatch((tx) => clampDueTimes(tx, { place, now, latest, limit: BATCH })));
}

/** Removes old attempts and exhausted messages endpoint by endpoint, and at last old counts and test messages. */
export async function removeOldAttempts(work: Work, { before, limit, after }: RemovalStep): Promise<Removal> {
  await forceIndexScans(work.tx);
  const endpointId = await findNextEndpoint(work, after ?? NIL_UUID);
  if (endpointId === undefined) {
    await removeOldOfTenant(work, before);
    return { ...NOTHING_REMOVED, next: null };
  }
  const { isMore, ...removed } = await removeOld(work, { endpointId, before, limit });
  return { ...removed, next: isMore ? (after ?? NIL_UUID) : endpointId };
}
