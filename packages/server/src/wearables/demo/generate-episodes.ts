import { MINUTE, SECOND, isoTimestamp } from '../../platform/clock.ts';
import { addDays, openLocalDay } from '../../platform/time-zone.ts';
import type { HealthReading, SummaryReading } from '../../readings/readings.ts';
import {
  endsWithin,
  mainOrigin,
  sampleAt,
  sampleOver,
  yieldNewSamples,
  type DemoContext,
} from './context.ts';
import { dayNumber, isDayOf } from './generate-rare.ts';
import type { DemoDay } from './life.ts';
import type { DemoPerson } from './person.ts';
import { roundTo } from './random.ts';

const summaryOf = (
  telling: DemoContext,
  summary: Pick<SummaryReading, 'resource' | 'key' | 'at' | 'day' | 'body'>,
): SummaryReading => ({ kind: 'summary', origin: mainOrigin(telling), raw: null, ...summary });

const atLocal = ({ life: { person } }: DemoContext, { day }: DemoDay, minutes: number): number =>
  openLocalDay(person.zone, day).atOrAfterGap(minutes).getTime();

/** Grams, but kilocalories for `energy`. */
// prettier-ignore
const MEALS = [
  { name: 'breakfast', food: 'Oatmeal with berries', minutes: 8 * 60,       carbs: 52, protein: 12, fat: 9,  fibre: 8,  sugar: 14 },
  { name: 'lunch',     food: 'Chicken salad',        minutes: 12.5 * 60,    carbs: 38, protein: 34, fat: 18, fibre: 7,  sugar: 8 },
  { name: 'dinner',    food: 'Pasta with vegetables', minutes: 19 * 60,     carbs: 78, protein: 22, fat: 16, fibre: 10, sugar: 11 },
];

/** Three meals a day, as a food diary has them. */
export function* generateMeals(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const chance = telling.life.person.chance.of(`diary/${day.day}`);
  for (const [index, meal] of MEALS.entries()) {
    const at = atLocal(telling, day, meal.minutes + Math.floor(chance.between(index, 0, 45)));
    if (!endsWithin(telling, at)) continue;
    const size = chance.between(10 + index, 0.75, 1.3);
    const grams = (amount: number) => roundTo(amount * size, 1);
    const [carbs, protein, fat] = [grams(meal.carbs), grams(meal.protein), grams(meal.fat)];
    const nutrition = {
      energy: { unit: 'kcal', value: Math.round(4 * carbs + 4 * protein + 9 * fat) },
      macros: {
        carbs,
        protein,
        fats: { saturated: roundTo(fat * 0.3, 1), total: fat },
        fibre: grams(meal.fibre),
        sugar: grams(meal.sugar),
      },
      micros: {
        minerals: { sodium: grams(0.6), iron: grams(0.004) },
        trace_elements: null,
        vitamins: { vitamin_c: grams(0.03) },
      },
    };
    const body = {
      timestamp: isoTimestamp(new Date(at)),
      name: meal.name,
      ...nutrition,
      data: { [meal.food]: nutrition },
    };
    yield summaryOf(telling, { resource: 'meal', key: `${day.day}/${meal.name}`, at, day: day.day, body });
  }
}

const FIRST_YEAR_WITH_CYCLES = '1975';
const FLOWS = ['medium', 'heavy', 'medium', 'light', 'light', 'light'];

/** The cycles of a woman below fifty: told when the period ends, and again when the cycle ends. */
export function* generateMenstrualCycle(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { person } = telling.life;
  if (person.sex !== 'female' || person.birthDate < FIRST_YEAR_WITH_CYCLES) return;
  const chance = person.chance.of('cycle');
  const length = Math.round(chance.between(0, 25, 29));
  const bleeding = Math.round(chance.between(1, 4, 6));
  const position = (dayNumber(day.day) + Math.floor(chance.at(2) * length)) % length;
  const isLast = position === length - 1;
  const at = atLocal(telling, day, 20 * 60);
  if ((!isLast && position !== bleeding - 1) || !endsWithin(telling, at)) return;
  const start = addDays(day.day, -position);
  const on = (offset: number) => addDays(start, offset);
  const body = {
    period_start: start,
    period_end: on(bleeding - 1),
    cycle_end: isLast ? day.day : null,
    is_predicted: false,
    menstrual_flow: FLOWS.slice(0, bleeding).map((flow, index) => ({ date: on(index), flow })),
    cervical_mucus: isLast ? [{ date: on(12), quality: 'egg_white' }] : [],
    ovulation_test: isLast ? [{ date: on(13), test_result: 'positive' }] : [],
  };
  yield summaryOf(telling, {
    resource: 'menstrual_cycle',
    key: start,
    at: Date.parse(start),
    day: start,
    body,
  });
}

const ECG = { name: 'electrocardiogram', everyDays: 14 };
const ECG_MS = 30 * SECOND;
/** Recordings of 512 Hz would be half of all samples of a demo. */
const ECG_STEP_MS = 20;

/** A recording of thirty seconds, with its voltages. */
export function* generateElectrocardiogram(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { person } = telling.life;
  if (!isDayOf(person, day.day, ECG)) return;
  const at = atLocal(telling, day, 10 * 60);
  if (!endsWithin(telling, at + ECG_MS)) return;
  const bpm = person.restingBpm + Math.round(person.chance.of(`ecg/${day.day}`).between(0, 4, 14));
  const count = ECG_MS / ECG_STEP_MS;
  const origin = mainOrigin(telling);
  const body = {
    session_start: isoTimestamp(new Date(at)),
    session_end: isoTimestamp(new Date(at + ECG_MS)),
    time_zone: person.zone,
    voltage_sample_count: count,
    sampling_frequency_hz: 1000 / ECG_STEP_MS,
    heart_rate_mean: bpm,
    classification: 'sinus_rhythm',
    inconclusive_cause: null,
    algorithm_version: '2',
  };
  yield summaryOf(telling, { resource: 'electrocardiogram', key: `ecg-${day.day}`, at, day: day.day, body });
  const samples = Array.from({ length: count }, (_, index) => ({
    ...sampleAt(day, at + index * ECG_STEP_MS, voltageAt(index * ECG_STEP_MS, bpm)),
    type: 'lead_1',
  }));
  yield { kind: 'samples', resource: 'electrocardiogram_voltage', origin, samples };
}

/** The waves of a heartbeat: where in the beat, how wide (both as a part of it), and how high in millivolts. */
const WAVES = [
  [0.2, 0.03, 0.12],
  [0.35, 0.02, -0.1],
  [0.38, 0.02, 1.05],
  [0.42, 0.02, -0.22],
  [0.65, 0.05, 0.28],
] as const;

function voltageAt(elapsedMs: number, bpm: number): number {
  const part = (elapsedMs / ((60 * SECOND) / bpm)) % 1;
  return roundTo(
    WAVES.reduce(
      (sum, [center, width, height]) => sum + height * Math.exp(-(((part - center) / width) ** 2)),
      0,
    ),
    3,
  );
}

/** What a watch adds to a workout: how long and how far, and how the pulse recovers in the minute after it. */
export function* generateWorkoutSeries(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { workout } = day;
  if (!workout) return;
  const { person } = telling.life;
  const origin = mainOrigin(telling);
  const { from, until } = workout;
  const minutes = roundTo((until - from) / MINUTE, 1);
  const duration = {
    ...sampleOver(day, { from, until, value: minutes }),
    more: { intensity: intensityOf(person) },
  };
  yield* yieldNewSamples(telling, { resource: 'workout_duration', origin, samples: [duration] });
  const meters = roundTo(workout.ticks.at(-1)?.distance ?? 0, 0);
  const distances = meters === 0 ? [] : [sampleOver(day, { from, until, value: meters })];
  yield* yieldNewSamples(telling, { resource: 'workout_distance', origin, samples: distances });
  const recovered = Math.round(18 + 22 * person.chance.of(`recovery/${day.day}`).at(0));
  yield* yieldNewSamples(telling, {
    resource: 'heart_rate_recovery_one_minute',
    origin,
    samples: [sampleOver(day, { from: until, until: until + MINUTE, value: recovered })],
  });
}

const intensityOf = ({ pace }: DemoPerson): string => (pace > 1 ? 'high' : 'medium');
