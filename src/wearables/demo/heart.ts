import { HOUR, MINUTE } from '../../platform/clock.ts';
import { clamp, wander } from './chance.ts';
import type { Day, Life } from './life.ts';
import { SLOT } from './movement.ts';
import { stageAt, type Night, type Stage } from './night.ts';
import type { Person } from './person.ts';
import { bpmIn } from './workout.ts';

/** Beats a minute above rest, by stage: REM is a lively sleep. */
const ABOVE_REST: Readonly<Record<Stage, number>> = { 1: 0, 2: 2.5, 3: 6, 4: 10 };
const HRV_FACTOR: Readonly<Record<Stage, number>> = { 1: 1.12, 2: 1, 3: 0.88, 4: 0.8 };
/** After a workout the heart calms down by two thirds in this time. */
const CALMING = 7 * MINUTE;
const LONG_CALM = 8 * CALMING;

/** The night that a moment lies in; nobody is up between `from` and `until`. */
export function nightAt({ night, nextNight }: Day, moment: number): Night | undefined {
  if (moment >= night.from && moment < night.until) return night;
  if (moment >= nextNight.from && moment < nextNight.until) return nextNight;
  return undefined;
}

/** Beats a minute. */
export function bpmAt(life: Life, moment: number): number {
  const { person } = life;
  const day = life.at(moment);
  const { workout } = day;
  if (workout && moment >= workout.from && moment < workout.until) return bpmIn(workout, moment);
  const jitter = 3 * (person.chance.of('beat').at(Math.floor(moment / MINUTE)) - 0.5);
  const calm = calmBpm(life, { day, moment }) + jitter;
  const since = workout ? moment - workout.until : -1;
  const left =
    workout && since >= 0 && since < LONG_CALM
      ? Math.max(0, bpmIn(workout, workout.until) - calm) * Math.exp(-since / CALMING)
      : 0;
  return Math.round(clamp(calm + left, person.restingBpm - 6, person.maxBpm));
}

function calmBpm({ person }: Life, { day, moment }: { day: Day; moment: number }): number {
  const drift = person.chance.of('drift');
  const rest = person.restingBpm + 2 * wander(person.chance.of('rest'), moment, 60 * HOUR);
  const night = nightAt(day, moment);
  if (night) {
    const part = (moment - night.from) / (night.until - night.from);
    const settling = 7 * Math.max(0, 1 - part / 0.65);
    return (
      rest - 2 + settling + ABOVE_REST[stageAt(night, moment) ?? 2] + 2 * wander(drift, moment, 9 * MINUTE)
    );
  }
  // The day has its height in the afternoon.
  const tide = 4 * Math.cos(((day.wallMinutes(moment) - 15.5 * 60) / (12 * 60)) * Math.PI);
  const index = Math.floor((moment - day.start) / SLOT);
  const steps = (day.slots[index]?.steps ?? 0) * 0.7 + (day.slots[index - 1]?.steps ?? 0) * 0.3;
  const moving = 48 * (1 - Math.exp(-Math.min(steps, 560) / 320));
  return rest + 13 + tide + moving + 5 * wander(drift, moment, 25 * MINUTE);
}

/** Milliseconds, RMSSD. */
export function hrvAt({ person, at }: Life, moment: number): number {
  const day = at(moment);
  const night = nightAt(day, moment);
  const factor = night ? HRV_FACTOR[stageAt(night, moment) ?? 2] : 0.72;
  const mood = 1 + 0.12 * wander(person.chance.of('mood'), moment, 40 * HOUR);
  const noise = 1 + 0.12 * wander(person.chance.of('hrv'), moment, 11 * MINUTE);
  return Math.round(clamp(person.hrvMs * factor * mood * noise, 8, 180));
}

/** Breaths a minute. */
export function breathsAt({ person, at }: Life, moment: number): number {
  const night = nightAt(at(moment), moment);
  const lively = night && stageAt(night, moment) === 3 ? 0.8 : 0;
  const noise = 0.6 * wander(person.chance.of('breath'), moment, 17 * MINUTE);
  return clamp(person.breathsPerMinute + lively + noise, 9, 22);
}

/** Percent. */
export const oxygenAt = ({ person }: Life, moment: number): number =>
  Math.round(clamp(96.6 + 1.6 * wander(person.chance.of('oxygen'), moment, 35 * MINUTE), 92, 100));

export const averageOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/** The rate that a person has who lies still, on one night. */
export const restingIn = (person: Person, night: Night): number =>
  Math.round(person.restingBpm + 2 * wander(person.chance.of('rest'), night.until, 60 * HOUR));
