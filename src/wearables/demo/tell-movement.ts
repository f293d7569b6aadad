import { HOUR } from '../../platform/clock.ts';
import type { Reading, Sample, SampledResource } from '../readings.ts';
import { roundTo } from './chance.ts';
import { averageOf, restingIn } from './heart.ts';
import { heartSamples } from './tell-heart.ts';
import type { Day } from './life.ts';
import { SLOT, type Amounts, type Slot } from './movement.ts';
import { isOver, mainOrigin, otherOrigin, sampleOver, told, toldAsMoments, type Telling } from './telling.ts';

const PHONE = { manufacturer: 'Apple Inc.', model: 'iPhone15,2', version: '18.4' };

// prettier-ignore
const COUNTS: readonly { resource: SampledResource; of: keyof Amounts; atMoment: boolean }[] = [
  { resource: 'steps',           of: 'steps',  atMoment: false },
  { resource: 'distance',        of: 'meters', atMoment: false },
  { resource: 'calories_active', of: 'kcal',   atMoment: false },
  { resource: 'floors_climbed',  of: 'floors', atMoment: true },
];

/** Counts of a day in the provider's grain, its day as a whole, and what a body at rest takes. */
export function* tellMovement(telling: Telling, day: Day): Iterable<Reading> {
  const { teller } = telling;
  if (!teller.movement) return;
  const known = day.slots.filter((slot) => isOver(telling, slot));
  // Counts end with the day in any grain, so what a coarse one leaves open is left out of the day as well.
  const grain = teller.countSlots ?? 1;
  const whole = known.slice(0, known.length - (known.length % grain));
  const origin = mainOrigin(telling);
  if (teller.countSlots !== null) {
    for (const { resource, of, atMoment } of COUNTS) {
      const samples = countsOf(day, { slots: whole, grain, of: (slot) => (slot.worn ? slot[of] : 0) });
      yield* (atMoment ? toldAsMoments : told)(telling, { resource, origin, samples });
    }
    yield* tellPhone(telling, { day, slots: whole });
    yield* toldAsMoments(telling, { resource: 'calories_basal', origin, samples: basalOf(telling, day) });
  }
  yield* tellDay(telling, { day, slots: whole });
}

interface Counting {
  readonly slots: readonly Slot[];
  readonly grain: number;
  readonly of: (slot: Slot) => number;
}

/** Nothing is said of a time in which nothing was counted. */
function countsOf(day: Day, { slots, grain, of }: Counting): Sample[] {
  const starts = slots.filter((_, index) => index % grain === 0);
  return starts.flatMap(({ at }, index) => {
    const value = roundTo(sumOf(slots.slice(index * grain, (index + 1) * grain).map(of)), 1);
    if (value === 0) return [];
    return [sampleOver(day, { from: at, until: at + grain * SLOT, value })];
  });
}

function* tellPhone(
  telling: Telling,
  { day, slots }: { day: Day; slots: readonly Slot[] },
): Iterable<Reading> {
  if (!telling.teller.phone) return;
  const origin = otherOrigin(telling, { type: 'phone', device: PHONE });
  for (const { resource, of, atMoment } of COUNTS) {
    if (of === 'kcal') continue;
    const samples = countsOf(day, { slots, grain: 1, of: ({ phone }) => phone?.[of] ?? 0 });
    yield* (atMoment ? toldAsMoments : told)(telling, { resource, origin, samples });
  }
}

/** By the hour of the day, told when the hour is over. */
function basalOf({ life, to }: Telling, day: Day): Sample[] {
  const hours = Math.ceil((day.end - day.start) / HOUR);
  return Array.from({ length: hours }, (_, hour) => {
    const from = day.start + hour * HOUR;
    const until = Math.min(from + HOUR, day.end);
    const value = roundTo((life.person.basalKcal * (until - from)) / (24 * HOUR), 1);
    return sampleOver(day, { from, until, value });
  }).filter(({ until }) => until <= to);
}

/** What counts at a time when both were there: the watch where it counted something, else the phone. */
function counted(telling: Telling, slot: Slot, of: keyof Amounts): number {
  if (slot.worn && slot[of] > 0) return slot[of];
  if (!telling.teller.phone || of === 'kcal') return 0;
  return slot.phone?.[of] ?? 0;
}

function* tellDay(telling: Telling, { day, slots }: { day: Day; slots: readonly Slot[] }): Iterable<Reading> {
  const { life, teller } = telling;
  const last = slots.at(-1);
  if (!last) return;
  const total = (of: keyof Amounts) => roundTo(sumOf(slots.map((slot) => counted(telling, slot, of))), 1);
  const minutes = (of: 'low' | 'medium' | 'high') => Math.round(sumOf(slots.map((slot) => slot[of])));
  const active = total('kcal');
  const basal = sumOf(basalOf(telling, day).map(({ value }) => value ?? 0));
  yield {
    kind: 'summary',
    resource: 'activity',
    origin: teller.phone
      ? otherOrigin(telling, { type: 'multiple_sources', device: null })
      : mainOrigin(telling),
    key: day.day,
    at: day.start,
    day: day.day,
    body: {
      time_zone: life.person.zone,
      timezone_offset: day.offsetAt(day.start),
      calories_total: roundTo(active + basal, 1),
      calories_active: active,
      steps: total('steps'),
      daily_movement: total('meters'),
      distance: total('meters'),
      low: minutes('low'),
      medium: minutes('medium'),
      high: minutes('high'),
      floors_climbed: total('floors'),
      heart_rate: heartRateOf(telling, { day, slots }),
      wheelchair_use: null,
      wheelchair_push: null,
    },
    raw: null,
  };
}

function heartRateOf(telling: Telling, { day, slots }: { day: Day; slots: readonly Slot[] }) {
  const samples = heartSamples(telling, day).filter((sample) => isOver(telling, sample));
  const beats = samples.map(({ value }) => value ?? 0);
  if (beats.length === 0) return null;
  const walking = samples.filter(({ at }) => (slots[Math.floor((at - day.start) / SLOT)]?.steps ?? 0) > 200);
  return {
    avg_bpm: Math.round(averageOf(beats)),
    min_bpm: Math.min(...beats),
    max_bpm: Math.max(...beats),
    resting_bpm: restingIn(telling.life.person, day.night),
    avg_walking_bpm:
      walking.length > 0 ? Math.round(averageOf(walking.map(({ value }) => value ?? 0))) : null,
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
