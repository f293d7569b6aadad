import type {
  LocationSlots,
  SchedulingProviderName,
  VisitLocation,
  VisitSlot,
} from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { addDays, localDay, openLocalDay } from '../../platform/time-zone.ts';
import { createBookingKeyWriter, bookingKeyExpiry } from './booking-key.ts';
import type { HeldSlot } from './held-place-store.ts';
import type { AvailabilityView } from './schema.ts';
import { slotIndexOf } from './hold-place.ts';
import { viewAddress } from './view.ts';

/** Number of days in an availability response. */
export const AVAILABILITY_DAYS = 14;

type DayView = AvailabilityView['slots'][number];
type SlotView = DayView['slots'][number];

/** The slots of one location at one provider, as of the time of the provider's answer. */
export interface OfferedSlots extends LocationSlots {
  readonly provider: SchedulingProviderName;
  readonly asOf: Date;
}

interface DaysRequest {
  /** First day, `YYYY-MM-DD`; null means today at the location. */
  readonly from: string | null;
  /** Distance of the location in miles; null omits the location, for a home that the caller knows. */
  readonly location: { readonly milesAway: number | null } | null;
}

/** Turns slots into the public view: grouped by local day, reduced by held places, each with a booking key. */
export interface SlotCalendar {
  daysOf(place: VisitLocation, offered: readonly OfferedSlots[], asked: DaysRequest): DayView[];
}

interface HeldCapacity {
  readonly now: Date;
  readonly held: readonly HeldSlot[];
  readonly cipher: TenantCipher;
}

export function createSlotCalendar(
  app: App,
  tenant: Tenant,
  { now, held, cipher }: HeldCapacity,
): SlotCalendar {
  const keyOf = createBookingKeyWriter(app, tenant);
  const heldOf = createHeldCounter(held, cipher);
  const view = ({ provider, asOf, place }: OfferedSlots, slot: VisitSlot): SlotView[] => {
    const left = slot.places - heldOf(provider, slot);
    if (left <= 0) return [];
    const { slotId, startAt, endAt, places } = slot;
    const expiresAt = bookingKeyExpiry(now, slot);
    const said = { provider, placeCode: place.code, slotId, startAt, endAt, places, asOf, expiresAt };
    return [
      {
        booking_key: keyOf(said),
        start: isoTimestamp(startAt),
        end: isoTimestamp(endAt),
        expires_at: isoTimestamp(expiresAt),
        price: slot.price,
        is_priority: slot.isPriority,
        num_appointments_available: left,
      },
    ];
  };
  return {
    daysOf: (place, offered, { from, location }) => {
      const days = listDays(from ?? localDay(place.timeZone, now), place);
      const shown = location && viewPlace(place, location.milesAway);
      const all = offered.flatMap((one) =>
        one.slots.map((slot) => ({ at: slot.startAt.getTime(), one, slot })),
      );
      const sorted = all.toSorted((a, b) => a.at - b.at);
      return days.map(({ date, begins, ends }) => ({
        location: shown,
        date,
        slots: sorted
          .filter(({ at }) => at >= begins && at < ends)
          .flatMap(({ one, slot }) => view(one, slot)),
      }));
    },
  };
}

/**
 * Counts the held places of a slot. Digests are computed only for start times with held places, since most have none.
 */
function createHeldCounter(held: readonly HeldSlot[], cipher: TenantCipher) {
  const times = new Set(held.map(({ startAt }) => startAt.getTime()));
  const bySlot = new Map(held.map(({ slotIndex, places }) => [slotIndex.toString('base64'), places]));
  return (provider: SchedulingProviderName, { slotId, startAt }: VisitSlot): number => {
    if (!times.has(startAt.getTime())) return 0;
    return bySlot.get(slotIndexOf({ cipher }, { provider, slotId }).toString('base64')) ?? 0;
  };
}

/** The days of the response with their start and end times, in the location's time zone. */
function listDays(first: string, { timeZone }: VisitLocation) {
  const starts = Array.from({ length: AVAILABILITY_DAYS + 1 }, (_, index) => {
    const date = addDays(first, index);
    return { date, begins: openLocalDay(timeZone, date).atOrAfterGap(0).getTime() };
  });
  return starts.slice(0, AVAILABILITY_DAYS).map(({ date, begins }, index) => ({
    date,
    begins,
    ends: starts[index + 1]?.begins ?? begins,
  }));
}

const viewPlace = (place: VisitLocation, milesAway: number | null): DayView['location'] => ({
  location: { lng: place.point.lng, lat: place.point.lat },
  distance: milesAway === null ? null : Math.round(milesAway),
  address: viewAddress(place.address),
  code: place.code,
  name: place.name,
  iana_timezone: place.timeZone,
});
