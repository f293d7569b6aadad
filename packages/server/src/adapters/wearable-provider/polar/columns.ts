import type { StreamColumns } from '../../../readings/readings.ts';
import { parseDurationSeconds } from '../times.ts';
import type { PolarExercise, PolarTrack } from './wire.ts';

/** The stream column of each sample type, and the factor to our unit. */
// prettier-ignore
const TRACK_TYPES: Readonly<Record<string, { column: keyof StreamColumns; times: number }>> = {
  0:  { column: 'heartrate',       times: 1 },
  // Kilometers per hour.
  1:  { column: 'velocity_smooth', times: 1 / 3.6 },
  2:  { column: 'cadence',         times: 1 },
  3:  { column: 'altitude',        times: 1 },
  4:  { column: 'power',           times: 1 },
  // Running cadence; an exercise has only one of the two cadences.
  8:  { column: 'cadence',         times: 1 },
  9:  { column: 'temperature',     times: 1 },
  10: { column: 'distance',        times: 1 },
};

type PolarTrackValues = (number | null)[];

/** The samples of an exercise, one row per recording step; undefined if it has none. */
export function toStreamColumns(exercise: PolarExercise, from: number): StreamColumns | undefined {
  const tracks = (exercise.samples ?? []).filter(
    (track) => TRACK_TYPES[track['sample-type']] && readRate(track) > 0,
  );
  const step = readRate(tracks[0]) || 1;
  const columns: Partial<Record<keyof StreamColumns, PolarTrackValues>> = {};
  for (const track of tracks) {
    const kind = TRACK_TYPES[track['sample-type']];
    // A track with another rate would need interpolation.
    if (!kind || readRate(track) !== step || columns[kind.column]) continue;
    columns[kind.column] = readValues(track, kind.times);
  }
  const points = toRouteRows(exercise, step);
  const length = Math.max(points.length, ...Object.values(columns).map((values) => values.length));
  if (length === 0) return undefined;
  const filled = Object.entries(columns).map(([name, values]) => [name, padToLength(values, length)]);
  return {
    time: Array.from({ length }, (_, row) => from + row * step),
    ...Object.fromEntries(filled),
    ...(points.length > 0 && {
      lat: padToLength(
        points.map((point) => point?.latitude ?? null),
        length,
      ),
      lng: padToLength(
        points.map((point) => point?.longitude ?? null),
        length,
      ),
    }),
  };
}

const readRate = (track: PolarTrack | undefined): number => track?.['recording-rate'] ?? 0;

/** Values while the sensor was offline are `null`. */
const readValues = ({ data }: PolarTrack, times: number): PolarTrackValues =>
  data === ''
    ? []
    : data.split(',').map((text) => {
        const value = text.trim() === '' ? Number.NaN : Number(text);
        return Number.isFinite(value) ? value * times : null;
      });

const padToLength = (values: PolarTrackValues, length: number): PolarTrackValues =>
  Array.from({ length }, (_, row) => values[row] ?? null);

/** Assigns each route point, which has its own time, to the nearest row. */
function toRouteRows({ route }: PolarExercise, step: number) {
  const rows: ({ latitude: number; longitude: number } | undefined)[] = [];
  for (const point of route ?? []) {
    const since = parseDurationSeconds(point.time);
    // Longer than any exercise: such a point would create a huge, mostly empty table.
    if (since === null || since > 7 * 86_400) continue;
    rows[Math.round(since / step)] = point;
  }
  return Array.from(rows);
}
