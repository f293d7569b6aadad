import type { Work } from '../platform/work.ts';
import { DAY, isoDay, later } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import type { Order } from '../ordering/orders/orders.ts';
import {
  getCenterAvailability,
  getHomeAvailability,
  type OrderVisit,
} from '../scheduling/appointments/appointments.ts';
import { CenterQuery, type AvailabilityView } from '../scheduling/appointments/schema.ts';
import type { PatientVisit } from './page.ts';

type DaySlots = AvailabilityView['slots'][number];

/** A place with its days, in its own time zone. */
export interface PlaceSlots {
  /** Null for the patient's home. */
  readonly site: NonNullable<DaySlots['location']> | null;
  readonly timeZone: string;
  readonly days: readonly Pick<DaySlots, 'date' | 'slots'>[];
}

/** `phone`: appointments of this laboratory or at this address cannot be booked online. */
type FreeSlots = readonly PlaceSlots[] | 'phone' | 'busy';

/** How far ahead a patient can page. */
const AHEAD_MAX_DAYS = 90;

/** A first day that is in the future and not too far ahead; undefined for today. */
export function readFirstDay({ now }: Pick<Work, 'now'>, given: string | undefined): string | undefined {
  if (given === undefined || !/^\d{4}-\d\d-\d\d$/.test(given)) return undefined;
  return given > isoDay(now) && given <= isoDay(later(now, AHEAD_MAX_DAYS * DAY)) ? given : undefined;
}

/** Gets the free slots for an order as the API does. Call outside any transaction. */
export async function getFreeSlots(
  visit: PatientVisit,
  { order, type }: OrderVisit,
  from: string | undefined,
): Promise<FreeSlots> {
  try {
    return type === 'phlebotomy'
      ? await homeSlots(visit, order, from)
      : await centerSlots(visit, order, from);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.kind === 'unavailable' || error.kind === 'too_many') return 'busy';
    if (error.kind === 'not_found' || error.kind === 'bad_request') return 'phone';
    throw error;
  }
}

async function homeSlots(
  { app, token }: PatientVisit,
  { private: { address } }: Order,
  from: string | undefined,
): Promise<FreeSlots> {
  if (!address) return 'phone';
  const home = {
    first_line: address.first_line,
    second_line: address.second_line ?? null,
    city: address.city,
    state: address.state as never,
    zip_code: address.zip,
    access_notes: address.access_notes ?? null,
  };
  const { slots, timezone } = await getHomeAvailability(app, token.tenant, {
    address: home,
    startDate: from ?? null,
  });
  return [{ site: null, timeZone: timezone, days: slots as readonly DaySlots[] }];
}

/** In miles. The second is tried where the first finds nothing. */
const RADII = ['25', '100'] as const;

async function centerSlots(
  { app, token }: PatientVisit,
  order: Order,
  from: string | undefined,
): Promise<FreeSlots> {
  for (const radius of RADII) {
    const query = CenterQuery.safeParse({
      lab: order.lab_slug,
      order_id: order.id,
      start_date: from ?? null,
      radius,
      allow_stale: true,
    });
    if (!query.success) return 'phone';
    const { slots } = await getCenterAvailability(app, token.tenant, query.data);
    const places = groupByPlace(slots as readonly DaySlots[]);
    if (places.length > 0) return places;
  }
  return [];
}

function groupByPlace(slots: readonly DaySlots[]): PlaceSlots[] {
  const places = new Map<string, { site: NonNullable<DaySlots['location']>; days: DaySlots[] }>();
  for (const day of slots) {
    if (!day.location) continue;
    const known = places.get(day.location.code);
    if (known) known.days.push(day);
    else places.set(day.location.code, { site: day.location, days: [day] });
  }
  return [...places.values()]
    .map(({ site, days }) => ({ site, timeZone: site.iana_timezone ?? 'America/New_York', days }))
    .toSorted((a, b) => (a.site.distance ?? 0) - (b.site.distance ?? 0));
}
