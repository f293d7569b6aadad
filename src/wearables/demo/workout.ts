import { MINUTE, SECOND } from '../../platform/clock.ts';
import { openLocalDay, weekdayOf } from '../../platform/time-zone.ts';
import type { SportSlug } from '../sports.ts';
import { wander } from './chance.ts';
import type { Night } from './night.ts';
import type { Person } from './person.ts';
import { trackAround, type Point } from './track.ts';

/** What a sport is like: how fast at full effort, how many steps, how much it takes, and how hard people go at it. */
interface SportTraits {
  /** Meters a second at full effort; 0 where one stays in place. */
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
const STILL: SportTraits = { speed: 0, stepsPerMinute: 0, met: 4, effort: 0.4 };

/** One moment of a workout. */
export interface Tick {
  readonly at: number;
  readonly bpm: number;
  /** Meters a second. */
  readonly speed: number;
  /** Meters since the start. */
  readonly distance: number;
  readonly where: Point | null;
}

export interface Workout {
  readonly day: string;
  readonly sport: SportSlug;
  readonly from: number;
  readonly until: number;
  readonly ticks: readonly Tick[];
  /** Each minute of it. */
  readonly stepsPerMinute: number;
  /** Kilocalories beyond those of rest, each minute. */
  readonly kcalPerMinute: number;
  /** Whether its meters are walked: those of a bicycle are not. */
  readonly onFoot: boolean;
}

export const TICK = 5 * SECOND;
/** The heart follows the legs with this delay. */
const LAG = 45 * SECOND;

/** The workout of a day, before work or after it; most days have none. It never meets the night. */
export function workoutOf(
  person: Person,
  { day, night }: { day: string; night: Night },
): Workout | undefined {
  const chance = person.chance.of(`workout/${day}`);
  if (chance.at(0) > person.training) return undefined;
  const sport = person.sports[Math.floor(chance.at(1) * person.sports.length)] ?? 'walking';
  const minutes = Math.round(chance.between(2, 25, sport === 'cycling' ? 75 : 55));
  const isMorning = chance.at(3) < 0.35;
  const evening = openLocalDay(person.zone, day).reached(Math.round(chance.between(4, 16.5 * 60, 18.5 * 60)));
  const morning = night.until + Math.round(chance.between(5, 35, weekdayOf(day) > 5 ? 150 : 50)) * MINUTE;
  const from = (isMorning ? morning : evening.getTime()) + Math.round(chance.at(6) * 59) * SECOND;
  const traits = TRAITS[sport] ?? STILL;
  const ticks = ticksOf(person, { day, from, minutes, traits });
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

interface Course {
  readonly day: string;
  readonly from: number;
  readonly minutes: number;
  readonly traits: SportTraits;
}

function ticksOf(person: Person, { day, from, minutes, traits }: Course): Tick[] {
  const chance = person.chance.of(`effort/${day}`);
  const pace = chance.of('pace');
  const spare = person.maxBpm - person.restingBpm;
  const count = (minutes * MINUTE) / TICK + 1;
  // At the gate the heart knows already what comes.
  let heart = 0.2;
  let distance = 0;
  const run = Array.from({ length: count }, (_, tick) => {
    const since = tick * TICK;
    const warm = 0.75 + 0.25 * Math.min(1, since / (5 * MINUTE));
    const effort = traits.effort * warm * (1 + 0.1 * wander(chance, since, 4 * MINUTE));
    const speed = traits.speed * person.pace * effort * (1 + 0.03 * wander(pace, since, 20 * SECOND));
    if (tick > 0) {
      heart += (effort - heart) * (1 - Math.exp(-TICK / LAG));
      distance += (speed * TICK) / SECOND;
    }
    return { at: from + since, speed, distance, bpm: Math.round(person.restingBpm + spare * heart) };
  });
  const { place } = person;
  if (place === null || distance === 0) return run.map((tick) => ({ ...tick, where: null }));
  const laps = Math.max(1, Math.ceil(distance / place.loop));
  const whereAt = trackAround(place, { meters: distance / laps, chance: chance.of('track') });
  return run.map((tick) => ({ ...tick, where: whereAt(tick.distance) }));
}

/** The beats at a moment of it. */
export function bpmIn({ from, ticks }: Workout, moment: number): number {
  const index = Math.min(ticks.length - 1, Math.floor((moment - from) / TICK));
  return ticks[index]?.bpm ?? 0;
}

/** How long a workout and a span have in common, in minutes. */
export const minutesIn = (
  { from, until }: Pick<Workout, 'from' | 'until'>,
  start: number,
  end: number,
): number => Math.max(0, Math.min(until, end) - Math.max(from, start)) / MINUTE;

/** Meters between two moments. */
export function metersIn(workout: Workout, start: number, end: number): number {
  return distanceAt(workout, end) - distanceAt(workout, start);
}

function distanceAt({ from, ticks }: Workout, moment: number): number {
  const tick = (moment - from) / TICK;
  if (tick <= 0) return 0;
  const [one, next] = [ticks[Math.floor(tick)], ticks[Math.floor(tick) + 1]];
  if (!one || !next) return ticks.at(-1)?.distance ?? 0;
  return one.distance + (next.distance - one.distance) * (tick - Math.floor(tick));
}
