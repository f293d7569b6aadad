import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { LocationSlots, VisitLocation, VisitSlot } from '../../adapters/scheduling/port.ts';
import { lookUpCounted } from '../../platform/cache-lookups.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { addDays, localDay, openLocalDay } from '../../platform/time-zone.ts';
import type { CachedAvailabilityHead, NewCachedAvailability } from './store.ts';

/** Cached slots of this age count as current. */
const FRESH_MS = 2 * MINUTE;
/** Days cached from today on, so that a first day within the next week is covered. */
export const CACHED_DAYS = 21;
/** Per tenant and provider. */
export const CACHED_PLACES_MAX = 200;

/** The requested days. */
export interface SlotDays {
  /** `YYYY-MM-DD`; null means the place's local today. */
  readonly from: string | null;
  readonly days: number;
}

export interface SlotSelection {
  readonly wanted: SlotDays;
  /** The time on the tenant's clock. */
  readonly now: Date;
}

export const resolveFirstDay = (place: VisitLocation, { from }: Pick<SlotDays, 'from'>, now: Date): string =>
  from ?? localDay(place.timeZone, now);

/** Whether these days are within the range that is cached today. */
export function isWithinCachedDays(place: VisitLocation, { wanted, now }: SlotSelection): boolean {
  const today = localDay(place.timeZone, now);
  return coversDays(
    { first_day: today, days: CACHED_DAYS },
    resolveFirstDay(place, wanted, now),
    wanted.days,
  );
}

const coversDays = (
  kept: Pick<CachedAvailabilityHead, 'first_day' | 'days'>,
  from: string,
  days: number,
): boolean => from >= kept.first_day && addDays(from, days) <= addDays(kept.first_day, kept.days);

/** Whether the cached row answers the request: fresh, same place description, and covering the days. */
export const isUsable = (head: CachedAvailabilityHead, place: VisitLocation, asked: SlotSelection): boolean =>
  isFresh(head.refreshed_at, asked.now) &&
  head.place_hash === hashPlace(place) &&
  coversDays(head, resolveFirstDay(place, asked.wanted, asked.now), asked.wanted.days);

/** Refreshed within the last two minutes on the tenant's clock, and not in the future. */
function isFresh(refreshedAt: Date, now: Date): boolean {
  const age = now.getTime() - refreshedAt.getTime();
  return age >= 0 && age <= FRESH_MS;
}

/** The slots within these days that have not begun; `slots` must be sorted by start. */
export function selectSlots(
  slots: readonly VisitSlot[],
  place: VisitLocation,
  asked: SlotSelection,
): VisitSlot[] {
  const first = resolveFirstDay(place, asked.wanted, asked.now);
  const begin = openLocalDay(place.timeZone, first).atOrAfterGap(0).getTime();
  const end = openLocalDay(place.timeZone, addDays(first, asked.wanted.days)).atOrAfterGap(0).getTime();
  return slots.slice(
    findFirstSlotIndex(slots, Math.max(begin, asked.now.getTime() + 1)),
    findFirstSlotIndex(slots, end),
  );
}

/** The index of the first slot that starts at or after the timestamp, in milliseconds. Binary search. */
function findFirstSlotIndex(slots: readonly VisitSlot[], moment: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const slot = slots[middle];
    if (slot !== undefined && slot.startAt.getTime() < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The cache row for the slots of a place, starting with its local today. */
export const toCachedRow = (
  provider: string,
  { place, slots }: LocationSlots,
  now: Date,
): NewCachedAvailability => ({
  provider,
  place_code: place.code,
  place: JSON.stringify(CachedPlace.parse(place)),
  place_hash: hashPlace(place),
  first_day: localDay(place.timeZone, now),
  days: CACHED_DAYS,
  slots: JSON.stringify(slots.map(packSlot)),
  refreshed_at: now,
});

/** Equal for equal place descriptions, independent of the order of properties. */
export function hashPlace({ code, name, address, point, timeZone, hours }: VisitLocation): string {
  const { firstLine, secondLine, city, state, zip, accessNotes } = address;
  const opens = hours?.map((day) => day.map((stretch) => [stretch.opens, stretch.closes]));
  const said = [code, name, firstLine, secondLine, city, state, zip, accessNotes, point.lat, point.lng];
  return createHash('sha256')
    .update(JSON.stringify([...said, timeZone, opens]))
    .digest('base64url');
}

const CachedPlace: z.ZodType<VisitLocation> = z.object({
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

/** Parses the place of a cached row. */
export const parseCachedPlace = (text: string): VisitLocation => CachedPlace.parse(JSON.parse(text));

const PackedSlots = z.array(
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

const packSlot = ({
  slotId,
  startAt,
  endAt,
  places,
  price,
  isPriority,
}: VisitSlot): z.input<typeof PackedSlots>[number] => [
  slotId,
  startAt.getTime(),
  endAt.getTime() - startAt.getTime(),
  places,
  price,
  isPriority,
];

const UNPACKED_CACHE_MAX = 500;
/** Unpacked slots by cache version; they do not change until the place is refreshed. */
const unpackedCache = new LRUCache<string, readonly VisitSlot[]>({ max: UNPACKED_CACHE_MAX });

/** Identifies one provider answer for a place, unique across tenants. */
export const toCacheVersion = (tenant: Tenant, provider: string, head: CachedAvailabilityHead): string =>
  [
    tenant.teamId,
    tenant.environment,
    provider,
    head.refreshed_at.getTime(),
    head.first_day,
    head.place_hash,
  ].join('/');

export const getUnpackedSlots = (version: string): readonly VisitSlot[] | undefined =>
  lookUpCounted('availability', unpackedCache, version);

export function unpackSlots(version: string, slots: string): readonly VisitSlot[] {
  const read = PackedSlots.parse(JSON.parse(slots));
  unpackedCache.set(version, read);
  return read;
}
