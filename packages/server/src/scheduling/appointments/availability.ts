import type { LocationSlots, SchedulingProviderName, VisitLocation } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { getAvailability } from '../availability/availability.ts';
import { findOrder } from '../../ordering/orders/orders.ts';
import {
  findSitesByCode,
  findSitesNear,
  getZipLocation,
  type PatientServiceCenter,
} from '../patient-service-centers/patient-service-centers.ts';
import { placesCountedSince } from './call-provider.ts';
import { listHeldSlots } from './held-place-store.ts';
import { requireStartDate, requireModality } from './rules.ts';
import { secondLineOf, type AvailabilityAddress, type CenterQuery } from './schema.ts';
import {
  AVAILABILITY_DAYS,
  createSlotCalendar,
  type OfferedSlots,
  type SlotCalendar,
} from './slot-calendar.ts';
import { siteIndexOf } from './hold-place.ts';

/** Maximum number of centers in a response, nearest first. Each has hundreds of slots. */
const CENTERS_MAX = 25;

/** Availability of the laboratory's patient service centers. Call outside any transaction. */
export async function getCenterAvailability(app: App, tenant: Tenant, query: CenterQuery) {
  const sites = await readTenant(app, tenant, async (work) => {
    requireStartDate(work, query.start_date);
    return selectSites(work, query);
  });
  const from = query.start_date ?? null;
  const shelf = await loadSlots(app, tenant, {
    provider: query.lab,
    places: sites.filter(isBookable),
    from,
    allowStale: query.allow_stale,
  });
  const bookable = new Map(shelf.offered.map((offered) => [offered.place.code, offered]));
  const slots = sites.flatMap((site) => {
    const offered = bookable.get(site.code);
    return shelf.daysOf(site, offered ? [offered] : [], {
      from,
      location: { milesAway: site.distanceMiles },
    });
  });
  return { slots, timezone: sites[0]?.timeZone ?? null };
}

/** Centers without this capability take appointments by phone only. */
const isBookable = ({ capabilities }: PatientServiceCenter): boolean =>
  capabilities.includes(BOOKING_CAPABILITY);
const BOOKING_CAPABILITY = 'appointment_scheduling_via_junction';

async function selectSites(work: Work, query: CenterQuery): Promise<PatientServiceCenter[]> {
  const { lab, site_codes: codes, order_id: orderId } = query;
  if (codes && codes.length > 0) return sitesByCode(work, lab, codes);
  const zip = orderId ? await zipOfOrder(work, orderId, lab) : query.zip_code;
  if (!zip) {
    throw invalidField(['query', 'zip_code'], 'expected one of zip_code, site_codes and order_id');
  }
  const near = getZipLocation(zip).point;
  return findSitesNear(work, {
    lab,
    near,
    radiusMiles: Number(query.radius ?? 25),
    capabilities: [BOOKING_CAPABILITY],
    limit: CENTERS_MAX,
  });
}

async function sitesByCode(
  work: Work,
  lab: string,
  codes: readonly string[],
): Promise<PatientServiceCenter[]> {
  const wanted = [...new Set(codes)];
  const sites = await findSitesByCode(work, lab, wanted);
  const known = new Set(sites.map(({ code }) => code));
  const missing = wanted.filter((code) => !known.has(code));
  if (missing.length > 0) throw new DomainError('not_found', `Site not found: ${missing.join(', ')}`);
  return sites;
}

/** The ZIP code of the patient's address on the order. */
async function zipOfOrder(work: Work, id: string, lab: string): Promise<string> {
  const order = requireModality(requireFound(await findOrder(work, id), 'Order'), 'patient_service_center');
  if (order.lab_slug !== lab) {
    throw new DomainError('bad_request', `The order is for ${order.lab_slug}, not for ${lab}`);
  }
  const { address } = order.private;
  if (!address) throw new DomainError('bad_request', 'The order has no patient address');
  return address.zip;
}

/** At-home providers with bookable slots. */
const HOME_SLOT_PROVIDERS: readonly SchedulingProviderName[] = ['getlabs', 'phlebfinders'];

/** Availability of phlebotomists at an address, by its ZIP code. Call outside any transaction. */
export async function getHomeAvailability(
  app: App,
  tenant: Tenant,
  { address, startDate }: { address: AvailabilityAddress; startDate: string | null },
) {
  const { point, timeZone, zip } = getZipLocation(address.zip_code);
  const now = await readTenant(app, tenant, async (work) => {
    requireStartDate(work, startDate);
    return work.now;
  });
  const connected = HOME_SLOT_PROVIDERS.flatMap(
    (name) => app.schedulingProviders[tenant.environment][name] ?? [],
  );
  if (connected.length === 0) {
    throw new DomainError('unavailable', `No phlebotomy provider is connected in ${tenant.environment}`);
  }
  const home: VisitLocation = {
    code: zip,
    name: 'Home',
    address: {
      firstLine: address.first_line,
      secondLine: secondLineOf(address),
      city: address.city,
      state: address.state,
      zip: address.zip_code,
      accessNotes: address.access_notes ?? null,
    },
    point,
    timeZone,
    hours: null,
  };
  const serving = connected.filter((provider) => provider.kind === 'slots' && provider.serves(zip));
  const shelves = await Promise.all(
    serving.map(({ name }) =>
      loadSlots(app, tenant, { provider: name, places: [home], from: startDate, allowStale: false }),
    ),
  );
  // Without a provider for this ZIP code, the response still lists all days, without slots.
  const cipher = await app.keyring.cipherOf(tenant);
  const shelf = shelves[0] ?? createSlotCalendar(app, tenant, { now, held: [], cipher });
  const offered = shelves.flatMap((each) => each.offered);
  return { slots: shelf.daysOf(home, offered, { from: startDate, location: null }), timezone: timeZone };
}

interface SlotQuery {
  readonly provider: SchedulingProviderName;
  readonly places: readonly VisitLocation[];
  readonly from: string | null;
  readonly allowStale: boolean;
}

interface LoadedSlots extends SlotCalendar {
  readonly offered: readonly OfferedSlots[];
}

/** Gets slots from the provider, and the places that were booked here since its answer. */
async function loadSlots(app: App, tenant: Tenant, wanted: SlotQuery): Promise<LoadedSlots> {
  const { provider } = wanted;
  const { places, asOf } = await getAvailability(app, tenant, { ...wanted, days: AVAILABILITY_DAYS });
  const { now, held } = await readTenant(app, tenant, async (work) => {
    const sites = places.map(({ place }) => siteIndexOf(work, provider, place.code));
    return {
      now: work.now,
      held: await listHeldSlots(work, { sites, from: work.now, since: placesCountedSince(work, asOf) }),
    };
  });
  const cipher = await app.keyring.cipherOf(tenant);
  const shelf = createSlotCalendar(app, tenant, { now, held, cipher });
  const offered = places.map((one: LocationSlots) => ({ ...one, provider, asOf }));
  return { ...shelf, offered };
}
