import { HOUR } from '../../platform/clock.ts';
import type { HealthReading, HealthSample, SampledResource } from '../../readings/readings.ts';
import { roundTo } from './random.ts';
import { mean, getRestingBpm } from './heart.ts';
import { heartSamples } from './generate-heart.ts';
import type { DemoDay } from './life.ts';
import { SLOT_MS, type MovementAmounts, type MovementSlot } from './movement.ts';
import {
  hasEnded,
  mainOrigin,
  otherOrigin,
  sampleOver,
  yieldNewSamples,
  yieldAsInstants,
  type DemoContext,
} from './context.ts';

const PHONE = { manufacturer: 'Apple Inc.', model: 'iPhone15,2', version: '18.4' };

// prettier-ignore
const COUNTERS: readonly { resource: SampledResource; of: keyof MovementAmounts; atMoment: boolean }[] = [
  { resource: 'steps',           of: 'steps',  atMoment: false },
  { resource: 'distance',        of: 'meters', atMoment: false },
  { resource: 'calories_active', of: 'kcal',   atMoment: false },
  { resource: 'floors_climbed',  of: 'floors', atMoment: true },
];

/** The counts of a day at the provider's granularity, its daily summary, and the basal energy. */
export function* generateMovement(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { generator } = telling;
  if (!generator.movement) return;
  const known = day.slots.filter((slot) => hasEnded(telling, slot));
  // The summary must equal the sum of the samples, so slots of an incomplete count are left out of both.
  const grain = generator.countSlots ?? 1;
  const whole = known.slice(0, known.length - (known.length % grain));
  const origin = mainOrigin(telling);
  if (generator.countSlots !== null) {
    for (const { resource, of, atMoment } of COUNTERS) {
      const samples = toCountSamples(day, { slots: whole, grain, of: (slot) => (slot.worn ? slot[of] : 0) });
      yield* (atMoment ? yieldAsInstants : yieldNewSamples)(telling, { resource, origin, samples });
    }
    yield* generatePhoneCounts(telling, { day, slots: whole });
    yield* yieldAsInstants(telling, {
      resource: 'calories_basal',
      origin,
      samples: toBasalSamples(telling, day),
    });
  }
  yield* generateActivitySummary(telling, { day, slots: whole });
}

interface CounterInput {
  readonly slots: readonly MovementSlot[];
  readonly grain: number;
  readonly of: (slot: MovementSlot) => number;
}

/** Zero counts yield no sample. */
function toCountSamples(day: DemoDay, { slots, grain, of }: CounterInput): HealthSample[] {
  const starts = slots.filter((_, index) => index % grain === 0);
  return starts.flatMap(({ at }, index) => {
    const value = roundTo(sumOf(slots.slice(index * grain, (index + 1) * grain).map(of)), 1);
    if (value === 0) return [];
    return [sampleOver(day, { from: at, until: at + grain * SLOT_MS, value })];
  });
}

function* generatePhoneCounts(
  telling: DemoContext,
  { day, slots }: { day: DemoDay; slots: readonly MovementSlot[] },
): Iterable<HealthReading> {
  if (!telling.generator.phone) return;
  const origin = otherOrigin(telling, { type: 'phone', device: PHONE });
  for (const { resource, of, atMoment } of COUNTERS) {
    if (of === 'kcal') continue;
    const samples = toCountSamples(day, { slots, grain: 1, of: ({ phone }) => phone?.[of] ?? 0 });
    yield* (atMoment ? yieldAsInstants : yieldNewSamples)(telling, { resource, origin, samples });
  }
}

/** One sample per hour, generated when the hour has ended. */
function toBasalSamples({ life, to }: DemoContext, day: DemoDay): HealthSample[] {
  const hours = Math.ceil((day.end - day.start) / HOUR);
  return Array.from({ length: hours }, (_, hour) => {
    const from = day.start + hour * HOUR;
    const until = Math.min(from + HOUR, day.end);
    const value = roundTo((life.person.basalKcal * (until - from)) / (24 * HOUR), 1);
    return sampleOver(day, { from, until, value });
  }).filter(({ until }) => until <= to);
}

/** The merged count of a slot: the watch if it counted something, else the phone. */
function deduplicatedCount(telling: DemoContext, slot: MovementSlot, of: keyof MovementAmounts): number {
  if (slot.worn && slot[of] > 0) return slot[of];
  if (!telling.generator.phone || of === 'kcal') return 0;
  return slot.phone?.[of] ?? 0;
}

function* generateActivitySummary(
  telling: DemoContext,
  { day, slots }: { day: DemoDay; slots: readonly MovementSlot[] },
): Iterable<HealthReading> {
  const { life, generator } = telling;
  const last = slots.at(-1);
  if (!last) return;
  const total = (of: keyof MovementAmounts) =>
    roundTo(sumOf(slots.map((slot) => deduplicatedCount(telling, slot, of))), 1);
  const minutes = (of: 'low' | 'medium' | 'high') => Math.round(sumOf(slots.map((slot) => slot[of])));
  const active = total('kcal');
  const basal = sumOf(toBasalSamples(telling, day).map(({ value }) => value ?? 0));
  yield {
    kind: 'summary',
    resource: 'activity',
    origin: generator.phone
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
      heart_rate: summarizeHeartRate(telling, { day, slots }),
      wheelchair_use: null,
      wheelchair_push: null,
    },
    raw: null,
  };
}

function summarizeHeartRate(
  telling: DemoContext,
  { day, slots }: { day: DemoDay; slots: readonly MovementSlot[] },
) {
  const samples = heartSamples(telling, day).filter((sample) => hasEnded(telling, sample));
  const beats = samples.map(({ value }) => value ?? 0);
  if (beats.length === 0) return null;
  const walking = samples.filter(
    ({ at }) => (slots[Math.floor((at - day.start) / SLOT_MS)]?.steps ?? 0) > 200,
  );
  return {
    avg_bpm: Math.round(mean(beats)),
    min_bpm: Math.min(...beats),
    max_bpm: Math.max(...beats),
    resting_bpm: getRestingBpm(telling.life.person, day.night),
    avg_walking_bpm: walking.length > 0 ? Math.round(mean(walking.map(({ value }) => value ?? 0))) : null,
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
