// In Node the package resolves to CommonJS: it has a default export and no named ones.
// oxlint-disable-next-line import/default
import polyline from '@googlemaps/polyline-codec';
import { isoTimestamp } from '../../platform/clock.ts';
import { getSport, type HealthReading, type StreamColumns } from '../../readings/readings.ts';
import { roundTo } from './random.ts';
import { mean } from './heart.ts';
import type { DemoDay } from './life.ts';
import { endsWithin, mainOrigin, type DemoContext } from './context.ts';
import { overlapMinutes, TICK_MS, type DemoTick, type DemoWorkout } from './workout.ts';

/** The workout of a day, and its stream if the provider has streams. Generated when it has ended. */
export function* generateWorkout(telling: DemoContext, day: DemoDay): Iterable<HealthReading> {
  const { workout } = day;
  if (!telling.generator.movement || !workout || !endsWithin(telling, workout.until)) return;
  const origin = mainOrigin(telling);
  const key = `workout-${day.day}`;
  const body = { ...toWorkoutBody(telling, { day, workout }), provider_id: key };
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
  if (telling.generator.streams) {
    yield { kind: 'workout_stream', origin, workoutKey: key, columns: toStreamColumns(workout) };
  }
}

function toWorkoutBody(
  { life, generator }: DemoContext,
  { day, workout }: { day: DemoDay; workout: DemoWorkout },
) {
  const { ticks } = workout;
  const { name, slug, id } = getSport(workout.sport);
  const minutes = overlapMinutes(workout, workout.from, workout.until);
  const beats = ticks.map(({ bpm }) => bpm);
  const distance = ticks.at(-1)?.distance ?? 0;
  const heights = ticks.flatMap(({ where }) => (where ? [where.altitude] : []));
  const inPlace = distance === 0;
  return {
    title: `${day.localMinutes(workout.from) < 12 * 60 ? 'Morning' : 'Evening'} ${name.toLowerCase()}`,
    sport: { id, name, slug },
    time_start: isoTimestamp(new Date(workout.from)),
    time_end: isoTimestamp(new Date(workout.until)),
    timezone_offset: day.offsetAt(workout.from),
    moving_time: minutes * 60,
    average_hr: Math.round(mean(beats)),
    max_hr: Math.max(...beats),
    hr_zones: heartRateZones(beats, life.person.maxBpm),
    distance: inPlace ? null : roundTo(distance, 1),
    calories: Math.round(minutes * workout.kcalPerMinute),
    total_elevation_gain: heights.length > 0 ? roundTo(elevationGain(heights), 1) : null,
    elev_high: heights.length > 0 ? roundTo(Math.max(...heights), 1) : null,
    elev_low: heights.length > 0 ? roundTo(Math.min(...heights), 1) : null,
    average_speed: inPlace ? null : roundTo(distance / (minutes * 60), 3),
    max_speed: inPlace ? null : roundTo(Math.max(...ticks.map(({ speed }) => speed)), 3),
    average_watts: null,
    device_watts: null,
    max_watts: null,
    weighted_average_watts: null,
    steps: workout.onFoot ? Math.round(minutes * workout.stepsPerMinute) : null,
    map: generator.streams ? toMap(ticks) : null,
  };
}

/** Seconds per zone: below 50% of the maximum heart rate, then in steps of 10%. */
function heartRateZones(beats: readonly number[], maxBpm: number): number[] {
  const zones = [0, 0, 0, 0, 0, 0];
  // The last tick marks the end and has no duration.
  for (const bpm of beats.slice(0, -1)) {
    const zone = Math.min(5, Math.max(0, Math.floor((bpm / maxBpm) * 10) - 4));
    zones[zone] = (zones[zone] ?? 0) + TICK_MS / 1000;
  }
  return zones;
}

const elevationGain = (heights: readonly number[]): number =>
  heights.reduce((sum, height, index) => sum + Math.max(0, height - (heights[index - 1] ?? height)), 0);

const POLYLINE_DIGITS = 5;
const SUMMARY_POINTS = 100;

function toMap(ticks: readonly DemoTick[]) {
  const path = ticks.flatMap(({ where }) => (where ? [[where.lat, where.lng] as [number, number]] : []));
  if (path.length === 0) return null;
  const every = Math.max(1, Math.ceil(path.length / SUMMARY_POINTS));
  const sketch = path.filter((_, index) => index % every === 0 || index === path.length - 1);
  return {
    polyline: polyline.encode(path, POLYLINE_DIGITS),
    summary_polyline: polyline.encode(sketch, POLYLINE_DIGITS),
  };
}

function toStreamColumns({ ticks, stepsPerMinute, onFoot }: DemoWorkout): StreamColumns {
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
