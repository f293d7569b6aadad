import type { App } from '../../app.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Tx } from '../../platform/db/database.ts';
import { forceIndexScans } from './delivery-store.ts';
import {
  clampDueTimes,
  listEndpointsToClean,
  releaseStaleHolds,
  removeOld,
  removeOldOfTenant,
  type EndpointToClean,
} from './clean-store.ts';
import { removeEndedLeases } from './lease-store.ts';

/** How long attempts are retained, in tenant time. */
export const ATTEMPTS_KEPT_MS = 30 * DAY;
/** Longer than any retry delay. */
const CREDIBLE_DELAY_MS = 12 * HOUR;
const ENDPOINTS_AT_ONCE = 100;
const BATCH = 5000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Cleans up endpoint by endpoint, once an hour: releases stale holds, corrects due times of a clock that was far ahead,
 * and removes old attempts, exhausted messages, counts and tests.
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
  const before = later(now, place.clock_offset_ms - ATTEMPTS_KEPT_MS);
  for (let more = true; more;) {
    more = await inBatch((tx) => removeOld(tx, { place, before, limit: BATCH }));
  }
  await inBatch((tx) => removeOldOfTenant(tx, { place, before }));
}
