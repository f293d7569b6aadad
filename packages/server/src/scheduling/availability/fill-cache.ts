import type { LocationSlots, SchedulingProvider, VisitLocation } from '../../adapters/scheduling/port.ts';
import { inTenant, readTenant, type App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { queryProvider } from './query-provider.ts';
import {
  resolveFirstDay,
  hashPlace,
  isWithinCachedDays,
  CACHED_DAYS,
  toCachedRow,
  CACHED_PLACES_MAX,
  type SlotSelection,
} from './cached-availability.ts';
import { readCachedAvailability } from './read-cache.ts';
import { scheduleRefresh } from './refresh-availability.ts';
import * as store from './store.ts';

interface FilledAvailability {
  readonly places: readonly LocationSlots[];
  readonly isCached: boolean;
  readonly asOf: Date;
}

interface CacheFillInput {
  readonly provider: SchedulingProvider;
  readonly places: readonly VisitLocation[];
  readonly now: Date;
}

/** Whether the slots of these places and days can be cached: not too many places, and only cached days. */
export const isCacheable = (places: readonly VisitLocation[], asked: SlotSelection): boolean =>
  places.length <= CACHED_PLACES_MAX &&
  new Set(places.map(({ code }) => code)).size === places.length &&
  places.every((place) => isWithinCachedDays(place, asked));

/** Queries of this process that are in flight, by cache key. */
const inFlightQueries = new Map<string, Promise<FilledAvailability>>();

/**
 * Queries the provider and caches the answer. Concurrent cache misses of the same places in this process share one
 * query.
 */
export function queryAndCache(
  app: App,
  tenant: Tenant,
  question: CacheFillInput,
): Promise<FilledAvailability> {
  const { provider, places, now } = question;
  const days = places.map((place) => `${hashPlace(place)}@${resolveFirstDay(place, { from: null }, now)}`);
  const key = [tenant.teamId, tenant.environment, provider.name, ...days].join('/');
  const asked = inFlightQueries.get(key);
  if (asked) return asked;
  const asking = fillCache(app, tenant, question).finally(() => inFlightQueries.delete(key));
  inFlightQueries.set(key, asking);
  return asking;
}

async function fillCache(
  app: App,
  tenant: Tenant,
  { provider, places, now }: CacheFillInput,
): Promise<FilledAvailability> {
  // Another query may have filled the cache after this caller's miss: look again before querying.
  const kept = await readTenant(app, tenant, (work) =>
    readCachedAvailability(work, { provider: provider.name, places, from: null, days: CACHED_DAYS }),
  );
  if (kept) return { places: kept.places, isCached: true, asOf: kept.asOf };
  const answered = await queryProvider(provider, places, { wanted: { from: null, days: CACHED_DAYS }, now });
  await inTenant(app, tenant, async (work) => {
    await store.saveRequested(
      work,
      answered.map((each) => toCachedRow(provider.name, each, now)),
    );
    await store.deleteBeyondLimit(work, provider.name, CACHED_PLACES_MAX);
    await scheduleRefresh(work, provider.name);
  });
  return { places: answered, isCached: false, asOf: now };
}
