import { DAY } from '../../platform/clock.ts';
import { addDays, localDay, openLocalDay } from '../../platform/time-zone.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { createLife } from './life.ts';
import { createPerson } from './person.ts';
import { generateBody, generateProfile } from './generate-body.ts';
import {
  generateElectrocardiogram,
  generateMeals,
  generateMenstrualCycle,
  generateWorkoutSeries,
} from './generate-episodes.ts';
import { generateGlucose } from './generate-glucose.ts';
import { generateHeart } from './generate-heart.ts';
import { DEMO_GENERATORS, type DemoProvider } from './generators.ts';
import { generateRare } from './generate-rare.ts';
import { generateMovement } from './generate-movement.ts';
import { generateSleep } from './generate-sleep.ts';
import { generateWorkout } from './generate-workout.ts';
import type { DemoContext } from './context.ts';

export { listDemoResources, type DemoProvider } from './generators.ts';

/** The slugs of the providers with a demo. */
export const DEMO_PROVIDERS = Object.keys(DEMO_GENERATORS) as readonly DemoProvider[];

export interface DemoReadingsInput {
  readonly userId: string;
  /** What the person is derived from. Default: the user's id. */
  readonly seed?: string | undefined;
  readonly provider: DemoProvider;
  readonly from: Date;
  /** Measurements that end later are not generated yet. */
  readonly to: Date;
  /** Default: the zone of a location derived from the id. */
  readonly timeZone?: string | undefined;
}

/**
 * Generates the readings of a fictional person as a provider would send them. Deterministic in the seed and the
 * time: an instant gives the same values in every interval, and consecutive intervals neither skip nor repeat
 * readings, except for the summaries of shared days, which grow. Daily summaries equal the sums of their samples; for
 * Apple, where phone and watch count the same steps, they equal the result of mergeIntervals. An interval of a day or
 * more is extended to the start of its first day, so that this holds for that day too.
 */
export function* generateDemoReadings({
  userId,
  seed,
  provider,
  from,
  to,
  timeZone,
}: DemoReadingsInput): Iterable<HealthReading> {
  const person = createPerson(userId, timeZone, seed);
  const { zone } = person;
  const firstDay = localDay(zone, from);
  const isLong = to.getTime() - from.getTime() >= DAY;
  const telling: DemoContext = {
    life: createLife(person),
    provider,
    generator: DEMO_GENERATORS[provider],
    from: isLong ? openLocalDay(zone, firstDay).atOrAfterGap(0).getTime() : from.getTime(),
    to: to.getTime(),
  };
  if (telling.to <= telling.from) return;
  yield* generateProfile(telling);
  const lastDay = localDay(zone, to);
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) yield* generateDay(telling, day);
}

function* generateDay(telling: DemoContext, date: string): Iterable<HealthReading> {
  const day = telling.life.on(date);
  yield* generateSleep(telling, day);
  yield* generateBody(telling, day);
  yield* generateHeart(telling, day);
  yield* generateGlucose(telling, day);
  yield* generateWorkout(telling, day);
  yield* generateMovement(telling, day);
  yield* generateRare(telling, day, telling.generator.rare);
  if (telling.generator.meals) yield* generateMeals(telling, day);
  if (!telling.generator.episodes) return;
  yield* generateWorkoutSeries(telling, day);
  yield* generateMenstrualCycle(telling, day);
  yield* generateElectrocardiogram(telling, day);
}
