import { HOUR, MINUTE } from '../../platform/clock.ts';
import { dayAfter, openLocalDay } from '../../platform/time-zone.ts';
import type { Reading } from '../readings.ts';
import { clamp, roundTo, wander } from './chance.ts';
import type { Day, Life } from './life.ts';
import type { Person } from './person.ts';
import { gridOf, mainOrigin, sampleAt, told, type Telling } from './telling.ts';

interface Meal {
  readonly at: number;
  /** How high it lifts the glucose, in mmol/L. */
  readonly lift: number;
  /** How long after it the glucose is highest. */
  readonly peak: number;
}

// prettier-ignore
const MEALS: readonly { at: number; spread: number; grams: number; chance: number }[] = [
  { at: 12.5 * 60, spread: 40, grams: 65, chance: 0.95 },
  { at: 15.5 * 60, spread: 40, grams: 25, chance: 0.4 },
  { at: 19 * 60,   spread: 50, grams: 75, chance: 1 },
];
const BREAKFAST = { grams: 45, chance: 0.85 };

/** A meal is felt for so long. */
const FELT = 6 * HOUR;

/** The sensor measures all day, every five minutes or every fifteen. */
export function* tellGlucose(telling: Telling, day: Day): Iterable<Reading> {
  if (!telling.teller.glucose) return;
  const { life } = telling;
  const step = life.person.chance.of('sensor').at(0) < 0.5 ? 5 : 15;
  const meals = [...mealsOf(life.person, life.on(dayAfter(day.day, -1))), ...mealsOf(life.person, day)];
  const samples = gridOf(step, { from: day.start, until: day.end }).map((at) => ({
    ...sampleAt(day, at, roundTo(glucoseAt(life, { day, meals, at }), 1)),
    type: 'automatic',
  }));
  yield* told(telling, { resource: 'glucose', origin: mainOrigin(telling), samples });
}

function mealsOf(person: Person, { day, night }: Day): Meal[] {
  const chance = person.chance.of(`meals/${day}`);
  const wall = openLocalDay(person.zone, day);
  const sensitivity = person.diabetic ? 0.075 : 0.04;
  const others = MEALS.map(({ at, spread, ...meal }, index) => ({
    ...meal,
    at: wall.reached(Math.round(at + spread * chance.around(30 + index))).getTime(),
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

interface Moment {
  readonly day: Day;
  readonly meals: readonly Meal[];
  readonly at: number;
}

function glucoseAt({ person }: Life, { day, meals, at }: Moment): number {
  const chance = person.chance.of('glucose');
  const fasting = person.diabetic ? chance.between(0, 6.2, 7.8) : chance.between(0, 4.7, 5.4);
  // Before dawn the liver gives some.
  const dawn = (person.diabetic ? 0.9 : 0.25) * Math.exp(-(((day.wallMinutes(at) - 6 * 60) / 100) ** 2));
  const eaten = meals.reduce((sum, meal) => sum + liftOf(meal, at), 0);
  const noise = 0.25 * wander(chance.of('slow'), at, 80 * MINUTE) + 0.1 * wander(chance, at, 12 * MINUTE);
  return clamp(fasting + dawn + eaten + noise - usedUp(day, at), 3.2, 18);
}

/** Up within an hour, down again in two more. */
function liftOf({ at: eaten, lift, peak }: Meal, at: number): number {
  const since = (at - eaten) / peak;
  if (since <= 0 || at - eaten > FELT) return 0;
  return lift * (since * Math.exp(1 - since)) ** 1.6;
}

/** Muscles take it up in a workout, and give way in the hour after. */
function usedUp({ workout }: Day, at: number): number {
  if (!workout || at < workout.from) return 0;
  const worked = Math.min(1, (at - workout.from) / (30 * MINUTE));
  const left = at < workout.until ? 1 : Math.exp(-(at - workout.until) / HOUR);
  return 0.8 * worked * left;
}
