import { addDays, localDay, openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import type {
  AvailabilityRequest,
  OpenHours,
  SchedulingProviderName,
  VisitLocation,
  VisitSlot,
} from './port.ts';

/** How a simulated provider generates slots. The capacity of each slot is pseudo-random, from 1 to `capacityMax`. */
interface SlotGenerationRules {
  /** Prefix of slot and appointment ids. */
  readonly prefix: string;
  readonly slotMinutes: number;
  readonly capacityMax: number;
  /** The share of slots that are full from the start. */
  readonly shareTaken: number;
  /** Surcharge in US dollars before 7 a.m. and on weekends; null for none. */
  readonly priorityPrice: number | null;
  /** Opening hours for locations without their own, Monday first. */
  readonly ownHours: readonly (readonly OpenHours[])[];
}

const CLOSED: readonly OpenHours[] = [];
const from = (opens: string, closes: string): readonly OpenHours[] => [{ opens, closes }];
const week = (weekday: readonly OpenHours[], saturday: readonly OpenHours[]) => [
  ...Array.from({ length: 5 }, () => weekday),
  saturday,
  CLOSED,
];

const CENTER_HOURS = week(from('07:00', '16:00'), CLOSED);
const HOME_VISIT_HOURS = week(from('06:00', '18:00'), from('07:00', '13:00'));

// prettier-ignore
export const SLOT_GENERATION_RULES: Readonly<Record<SchedulingProviderName, SlotGenerationRules>> = {
  quest:        { prefix: 'qst', slotMinutes: 15, capacityMax: 4, shareTaken: 0.35, priorityPrice: null, ownHours: CENTER_HOURS },
  sonora_quest: { prefix: 'snq', slotMinutes: 20, capacityMax: 3, shareTaken: 0.3,  priorityPrice: null, ownHours: CENTER_HOURS },
  getlabs:      { prefix: 'gtl', slotMinutes: 60, capacityMax: 2, shareTaken: 0.4,  priorityPrice: 35,   ownHours: HOME_VISIT_HOURS },
  phlebfinders: { prefix: 'phf', slotMinutes: 60, capacityMax: 1, shareTaken: 0,    priorityPrice: null, ownHours: HOME_VISIT_HOURS },
};

export interface SeededSlotRules extends SlotGenerationRules {
  readonly seed: string;
}

/** The free slots of a location in the requested days, without those that have started. */
export function listFreeSlots(
  rules: SeededSlotRules,
  place: VisitLocation,
  { from: first, days, now }: Omit<AvailabilityRequest, 'places'>,
): VisitSlot[] {
  const slots: VisitSlot[] = [];
  for (let day = 0; day < days; day += 1) {
    for (const slot of generateDaySlots(rules, place, addDays(first, day))) {
      if (slot.places > 0 && slot.startAt > now) slots.push(slot);
    }
  }
  return slots;
}

/** The slot with this id, even if it is full; undefined if the location never has it. */
export function findSlot(
  rules: SeededSlotRules,
  place: VisitLocation,
  { slotId, startAt }: Pick<VisitSlot, 'slotId' | 'startAt'>,
): VisitSlot | undefined {
  const day = localDay(place.timeZone, startAt);
  return generateDaySlots(rules, place, day).find((slot) => slot.slotId === slotId);
}

/**
 * Every slot of a local day, including full ones. Slots follow local time: a time skipped by daylight saving has no
 * slot, and a repeated time has its slot at the first occurrence. No slot ends after closing.
 */
function generateDaySlots(rules: SeededSlotRules, place: VisitLocation, day: string): VisitSlot[] {
  const weekday = weekdayOf(day);
  const stretches = (place.hours ?? rules.ownHours)[weekday - 1] ?? CLOSED;
  if (stretches.length === 0) return [];
  const wall = openLocalDay(place.timeZone, day);
  const slots: VisitSlot[] = [];
  for (const { opens, closes } of stretches.toSorted((one, other) => (one.opens < other.opens ? -1 : 1))) {
    const last = parseMinutes(closes) - rules.slotMinutes;
    for (let minutes = parseMinutes(opens); minutes <= last; minutes += rules.slotMinutes) {
      const startAt = wall.at(minutes);
      // If two intervals overlap, the first one takes precedence.
      if (!startAt || startAt < (slots.at(-1)?.endAt ?? startAt)) continue;
      const length = rules.slotMinutes * 60_000;
      const endAt = earlierOf(
        new Date(startAt.getTime() + length),
        wall.atOrAfterGap(minutes + rules.slotMinutes),
      );
      slots.push(createSlot(rules, { place, startAt, endAt, isPriority: weekday > 5 || minutes < 7 * 60 }));
    }
  }
  return slots;
}

const earlierOf = (one: Date, other: Date): Date => (one < other ? one : other);

/** `08:30` is 510, `24:00` is 1440. */
function parseMinutes(time: string): number {
  const [hours = '', minutes = ''] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

interface SlotDraft {
  readonly place: VisitLocation;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly isPriority: boolean;
}

/** Deterministic: depends only on seed, location and time. */
function createSlot(rules: SeededSlotRules, { place, startAt, endAt, isPriority }: SlotDraft): VisitSlot {
  const slotId = `${rules.prefix}-${place.code}-${(startAt.getTime() / 60_000).toString(36)}`;
  const isFull = hashToUnitInterval(`${rules.seed}/full/${slotId}`) < rules.shareTaken;
  const places = 1 + Math.floor(hashToUnitInterval(`${rules.seed}/places/${slotId}`) * rules.capacityMax);
  const isDear = isPriority && rules.priorityPrice !== null;
  return {
    slotId,
    startAt,
    endAt,
    places: isFull ? 0 : places,
    price: isDear ? (rules.priorityPrice ?? 0) : 0,
    isPriority: isDear,
  };
}

/** Hashes a text uniformly to [0, 1): FNV-1a with the finalizer of MurmurHash3. */
export function hashToUnitInterval(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
