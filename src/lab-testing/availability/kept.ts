import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PlaceSlots, VisitPlace, VisitSlot } from '../../adapters/scheduling/port.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { dayAfter, localDay, openLocalDay } from '../../platform/time-zone.ts';
import type { KeptHead, NewKept } from './store.ts';

/** What was said so long ago still counts as how it is. */
export const FRESH_MS = 2 * MINUTE;
/** Kept from today on, so that a first day within the week is covered, too. */
export const KEPT_DAYS = 21;
/** Of one tenant at one provider. */
export const PLACES_KEPT_MAX = 200;

/** The days that somebody wants to see. */
export interface Days {
  /** `YYYY-MM-DD`; null is today, where the place is. */
  readonly from: string | null;
  readonly days: number;
}

export interface Asked {
  readonly wanted: Days;
  /** The tenant's moment. */
  readonly now: Date;
}

export const firstDayAt = (place: VisitPlace, { from }: Pick<Days, 'from'>, now: Date): string =>
  from ?? localDay(place.timeZone, now);

/** Whether these days lie within what is kept when it is asked for now. */
export function isWithinKept(place: VisitPlace, { wanted, now }: Asked): boolean {
  const today = localDay(place.timeZone, now);
  return covers({ first_day: today, days: KEPT_DAYS }, firstDayAt(place, wanted, now), wanted.days);
}

const covers = (kept: Pick<KeptHead, 'first_day' | 'days'>, from: string, days: number): boolean =>
  from >= kept.first_day && dayAfter(from, days) <= dayAfter(kept.first_day, kept.days);

/** Whether what is kept answers for this place: it is of this very place and these days, and the provider said so just now. */
export const isGood = (head: KeptHead, place: VisitPlace, asked: Asked): boolean =>
  isFresh(head.refreshed_at, asked.now) &&
  head.place_hash === hashOf(place) &&
  covers(head, firstDayAt(place, asked.wanted, asked.now), asked.wanted.days);

/** Refreshed within the last two minutes of the tenant's clock; never in what is yet to come. */
export function isFresh(refreshedAt: Date, now: Date): boolean {
  const age = now.getTime() - refreshedAt.getTime();
  return age >= 0 && age <= FRESH_MS;
}

/** The slots within these days that have not begun; `slots` are in the order of their start. */
export function slotsWithin(slots: readonly VisitSlot[], place: VisitPlace, asked: Asked): VisitSlot[] {
  const first = firstDayAt(place, asked.wanted, asked.now);
  const begin = openLocalDay(place.timeZone, first).reached(0).getTime();
  const end = openLocalDay(place.timeZone, dayAfter(first, asked.wanted.days)).reached(0).getTime();
  return slots.slice(firstFrom(slots, Math.max(begin, asked.now.getTime() + 1)), firstFrom(slots, end));
}

/** The place in the list of the first slot that begins at this moment or later. */
function firstFrom(slots: readonly VisitSlot[], moment: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const slot = slots[middle];
    if (slot !== undefined && slot.startAt.getTime() < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A row for what a provider said of a place at this moment, about the days from its today on. */
export const keptOf = (provider: string, { place, slots }: PlaceSlots, now: Date): NewKept => ({
  provider,
  place_code: place.code,
  place: JSON.stringify(Place.parse(place)),
  place_hash: hashOf(place),
  first_day: localDay(place.timeZone, now),
  days: KEPT_DAYS,
  slots: JSON.stringify(slots.map(packed)),
  refreshed_at: now,
});

/** The same for two descriptions that say the same, in whatever order of fields. */
export function hashOf({ code, name, address, point, timeZone, hours }: VisitPlace): string {
  const { firstLine, secondLine, city, state, zip, accessNotes } = address;
  const opens = hours?.map((day) => day.map((stretch) => [stretch.opens, stretch.closes]));
  const said = [code, name, firstLine, secondLine, city, state, zip, accessNotes, point.lat, point.lng];
  return createHash('sha256')
    .update(JSON.stringify([...said, timeZone, opens]))
    .digest('base64url');
}

const Place: z.ZodType<VisitPlace> = z.object({
  code: z.string(),
  name: z.string(),
  address: z.object({
    firstLine: z.string(),
    secondLine: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    accessNotes: z.string().nullable(),
  }),
  point: z.object({ lat: z.number(), lng: z.number() }),
  timeZone: z.string(),
  hours: z.array(z.array(z.object({ opens: z.string(), closes: z.string() }))).nullable(),
});

/** The place of a row, to ask for it again. */
export const placeOf = (text: string): VisitPlace => Place.parse(JSON.parse(text));

const Packed = z.array(
  z
    .tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.boolean()])
    .transform(([slotId, start, length, places, price, isPriority]): VisitSlot => ({
      slotId,
      startAt: new Date(start),
      endAt: new Date(start + length),
      places,
      price,
      isPriority,
    })),
);

const packed = ({
  slotId,
  startAt,
  endAt,
  places,
  price,
  isPriority,
}: VisitSlot): z.input<typeof Packed>[number] => [
  slotId,
  startAt.getTime(),
  endAt.getTime() - startAt.getTime(),
  places,
  price,
  isPriority,
];

const UNPACKED_MAX = 500;
/** Slots that were unpacked before: they stay the same until the place is refreshed. */
const unpacked = new LRUCache<string, readonly VisitSlot[]>({ max: UNPACKED_MAX });

/** Names one answer of a provider about a place, among all tenants. */
export const versionOf = (tenant: Tenant, provider: string, head: KeptHead): string =>
  [
    tenant.teamId,
    tenant.environment,
    provider,
    head.refreshed_at.getTime(),
    head.first_day,
    head.place_hash,
  ].join('/');

export const unpackedBefore = (version: string): readonly VisitSlot[] | undefined => unpacked.get(version);

export function unpack(version: string, slots: string): readonly VisitSlot[] {
  const read = Packed.parse(JSON.parse(slots));
  unpacked.set(version, read);
  return read;
}
