import { HOUR, MINUTE } from '../../platform/clock.ts';
import { clamp, smoothNoise } from './random.ts';
import type { DemoDay, DemoLife } from './life.ts';
import { SLOT_MS } from './movement.ts';
import { stageAt, type DemoNight, type DemoSleepStage } from './night.ts';
import type { DemoPerson } from './person.ts';
import { bpmDuring } from './workout.ts';

/** Beats per minute above rest, by sleep stage. */
const ABOVE_REST: Readonly<Record<DemoSleepStage, number>> = { 1: 0, 2: 2.5, 3: 6, 4: 10 };
const HRV_FACTOR: Readonly<Record<DemoSleepStage, number>> = { 1: 1.12, 2: 1, 3: 0.88, 4: 0.8 };
/** The time constant of the heart rate's exponential recovery after a workout. */
const RECOVERY_MS = 7 * MINUTE;
const RECOVERY_END_MS = 8 * RECOVERY_MS;

/** The night that contains a timestamp. */
function nightAt({ night, nextNight }: DemoDay, moment: number): DemoNight | undefined {
  if (moment >= night.from && moment < night.until) return night;
  if (moment >= nextNight.from && moment < nextNight.until) return nextNight;
  return undefined;
}

/** Beats per minute. */
export function bpmAt(life: DemoLife, moment: number): number {
  const { person } = life;
  const day = life.at(moment);
  const { workout } = day;
  if (workout && moment >= workout.from && moment < workout.until) return bpmDuring(workout, moment);
  const jitter = 3 * (person.chance.of('beat').at(Math.floor(moment / MINUTE)) - 0.5);
  const calm = bpmWithoutWorkout(life, { day, moment }) + jitter;
  const since = workout ? moment - workout.until : -1;
  const left =
    workout && since >= 0 && since < RECOVERY_END_MS
      ? Math.max(0, bpmDuring(workout, workout.until) - calm) * Math.exp(-since / RECOVERY_MS)
      : 0;
  return Math.round(clamp(calm + left, person.restingBpm - 6, person.maxBpm));
}

function bpmWithoutWorkout({ person }: DemoLife, { day, moment }: { day: DemoDay; moment: number }): number {
  const drift = person.chance.of('drift');
  const rest = person.restingBpm + 2 * smoothNoise(person.chance.of('rest'), moment, 60 * HOUR);
  const night = nightAt(day, moment);
  if (night) {
    const part = (moment - night.from) / (night.until - night.from);
    const settling = 7 * Math.max(0, 1 - part / 0.65);
    return (
      rest -
      2 +
      settling +
      ABOVE_REST[stageAt(night, moment) ?? 2] +
      2 * smoothNoise(drift, moment, 9 * MINUTE)
    );
  }
  // Circadian peak in the afternoon.
  const tide = 4 * Math.cos(((day.localMinutes(moment) - 15.5 * 60) / (12 * 60)) * Math.PI);
  const index = Math.floor((moment - day.start) / SLOT_MS);
  const steps = (day.slots[index]?.steps ?? 0) * 0.7 + (day.slots[index - 1]?.steps ?? 0) * 0.3;
  const moving = 48 * (1 - Math.exp(-Math.min(steps, 560) / 320));
  return rest + 13 + tide + moving + 5 * smoothNoise(drift, moment, 25 * MINUTE);
}

/** RMSSD in milliseconds. */
export function hrvAt({ person, at }: DemoLife, moment: number): number {
  const day = at(moment);
  const night = nightAt(day, moment);
  const factor = night ? HRV_FACTOR[stageAt(night, moment) ?? 2] : 0.72;
  const mood = 1 + 0.12 * smoothNoise(person.chance.of('mood'), moment, 40 * HOUR);
  const noise = 1 + 0.12 * smoothNoise(person.chance.of('hrv'), moment, 11 * MINUTE);
  return Math.round(clamp(person.hrvMs * factor * mood * noise, 8, 180));
}

/** Breaths per minute. */
export function respiratoryRateAt({ person, at }: DemoLife, moment: number): number {
  const night = nightAt(at(moment), moment);
  const lively = night && stageAt(night, moment) === 3 ? 0.8 : 0;
  const noise = 0.6 * smoothNoise(person.chance.of('breath'), moment, 17 * MINUTE);
  return clamp(person.breathsPerMinute + lively + noise, 9, 22);
}

/** Percent. */
export const oxygenAt = ({ person }: DemoLife, moment: number): number =>
  Math.round(clamp(96.6 + 1.6 * smoothNoise(person.chance.of('oxygen'), moment, 35 * MINUTE), 92, 100));

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/** The resting heart rate of a night. */
export const getRestingBpm = (person: DemoPerson, night: DemoNight): number =>
  Math.round(person.restingBpm + 2 * smoothNoise(person.chance.of('rest'), night.until, 60 * HOUR));
