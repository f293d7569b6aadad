import { dayAfter, localDay, openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import type { AvailabilityAsked, OpenHours, SchedulingProviderName, VisitPlace, VisitSlot } from './port.ts';

/** How a simulated provider keeps its books. Capacity is drawn for each slot, from 1 to `capacityMax`. */
export interface Bookkeeping {
  /** Names its slots and appointments. */
  readonly prefix: string;
  readonly slotMinutes: number;
  readonly capacityMax: number;
  /** Which share of all slots is full before anybody asks. */
  readonly shareTaken: number;
  /** In US dollars, for visits before seven in the morning and at weekends. Null: all visits are alike. */
  readonly priorityPrice: number | null;
  /** Where the place has no hours of its own: Monday first. */
  readonly ownHours: readonly (readonly OpenHours[])[];
}

const CLOSED: readonly OpenHours[] = [];
const from = (opens: string, closes: string): readonly OpenHours[] => [{ opens, closes }];
const week = (weekday: readonly OpenHours[], saturday: readonly OpenHours[]) => [
  ...Array.from({ length: 5 }, () => weekday),
  saturday,
  CLOSED,
];

const AT_CENTERS = week(from('07:00', '16:00'), CLOSED);
const AT_HOME = week(from('06:00', '18:00'), from('07:00', '13:00'));

// prettier-ignore
export const BOOKKEEPING: Readonly<Record<SchedulingProviderName, Bookkeeping>> = {
  quest:        { prefix: 'qst', slotMinutes: 15, capacityMax: 4, shareTaken: 0.35, priorityPrice: null, ownHours: AT_CENTERS },
  sonora_quest: { prefix: 'snq', slotMinutes: 20, capacityMax: 3, shareTaken: 0.3,  priorityPrice: null, ownHours: AT_CENTERS },
  getlabs:      { prefix: 'gtl', slotMinutes: 60, capacityMax: 2, shareTaken: 0.4,  priorityPrice: 35,   ownHours: AT_HOME },
  phlebfinders: { prefix: 'phf', slotMinutes: 60, capacityMax: 1, shareTaken: 0,    priorityPrice: null, ownHours: AT_HOME },
};

export interface SlotRules extends Bookkeeping {
  readonly seed: string;
}

/** The free slots of a place in the asked days, without those that have begun. */
export function slotsOf(
  rules: SlotRules,
  place: VisitPlace,
  { from: first, days, now }: Omit<AvailabilityAsked, 'places'>,
): VisitSlot[] {
  const slots: VisitSlot[] = [];
  for (let day = 0; day < days; day += 1) {
    for (const slot of slotsOfDay(rules, place, dayAfter(first, day))) {
      if (slot.places > 0 && slot.startAt > now) slots.push(slot);
    }
  }
  return slots;
}

/** The slot of this id as the place has it; undefined where it never had one. It may have no places left. */
export function findSlot(
  rules: SlotRules,
  place: VisitPlace,
  { slotId, startAt }: Pick<VisitSlot, 'slotId' | 'startAt'>,
): VisitSlot | undefined {
  const day = localDay(place.timeZone, startAt);
  return slotsOfDay(rules, place, day).find((slot) => slot.slotId === slotId);
}

/**
 * Every slot of a local day, full ones too. Slots stand where the clock on the wall says: a time that the wall does
 * not show that day has no slot, and one that it shows twice has its slot at the first. None goes beyond closing.
 */
function slotsOfDay(rules: SlotRules, place: VisitPlace, day: string): VisitSlot[] {
  const weekday = weekdayOf(day);
  const stretches = (place.hours ?? rules.ownHours)[weekday - 1] ?? CLOSED;
  if (stretches.length === 0) return [];
  const wall = openLocalDay(place.timeZone, day);
  const slots: VisitSlot[] = [];
  for (const { opens, closes } of stretches.toSorted((one, other) => (one.opens < other.opens ? -1 : 1))) {
    const last = minutesOf(closes) - rules.slotMinutes;
    for (let minutes = minutesOf(opens); minutes <= last; minutes += rules.slotMinutes) {
      const startAt = wall.at(minutes);
      // Where two stretches overlap, the first one has the time.
      if (!startAt || startAt < (slots.at(-1)?.endAt ?? startAt)) continue;
      const length = rules.slotMinutes * 60_000;
      const endAt = earlier(new Date(startAt.getTime() + length), wall.reached(minutes + rules.slotMinutes));
      slots.push(drawn(rules, { place, startAt, endAt, isPriority: weekday > 5 || minutes < 7 * 60 }));
    }
  }
  return slots;
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** `08:30` is 510, `24:00` is 1440. */
function minutesOf(time: string): number {
  const [hours = '', minutes = ''] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

interface Bare {
  readonly place: VisitPlace;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly isPriority: boolean;
}

/** What the dice say of a slot: the same for the same seed, place and moment, whoever asks and when. */
function drawn(rules: SlotRules, { place, startAt, endAt, isPriority }: Bare): VisitSlot {
  const slotId = `${rules.prefix}-${place.code}-${(startAt.getTime() / 60_000).toString(36)}`;
  const isFull = share(`${rules.seed}/full/${slotId}`) < rules.shareTaken;
  const places = 1 + Math.floor(share(`${rules.seed}/places/${slotId}`) * rules.capacityMax);
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

/** From 0 up to 1, spread evenly over texts: FNV-1a with the last mixing of MurmurHash3. */
export function share(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
