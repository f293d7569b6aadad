import type { PlaceSlots, SchedulingProviderName, VisitPlace } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { DomainError, found, invalidField } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { availabilityOf } from '../availability/availability.ts';
import { findOrder } from '../orders/orders.ts';
import {
  findSitesByCode,
  findSitesNear,
  getZipPlace,
  type Site,
} from '../patient-service-centers/patient-service-centers.ts';
import { countedSince } from './ask-provider.ts';
import { listHeld } from './place-store.ts';
import { requireDayToCome, requireModality } from './rules.ts';
import { secondLineOf, type AvailabilityAddress, type CenterQuery } from './schema.ts';
import { DAYS, openShelf, type Offered, type Shelf } from './shelf.ts';
import { siteIndexOf } from './take-place.ts';

/** Those nearest; each has hundreds of slots. */
const CENTERS_MAX = 25;

/** When the laboratory's centers can see a patient. Outside any transaction. */
export async function centerAvailability(app: App, tenant: Tenant, query: CenterQuery) {
  const sites = await readTenant(app, tenant, async (work) => {
    requireDayToCome(work, query.start_date);
    return sitesOf(work, query);
  });
  const from = query.start_date ?? null;
  const shelf = await fill(app, tenant, {
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

/** Centers where appointments are made by telephone only have no slots here. */
const isBookable = ({ capabilities }: Site): boolean => capabilities.includes(BOOKABLE);
const BOOKABLE = 'appointment_scheduling_via_junction';

async function sitesOf(work: Work, query: CenterQuery): Promise<Site[]> {
  const { lab, site_codes: codes, order_id: orderId } = query;
  if (codes && codes.length > 0) return sitesByCode(work, lab, codes);
  const zip = orderId ? await zipOfOrder(work, orderId, lab) : query.zip_code;
  if (!zip) {
    throw invalidField(['query', 'zip_code'], 'expected one of zip_code, site_codes and order_id');
  }
  const near = getZipPlace(zip).point;
  return findSitesNear(work, {
    lab,
    near,
    radiusMiles: Number(query.radius ?? 25),
    capabilities: [BOOKABLE],
    limit: CENTERS_MAX,
  });
}

async function sitesByCode(work: Work, lab: string, codes: readonly string[]): Promise<Site[]> {
  const wanted = [...new Set(codes)];
  const sites = await findSitesByCode(work, lab, wanted);
  const known = new Set(sites.map(({ code }) => code));
  const missing = wanted.filter((code) => !known.has(code));
  if (missing.length > 0) throw new DomainError('not_found', `Site not found: ${missing.join(', ')}`);
  return sites;
}

/** Where the patient of the order lives. */
async function zipOfOrder(work: Work, id: string, lab: string): Promise<string> {
  const order = requireModality(found(await findOrder(work, id), 'Order'), 'patient_service_center');
  if (order.lab_slug !== lab) {
    throw new DomainError('bad_request', `The order is one of ${order.lab_slug}, not of ${lab}`);
  }
  const { address } = order.private;
  if (!address) throw new DomainError('bad_request', 'The order has no address of its patient');
  return address.zip;
}

/** Providers that come home and whose times can be chosen. */
const AT_HOME: readonly SchedulingProviderName[] = ['getlabs', 'phlebfinders'];

/** When phlebotomists can come to an address; its ZIP code decides. Outside any transaction. */
export async function homeAvailability(
  app: App,
  tenant: Tenant,
  { address, startDate }: { address: AvailabilityAddress; startDate: string | null },
) {
  const { point, timeZone, zip } = getZipPlace(address.zip_code);
  const now = await readTenant(app, tenant, async (work) => {
    requireDayToCome(work, startDate);
    return work.now;
  });
  const connected = AT_HOME.flatMap((name) => app.schedulingProviders[tenant.environment][name] ?? []);
  if (connected.length === 0) {
    throw new DomainError('unavailable', `No phlebotomist is connected in ${tenant.environment}`);
  }
  const home: VisitPlace = {
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
      fill(app, tenant, { provider: name, places: [home], from: startDate, allowStale: false }),
    ),
  );
  // Where nobody comes whose times can be chosen there are days all the same, and nothing on them.
  const cipher = await app.keyring.of(tenant);
  const shelf = shelves[0] ?? openShelf(app, tenant, { now, held: [], cipher });
  const offered = shelves.flatMap((each) => each.offered);
  return { slots: shelf.daysOf(home, offered, { from: startDate, location: null }), timezone: timeZone };
}

interface Wanted {
  readonly provider: SchedulingProviderName;
  readonly places: readonly VisitPlace[];
  readonly from: string | null;
  readonly allowStale: boolean;
}

interface Filled extends Shelf {
  readonly offered: readonly Offered[];
}

/** Asks the provider, and takes away what we have booked ourselves since it counted. */
async function fill(app: App, tenant: Tenant, wanted: Wanted): Promise<Filled> {
  const { provider } = wanted;
  const { places, asOf } = await availabilityOf(app, tenant, { ...wanted, days: DAYS });
  const { now, held } = await readTenant(app, tenant, async (work) => {
    const sites = places.map(({ place }) => siteIndexOf(work, provider, place.code));
    return {
      now: work.now,
      held: await listHeld(work, { sites, from: work.now, since: countedSince(work, asOf) }),
    };
  });
  const cipher = await app.keyring.of(tenant);
  const shelf = openShelf(app, tenant, { now, held, cipher });
  const offered = places.map((one: PlaceSlots) => ({ ...one, provider, asOf }));
  return { ...shelf, offered };
}
