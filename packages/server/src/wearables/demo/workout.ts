import { MINUTE, SECOND } from '../../platform/clock.ts';
import { openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import type { SportSlug } from '../../readings/readings.ts';
import { smoothNoise } from './random.ts';
import type { DemoNight } from './night.ts';
import type { DemoPerson } from './person.ts';
import { createLoop, type DemoTrackPoint } from './track.ts';

/** The parameters of a sport. `effort` is the typical relative effort. */
interface SportTraits {
  /** Meters per second at full effort; 0 for stationary sports. */
  readonly speed: number;
  readonly stepsPerMinute: number;
  /** Metabolic equivalents at full effort (after the Compendium of Physical Activities). */
  readonly met: number;
  readonly effort: number;
}

// prettier-ignore
const TRAITS: { readonly [S in SportSlug]?: SportTraits } = {
  running:           { speed: 4.3, stepsPerMinute: 166, met: 14,  effort: 0.72 },
  walking:           { speed: 2.4, stepsPerMinute: 112, met: 7,   effort: 0.55 },
  cycling:           { speed: 9.6, stepsPerMinute: 0,   met: 12,  effort: 0.65 },
  strength_training: { speed: 0,   stepsPerMinute: 8,   met: 6.5, effort: 0.5 },
};
const DEFAULT_TRAITS: SportTraits = { speed: 0, stepsPerMinute: 0, met: 4, effort: 0.4 };

/** One measurement of a workout. */
export interface DemoTick {
  readonly at: number;
  readonly bpm: number;
  /** Meters per second. */
  readonly speed: number;
  /** Meters since the start. */
  readonly distance: number;
  readonly where: DemoTrackPoint | null;
}

export interface DemoWorkout {
  readonly day: string;
  readonly sport: SportSlug;
  readonly from: number;
  readonly until: number;
  readonly ticks: readonly DemoTick[];
  /** During the whole workout. */
  readonly stepsPerMinute: number;
  /** Active kilocalories per minute. */
  readonly kcalPerMinute: number;
  /** Whether its distance counts as walking distance. */
  readonly onFoot: boolean;
}

export const TICK_MS = 5 * SECOND;
/** The time constant with which the heart rate follows the effort. */
const HEART_RATE_LAG_MS = 45 * SECOND;

/** The workout of a day, in the morning or in the evening; many days have none. It never overlaps the night. */
export function createWorkout(
  person: DemoPerson,
  { day, night }: { day: string; night: DemoNight },
): DemoWorkout | undefined {
  const chance = person.chance.of(`workout/${day}`);
  if (chance.at(0) > person.training) return undefined;
  const sport = person.sports[Math.floor(chance.at(1) * person.sports.length)] ?? 'walking';
  const minutes = Math.round(chance.between(2, 25, sport === 'cycling' ? 75 : 55));
  const isMorning = chance.at(3) < 0.35;
  const evening = openLocalDay(person.zone, day).atOrAfterGap(
    Math.round(chance.between(4, 16.5 * 60, 18.5 * 60)),
  );
  const morning = night.until + Math.round(chance.between(5, 35, weekdayOf(day) > 5 ? 150 : 50)) * MINUTE;
  const from = (isMorning ? morning : evening.getTime()) + Math.round(chance.at(6) * 59) * SECOND;
  const traits = TRAITS[sport] ?? DEFAULT_TRAITS;
  const ticks = createTicks(person, { day, from, minutes, traits });
  return {
    day,
    sport,
    from,
    until: from + minutes * MINUTE,
    ticks,
    stepsPerMinute: traits.stepsPerMinute,
    kcalPerMinute: (traits.effort * traits.met - 1) * (person.weightKg / 60),
    onFoot: traits.stepsPerMinute > 50,
  };
}

interface DemoWorkoutInput {
  readonly day: string;
  readonly from: number;
  readonly minutes: number;
  readonly traits: SportTraits;
}

function createTicks(person: DemoPerson, { day, from, minutes, traits }: DemoWorkoutInput): DemoTick[] {
  const chance = person.chance.of(`effort/${day}`);
  const pace = chance.of('pace');
  const spare = person.maxBpm - person.restingBpm;
  const count = (minutes * MINUTE) / TICK_MS + 1;
  // The heart rate is already raised at the start.
  let heart = 0.2;
  let distance = 0;
  const run = Array.from({ length: count }, (_, tick) => {
    const since = tick * TICK_MS;
    const warm = 0.75 + 0.25 * Math.min(1, since / (5 * MINUTE));
    const effort = traits.effort * warm * (1 + 0.1 * smoothNoise(chance, since, 4 * MINUTE));
    const speed = traits.speed * person.pace * effort * (1 + 0.03 * smoothNoise(pace, since, 20 * SECOND));
    if (tick > 0) {
      heart += (effort - heart) * (1 - Math.exp(-TICK_MS / HEART_RATE_LAG_MS));
      distance += (speed * TICK_MS) / SECOND;
    }
    return { at: from + since, speed, distance, bpm: Math.round(person.restingBpm + spare * heart) };
  });
  const { place } = person;
  if (place === null || distance === 0) return run.map((tick) => ({ ...tick, where: null }));
  const laps = Math.max(1, Math.ceil(distance / place.loop));
  const whereAt = createLoop(place, { meters: distance / laps, chance: chance.of('track') });
  return run.map((tick) => ({ ...tick, where: whereAt(tick.distance) }));
}

/** The heart rate at a timestamp. */
export function bpmDuring({ from, ticks }: DemoWorkout, moment: number): number {
  const index = Math.min(ticks.length - 1, Math.floor((moment - from) / TICK_MS));
  return ticks[index]?.bpm ?? 0;
}

/** The overlap of a workout and an interval, in minutes. */
export const overlapMinutes = (
  { from, until }: Pick<DemoWorkout, 'from' | 'until'>,
  start: number,
  end: number,
): number => Math.max(0, Math.min(until, end) - Math.max(from, start)) / MINUTE;

/** Meters between two timestamps. */
export function metersBetween(workout: DemoWorkout, start: number, end: number): number {
  return distanceAt(workout, end) - distanceAt(workout, start);
}

function distanceAt({ from, ticks }: DemoWorkout, moment: number): number {
  const tick = (moment - from) / TICK_MS;
  if (tick <= 0) return 0;
  const [one, next] = [ticks[Math.floor(tick)], ticks[Math.floor(tick) + 1]];
  if (!one || !next) return ticks.at(-1)?.distance ?? 0;
  return one.distance + (next.distance - one.distance) * (tick - Math.floor(tick));
}
