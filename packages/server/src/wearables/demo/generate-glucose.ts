import { HOUR, MINUTE } from '../../platform/clock.ts';
import { addDays, openLocalDay } from '../../platform/time-zone.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { clamp, roundTo, smoothNoise } from './random.ts';
import type { DemoDay, DemoLife } from './life.ts';
import type { DemoPerson } from './person.ts';
import { listGrid, mainOrigin, sampleAt, yieldNewSamples, type DemoContext } from './context.ts';

interface DemoMeal {
  readonly at: number;
  /** The peak rise of the glucose, in mmol/L. */
  readonly lift: number;
  /** Milliseconds from the meal to the peak. */
  readonly peak: number;
}

// prettier-ignore
const MEAL_PLAN: readonly { at: number; spread: number; grams: number; chance: number }[] = [
  { at: 12.5 * 60, spread: 40, grams: 65, chance: 0.95 },
  { at: 15.5 * 60, spread: 40, grams: 25, chance: 0.4 },
  { at: 19 * 60,   spread: 50, grams: 75, chance: 1 },
];
const BREAKFAST = { grams: 45, chance: 0.85 };

/** How long a meal affects the glucose. */
const MEAL_EFFECT_MS = 6 * HOUR;

/** The sensor measures all day, every 5 or every 15 minutes. */
export function* generateGlucose(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  if (!telling.generator.glucose) return;
  const { life } = telling;
  const step = life.person.chance.of('sensor').at(0) < 0.5 ? 5 : 15;
  const meals = [
    ...createMeals(life.person, life.on(addDays(day.day, -1))),
    ...createMeals(life.person, day),
  ];
  const samples = listGrid(step, { from: day.start, until: day.end }).map((at) => ({
    ...sampleAt(day, at, roundTo(glucoseAt(life, { day, meals, at }), 1)),
    type: 'automatic',
  }));
  yield* yieldNewSamples(telling, { resource: 'glucose', origin: mainOrigin(telling), samples });
}

function createMeals(person: DemoPerson, { day, night }: DemoDay): DemoMeal[] {
  const chance = person.chance.of(`meals/${day}`);
  const wall = openLocalDay(person.zone, day);
  const sensitivity = person.diabetic ? 0.075 : 0.04;
  const others = MEAL_PLAN.map(({ at, spread, ...meal }, index) => ({
    ...meal,
    at: wall.atOrAfterGap(Math.round(at + spread * chance.around(30 + index))).getTime(),
  }));
  const breakfast = { ...BREAKFAST, at: night.until + Math.round(chance.between(29, 20, 60)) * MINUTE };
  return [breakfast, ...others]
    .filter((meal, index) => chance.at(index) < meal.chance)
    .map(({ at, grams }, index) => ({
      at,
      lift: sensitivity * grams * chance.between(10 + index, 0.6, 1.3),
      peak: chance.between(20 + index, 38, 62) * MINUTE * (person.diabetic ? 1.35 : 1),
    }));
}

interface GlucoseInput {
  readonly day: DemoDay;
  readonly meals: readonly DemoMeal[];
  readonly at: number;
}

function glucoseAt({ person }: DemoLife, { day, meals, at }: GlucoseInput): number {
  const chance = person.chance.of('glucose');
  const fasting = person.diabetic ? chance.between(0, 6.2, 7.8) : chance.between(0, 4.7, 5.4);
  // Dawn phenomenon: the liver releases glucose in the early morning.
  const dawn = (person.diabetic ? 0.9 : 0.25) * Math.exp(-(((day.localMinutes(at) - 6 * 60) / 100) ** 2));
  const eaten = meals.reduce((sum, meal) => sum + glucoseRise(meal, at), 0);
  const noise =
    0.25 * smoothNoise(chance.of('slow'), at, 80 * MINUTE) + 0.1 * smoothNoise(chance, at, 12 * MINUTE);
  return clamp(fasting + dawn + eaten + noise - glucoseUptake(day, at), 3.2, 18);
}

/** Rises within an hour and falls within two more. */
function glucoseRise({ at: eaten, lift, peak }: DemoMeal, at: number): number {
  const since = (at - eaten) / peak;
  if (since <= 0 || at - eaten > MEAL_EFFECT_MS) return 0;
  return lift * (since * Math.exp(1 - since)) ** 1.6;
}

/** Muscles take up glucose during a workout; the effect decays in the hour after it. */
function glucoseUptake({ workout }: DemoDay, at: number): number {
  if (!workout || at < workout.from) return 0;
  const worked = Math.min(1, (at - workout.from) / (30 * MINUTE));
  const left = at < workout.until ? 1 : Math.exp(-(at - workout.until) / HOUR);
  return 0.8 * worked * left;
}
