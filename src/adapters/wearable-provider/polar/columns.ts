import type { StreamColumns } from '../../../wearables/readings.ts';
import { durationSeconds } from '../times.ts';
import type { PolarExercise, PolarTrack } from './wire.ts';

/** Kinds of samples by their numbers, and by how much what stands there is multiplied. */
// prettier-ignore
const TRACKS: Readonly<Record<string, { column: keyof StreamColumns; times: number }>> = {
  0:  { column: 'heartrate',       times: 1 },
  // Kilometers an hour.
  1:  { column: 'velocity_smooth', times: 1 / 3.6 },
  2:  { column: 'cadence',         times: 1 },
  3:  { column: 'altitude',        times: 1 },
  4:  { column: 'power',           times: 1 },
  // Of running; an exercise has one of the two.
  8:  { column: 'cadence',         times: 1 },
  9:  { column: 'temperature',     times: 1 },
  10: { column: 'distance',        times: 1 },
};

type Values = (number | null)[];

/** The samples of an exercise, one row for each step of its recording. Undefined where it has none. */
export function columnsOf(exercise: PolarExercise, from: number): StreamColumns | undefined {
  const tracks = (exercise.samples ?? []).filter(
    (track) => TRACKS[track['sample-type']] && rateOf(track) > 0,
  );
  const step = rateOf(tracks[0]) || 1;
  const columns: Partial<Record<keyof StreamColumns, Values>> = {};
  for (const track of tracks) {
    const kind = TRACKS[track['sample-type']];
    // A track of another rate would need values that nobody measured.
    if (!kind || rateOf(track) !== step || columns[kind.column]) continue;
    columns[kind.column] = valuesOf(track, kind.times);
  }
  const points = routeOf(exercise, step);
  const length = Math.max(points.length, ...Object.values(columns).map((values) => values.length));
  if (length === 0) return undefined;
  const filled = Object.entries(columns).map(([name, values]) => [name, toLength(values, length)]);
  return {
    time: Array.from({ length }, (_, row) => from + row * step),
    ...Object.fromEntries(filled),
    ...(points.length > 0 && {
      lat: toLength(
        points.map((point) => point?.latitude ?? null),
        length,
      ),
      lng: toLength(
        points.map((point) => point?.longitude ?? null),
        length,
      ),
    }),
  };
}

const rateOf = (track: PolarTrack | undefined): number => track?.['recording-rate'] ?? 0;

/** Where the sensor was offline it says `null`. */
const valuesOf = ({ data }: PolarTrack, times: number): Values =>
  data === ''
    ? []
    : data.split(',').map((text) => {
        const value = text.trim() === '' ? Number.NaN : Number(text);
        return Number.isFinite(value) ? value * times : null;
      });

const toLength = (values: Values, length: number): Values =>
  Array.from({ length }, (_, row) => values[row] ?? null);

/** The points of a route have times of their own; each goes into the row that it is nearest to. */
function routeOf({ route }: PolarExercise, step: number) {
  const rows: ({ latitude: number; longitude: number } | undefined)[] = [];
  for (const point of route ?? []) {
    const since = durationSeconds(point.time);
    // Longer than any exercise: such a row would make a table of nothing.
    if (since === null || since > 7 * 86_400) continue;
    rows[Math.round(since / step)] = point;
  }
  return Array.from(rows);
}
