import type { PlaceSlots, SchedulingProviderName, VisitPlace } from '../../adapters/scheduling/port.ts';
import { readTenant, type App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { askAndKeep, isToBeKept } from './ask-and-keep.ts';
import { askProvider } from './ask-provider.ts';
import { fromKept, noteWanted } from './from-kept.ts';
import { slotsWithin } from './kept.ts';

export { refreshAvailability } from './refresh-availability.ts';

/** Which slots are wanted. */
export interface AvailabilityWanted {
  readonly provider: SchedulingProviderName;
  readonly places: readonly VisitPlace[];
  /** First day, `YYYY-MM-DD`, in each place's own time zone; null is each place's today. */
  readonly from: string | null;
  readonly days: number;
  /** Whether an answer of the last two minutes will do. Homes are never kept, and are always asked about anew. */
  readonly allowStale: boolean;
}

export interface Availability {
  /** One for each place that was asked for, in that order; places without a free slot stand with none. */
  readonly places: readonly PlaceSlots[];
  /** Whether it was answered from what is kept, without asking the provider. */
  readonly isCached: boolean;
  /** When the provider was asked, on the tenant's clock; the eldest of all places. */
  readonly asOf: Date;
}

/** Those with sites of their own. Nothing is kept about homes: where patients live is their own business. */
const WITH_SITES: ReadonlySet<SchedulingProviderName> = new Set(['quest', 'sonora_quest']);

/**
 * The free slots of these places as the provider knows them, without those that have begun at the tenant's moment.
 * The provider of a sandbox keeps no books: what we have booked ourselves is still in them there.
 * It asks the outside: call it outside a transaction, as from a route's `prepare`. A provider that is not connected
 * in this environment, or cannot be reached, is a DomainError of kind `unavailable`.
 */
export async function availabilityOf(
  app: App,
  tenant: Tenant,
  wanted: AvailabilityWanted,
): Promise<Availability> {
  const provider = app.schedulingProviders[tenant.environment][wanted.provider];
  if (!provider) {
    throw new DomainError('unavailable', `No scheduling provider ${wanted.provider} is connected`);
  }
  const { places } = wanted;
  const mayBeKept = wanted.allowStale && WITH_SITES.has(wanted.provider) && places.length > 0;
  const { now, kept } = await readTenant(app, tenant, async (work) => ({
    now: work.now,
    kept: mayBeKept ? await fromKept(work, wanted) : undefined,
  }));
  if (kept) {
    await noteWanted(app, tenant, { provider: wanted.provider, codes: kept.forgotten });
    return { places: kept.places, isCached: true, asOf: kept.asOf };
  }
  const asked = { wanted, now };
  if (!mayBeKept || !isToBeKept(places, asked)) {
    return { places: await askProvider(provider, places, asked), isCached: false, asOf: now };
  }
  const answered = await askAndKeep(app, tenant, { provider, places, now });
  return {
    places: answered.places.map(({ place, slots }) => ({ place, slots: slotsWithin(slots, place, asked) })),
    isCached: answered.isCached,
    asOf: answered.asOf,
  };
}
