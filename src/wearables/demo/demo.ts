import { DAY } from '../../platform/clock.ts';
import { dayAfter, localDay, openLocalDay } from '../../platform/time-zone.ts';
import type { Reading } from '../readings.ts';
import { lifeOf } from './life.ts';
import { personOf } from './person.ts';
import { tellBody, tellProfile } from './tell-body.ts';
import { tellGlucose } from './tell-glucose.ts';
import { tellHeart } from './tell-heart.ts';
import { TELLERS, type DemoProvider } from './tellers.ts';
import { tellMovement } from './tell-movement.ts';
import { tellSleep } from './tell-sleep.ts';
import { tellWorkout } from './tell-workout.ts';
import type { Telling } from './telling.ts';

export type { DemoProvider } from './tellers.ts';

/** The slugs of the providers that can be shown. */
export const DEMO_PROVIDERS = Object.keys(TELLERS) as readonly DemoProvider[];

export interface DemoAsk {
  readonly userId: string;
  readonly provider: DemoProvider;
  readonly from: Date;
  /** What is not over by then is not known yet. */
  readonly to: Date;
  /** Where they live; without it a place that follows from the id. */
  readonly timeZone?: string | undefined;
}

/**
 * What a provider would tell of a person who does not exist. Everything follows from the user's id and the moment: the
 * same moment says the same in whatever span it is asked for, and spans that follow one another miss nothing and
 * repeat nothing, but for the summaries of the days that they share, which grow. Sums of days are those of their
 * samples; Apple's phone and watch count the same steps both, and its days are what mergeIntervals makes of them.
 * A span of a day and more begins with its first day, so that this holds for that day as well.
 */
export function* demoReadings({ userId, provider, from, to, timeZone }: DemoAsk): Iterable<Reading> {
  const person = personOf(userId, timeZone);
  const { zone } = person;
  const firstDay = localDay(zone, from);
  const isLong = to.getTime() - from.getTime() >= DAY;
  const telling: Telling = {
    life: lifeOf(person),
    provider,
    teller: TELLERS[provider],
    from: isLong ? openLocalDay(zone, firstDay).reached(0).getTime() : from.getTime(),
    to: to.getTime(),
  };
  if (telling.to <= telling.from) return;
  yield* tellProfile(telling);
  const lastDay = localDay(zone, to);
  for (let day = firstDay; day <= lastDay; day = dayAfter(day, 1)) yield* tellOneDay(telling, day);
}

function* tellOneDay(telling: Telling, date: string): Iterable<Reading> {
  const day = telling.life.on(date);
  yield* tellSleep(telling, day);
  yield* tellBody(telling, day);
  yield* tellHeart(telling, day);
  yield* tellGlucose(telling, day);
  yield* tellWorkout(telling, day);
  yield* tellMovement(telling, day);
}
