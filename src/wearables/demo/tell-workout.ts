// The package is CommonJS in Node, whatever else it says: it has a default there and no names.
// oxlint-disable-next-line import/default
import polyline from '@googlemaps/polyline-codec';
import { isoMoment } from '../../platform/clock.ts';
import { sportOf } from '../sports.ts';
import type { Reading, StreamColumns } from '../readings.ts';
import { roundTo } from './chance.ts';
import { averageOf } from './heart.ts';
import type { Day } from './life.ts';
import { endsIn, mainOrigin, type Telling } from './telling.ts';
import { minutesIn, TICK, type Tick, type Workout } from './workout.ts';

/** The workout of a day, and second by second where the provider tells that; when it is over. */
export function* tellWorkout(telling: Telling, day: Day): Iterable<Reading> {
  const { workout } = day;
  if (!telling.teller.movement || !workout || !endsIn(telling, workout.until)) return;
  const origin = mainOrigin(telling);
  const key = `workout-${day.day}`;
  const body = { ...bodyOf(telling, { day, workout }), provider_id: key };
  yield {
    kind: 'summary',
    resource: 'workouts',
    origin,
    key,
    at: workout.from,
    day: day.day,
    body,
    raw: null,
  };
  if (telling.teller.streams) {
    yield { kind: 'workout_stream', origin, workoutKey: key, columns: columnsOf(workout) };
  }
}

function bodyOf({ life, teller }: Telling, { day, workout }: { day: Day; workout: Workout }) {
  const { ticks } = workout;
  const { name, slug, id } = sportOf(workout.sport);
  const minutes = minutesIn(workout, workout.from, workout.until);
  const beats = ticks.map(({ bpm }) => bpm);
  const distance = ticks.at(-1)?.distance ?? 0;
  const heights = ticks.flatMap(({ where }) => (where ? [where.altitude] : []));
  const inPlace = distance === 0;
  return {
    title: `${day.wallMinutes(workout.from) < 12 * 60 ? 'Morning' : 'Evening'} ${name.toLowerCase()}`,
    sport: { id, name, slug },
    time_start: isoMoment(new Date(workout.from)),
    time_end: isoMoment(new Date(workout.until)),
    timezone_offset: day.offsetAt(workout.from),
    moving_time: minutes * 60,
    average_hr: Math.round(averageOf(beats)),
    max_hr: Math.max(...beats),
    hr_zones: zonesOf(beats, life.person.maxBpm),
    distance: inPlace ? null : roundTo(distance, 1),
    calories: Math.round(minutes * workout.kcalPerMinute),
    total_elevation_gain: heights.length > 0 ? roundTo(climbOf(heights), 1) : null,
    elev_high: heights.length > 0 ? roundTo(Math.max(...heights), 1) : null,
    elev_low: heights.length > 0 ? roundTo(Math.min(...heights), 1) : null,
    average_speed: inPlace ? null : roundTo(distance / (minutes * 60), 3),
    max_speed: inPlace ? null : roundTo(Math.max(...ticks.map(({ speed }) => speed)), 3),
    average_watts: null,
    device_watts: null,
    max_watts: null,
    weighted_average_watts: null,
    steps: workout.onFoot ? Math.round(minutes * workout.stepsPerMinute) : null,
    map: teller.streams ? mapOf(ticks) : null,
  };
}

/** Below half of the maximum, then by tenths of it. */
function zonesOf(beats: readonly number[], maxBpm: number): number[] {
  const zones = [0, 0, 0, 0, 0, 0];
  // The last tick is the end and lasts no time.
  for (const bpm of beats.slice(0, -1)) {
    const zone = Math.min(5, Math.max(0, Math.floor((bpm / maxBpm) * 10) - 4));
    zones[zone] = (zones[zone] ?? 0) + TICK / 1000;
  }
  return zones;
}

const climbOf = (heights: readonly number[]): number =>
  heights.reduce((sum, height, index) => sum + Math.max(0, height - (heights[index - 1] ?? height)), 0);

const DIGITS = 5;
const SUMMARY_POINTS = 100;

function mapOf(ticks: readonly Tick[]) {
  const path = ticks.flatMap(({ where }) => (where ? [[where.lat, where.lng] as [number, number]] : []));
  if (path.length === 0) return null;
  const every = Math.max(1, Math.ceil(path.length / SUMMARY_POINTS));
  const sketch = path.filter((_, index) => index % every === 0 || index === path.length - 1);
  return { polyline: polyline.encode(path, DIGITS), summary_polyline: polyline.encode(sketch, DIGITS) };
}

function columnsOf({ ticks, stepsPerMinute, onFoot }: Workout): StreamColumns {
  const isMoving = (ticks.at(-1)?.distance ?? 0) > 0;
  const isOutside = ticks.some(({ where }) => where !== null);
  return {
    time: ticks.map(({ at }) => Math.floor(at / 1000)),
    heartrate: ticks.map(({ bpm }) => bpm),
    ...(onFoot && { cadence: ticks.map(() => stepsPerMinute) }),
    ...(isMoving && {
      distance: ticks.map(({ distance }) => roundTo(distance, 1)),
      velocity_smooth: ticks.map(({ speed }) => roundTo(speed, 3)),
    }),
    ...(isOutside && {
      lat: ticks.map(({ where }) => where && roundTo(where.lat, 6)),
      lng: ticks.map(({ where }) => where && roundTo(where.lng, 6)),
      altitude: ticks.map(({ where }) => where && roundTo(where.altitude, 1)),
    }),
  };
}
