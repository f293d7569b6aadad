import type { App } from '../app.ts';
import { DAY, HOUR, later } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tx } from '../platform/db/database.ts';
import { byIndexOnly } from './delivery-store.ts';
import {
  bringNear,
  listPlaces,
  releaseForgotten,
  removeOld,
  removeOldOfTenant,
  type Place,
} from './clean-store.ts';
import { removeEndedLeases } from './lease-store.ts';

/** How long attempts can be read, on the tenant's clock. */
export const ATTEMPTS_KEPT_MS = 30 * DAY;
/** Longer than any message waits to be tried again. */
const UNBELIEVABLE_MS = 12 * HOUR;
const PLACES = 100;
const BATCH = 5000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Lets go what was held back and forgotten, or put off by a clock far ahead. Removes old attempts, messages that were given up, counts and tests, endpoint by endpoint, once an hour. */
export function startCleaner(app: App): Loop {
  let after = BEFORE_ALL;
  const round = async () => {
    if (after === BEFORE_ALL) await asSystem(app.db, (tx) => removeEndedLeases(tx, app.clock.now()));
    const places = await asSystem(app.db, (tx) => listPlaces(tx, { after, limit: PLACES }));
    for (const place of places) await clean(app, place);
    after = places.at(-1)?.id ?? BEFORE_ALL;
    return places.length > 0;
  };
  return startLoop(app, { name: 'webhook-cleaner', everyMs: HOUR, round });
}

export async function clean(app: App, place: Place): Promise<void> {
  const inBatch = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
    asSystem(app.db, async (tx) => {
      // A queue may be long, and there is nothing to clean in it.
      const [, done] = await Promise.all([byIndexOnly(tx), run(tx)]);
      return done;
    });
  await inBatch((tx) => releaseForgotten(tx, place));
  const now = app.clock.now();
  const latest = later(now, UNBELIEVABLE_MS);
  while (await inBatch((tx) => bringNear(tx, { place, now, latest, limit: BATCH })));
  const before = later(now, place.clock_offset_ms - ATTEMPTS_KEPT_MS);
  for (let more = true; more;) {
    more = await inBatch((tx) => removeOld(tx, { place, before, limit: BATCH }));
  }
  await inBatch((tx) => removeOldOfTenant(tx, { place, before }));
}
