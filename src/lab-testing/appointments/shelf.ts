import type {
  PlaceSlots,
  SchedulingProviderName,
  VisitPlace,
  VisitSlot,
} from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { isoMoment } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { dayAfter, localDay, openLocalDay } from '../../platform/time-zone.ts';
import { bookingKeys, expiryOf } from './booking-key.ts';
import type { HeldSlot } from './place-store.ts';
import type { AvailabilityView } from './schema.ts';
import { slotIndexOf } from './take-place.ts';
import { viewAddress } from './view.ts';

/** An answer always covers so many days. */
export const DAYS = 14;

type DayView = AvailabilityView['slots'][number];
type SlotView = DayView['slots'][number];

/** The free slots of one place at one provider, as of the moment when it counted. */
export interface Offered extends PlaceSlots {
  readonly provider: SchedulingProviderName;
  readonly asOf: Date;
}

interface DaysAsked {
  /** First day, `YYYY-MM-DD`; null is today where the place is. */
  readonly from: string | null;
  /** Whether the place is named, and how far it is; null for a home, which the caller knows. */
  readonly location: { readonly milesAway: number | null } | null;
}

/** Turns slots into what callers see: by day of the place, less what is held, each with its booking key. */
export interface Shelf {
  daysOf(place: VisitPlace, offered: readonly Offered[], asked: DaysAsked): DayView[];
}

interface Stock {
  readonly now: Date;
  readonly held: readonly HeldSlot[];
  readonly cipher: TenantCipher;
}

export function openShelf(app: App, tenant: Tenant, { now, held, cipher }: Stock): Shelf {
  const keyOf = bookingKeys(app, tenant);
  const heldOf = counting(held, cipher);
  const view = ({ provider, asOf, place }: Offered, slot: VisitSlot): SlotView[] => {
    const left = slot.places - heldOf(provider, slot);
    if (left <= 0) return [];
    const { slotId, startAt, endAt, places } = slot;
    const expiresAt = expiryOf(now, slot);
    const said = { provider, placeCode: place.code, slotId, startAt, endAt, places, asOf, expiresAt };
    return [
      {
        booking_key: keyOf(said),
        start: isoMoment(startAt),
        end: isoMoment(endAt),
        expires_at: isoMoment(expiresAt),
        price: slot.price,
        is_priority: slot.isPriority,
        num_appointments_available: left,
      },
    ];
  };
  return {
    daysOf: (place, offered, { from, location }) => {
      const days = daysFrom(from ?? localDay(place.timeZone, now), place);
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

/** How many places of a slot we hold. Most slots have none, so their digests are made only where a time is held. */
function counting(held: readonly HeldSlot[], cipher: TenantCipher) {
  const times = new Set(held.map(({ startAt }) => startAt.getTime()));
  const bySlot = new Map(held.map(({ slotIndex, places }) => [slotIndex.toString('base64'), places]));
  return (provider: SchedulingProviderName, { slotId, startAt }: VisitSlot): number => {
    if (!times.has(startAt.getTime())) return 0;
    return bySlot.get(slotIndexOf({ cipher }, { provider, slotId }).toString('base64')) ?? 0;
  };
}

/** The days of the answer and the moments between which they lie, on the clock of the place. */
function daysFrom(first: string, { timeZone }: VisitPlace) {
  const starts = Array.from({ length: DAYS + 1 }, (_, index) => {
    const date = dayAfter(first, index);
    return { date, begins: openLocalDay(timeZone, date).reached(0).getTime() };
  });
  return starts.slice(0, DAYS).map(({ date, begins }, index) => ({
    date,
    begins,
    ends: starts[index + 1]?.begins ?? begins,
  }));
}

const viewPlace = (place: VisitPlace, milesAway: number | null): DayView['location'] => ({
  location: { lng: place.point.lng, lat: place.point.lat },
  distance: milesAway === null ? null : Math.round(milesAway),
  address: viewAddress(place.address),
  code: place.code,
  name: place.name,
  iana_timezone: place.timeZone,
});
