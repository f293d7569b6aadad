import type { LocationSlots, SchedulingProviderName, VisitLocation } from '../../adapters/scheduling/port.ts';
import { readTenant, type App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { queryAndCache, isCacheable } from './fill-cache.ts';
import { queryProvider } from './query-provider.ts';
import { readCachedAvailability, touchCachedPlaces } from './read-cache.ts';
import { selectSlots } from './cached-availability.ts';

export { refreshAvailability } from './refresh-availability.ts';

/** A query for free slots. */
export interface SlotAvailabilityQuery {
  readonly provider: SchedulingProviderName;
  readonly places: readonly VisitLocation[];
  /** First day, `YYYY-MM-DD`, in each place's time zone; null means each place's local today. */
  readonly from: string | null;
  readonly days: number;
  /** Whether slots cached in the last two minutes are accepted. Home visits are never cached. */
  readonly allowStale: boolean;
}

interface SlotAvailability {
  /** One entry per requested place, in request order; `slots` is empty without a free slot. */
  readonly places: readonly LocationSlots[];
  /** Whether the slots come from the cache. */
  readonly isCached: boolean;
  /** When the provider was queried, on the tenant's clock; the oldest of all places. */
  readonly asOf: Date;
}

/** Providers with their own sites. Slots at patients' homes are not cached, for privacy. */
const CACHED_PROVIDERS: ReadonlySet<SchedulingProviderName> = new Set(['quest', 'sonora_quest']);

/**
 * The free slots of these places according to the provider, without those that have already begun on the tenant's
 * clock. The sandbox provider stores no bookings, so booked slots remain in its answer.
 * Calls an external system: call it outside a transaction, for example from a route's `prepare`. Throws a DomainError
 * of kind `unavailable` if the provider is not connected in this environment or cannot be reached.
 */
export async function getAvailability(
  app: App,
  tenant: Tenant,
  wanted: SlotAvailabilityQuery,
): Promise<SlotAvailability> {
  const provider = app.schedulingProviders[tenant.environment][wanted.provider];
  if (!provider) {
    throw new DomainError('unavailable', `No scheduling provider ${wanted.provider} is connected`);
  }
  const { places } = wanted;
  const mayBeKept = wanted.allowStale && CACHED_PROVIDERS.has(wanted.provider) && places.length > 0;
  const { now, kept } = await readTenant(app, tenant, async (work) => ({
    now: work.now,
    kept: mayBeKept ? await readCachedAvailability(work, wanted) : undefined,
  }));
  if (kept) {
    await touchCachedPlaces(app, tenant, { provider: wanted.provider, codes: kept.stalePlaceCodes });
    return { places: kept.places, isCached: true, asOf: kept.asOf };
  }
  const asked = { wanted, now };
  if (!mayBeKept || !isCacheable(places, asked)) {
    return { places: await queryProvider(provider, places, asked), isCached: false, asOf: now };
  }
  const answered = await queryAndCache(app, tenant, { provider, places, now });
  return {
    places: answered.places.map(({ place, slots }) => ({ place, slots: selectSlots(slots, place, asked) })),
    isCached: answered.isCached,
    asOf: answered.asOf,
  };
}
