import { computeDistances, type TrackPoint } from './track.ts';

/** The points of a recording whose times may go back. */
interface OrderedPoints {
  /** In ascending order of time. */
  readonly points: readonly TrackPoint[];
  /** All points in the order of the file, if times go back; else null. */
  readonly route: readonly TrackPoint[] | null;
  /** The length of that route in meters. */
  readonly meters: number | null;
  /** The number of points that are in the route only. */
  readonly back: number;
}

/**
 * Orders points for a stream, which ascends in time. Where times go back (a clock was corrected, or recordings were
 * joined), points in the order of time would jump to and fro between two places. Therefore the order of the file gives
 * the distances, and points that go back are left out. Segments that do not overlap are put in the order of time.
 */
export function orderPoints(segments: readonly (readonly TrackPoint[])[]): OrderedPoints {
  const all = joinSegments(segments);
  if (isAscending(all)) return { points: all, route: null, meters: null, back: 0 };
  const distances = computeDistances(all);
  const hasOwn = all.some(({ distance }) => typeof distance === 'number');
  let latest = -Infinity;
  const points = all.flatMap((point, index) => {
    if (point.at < latest) return [];
    latest = point.at;
    return [hasOwn ? point : { ...point, distance: distances[index] ?? null }];
  });
  const meters = distances.findLast((one) => one !== null) ?? null;
  return { points, route: all, meters: hasOwn ? null : meters, back: all.length - points.length };
}

function joinSegments(segments: readonly (readonly TrackPoint[])[]): TrackPoint[] {
  const spans = segments
    .filter(({ length }) => length > 0)
    .map((points) => ({
      points,
      from: points.reduce((least, { at }) => Math.min(least, at), Infinity),
      until: points.reduce((most, { at }) => Math.max(most, at), -Infinity),
    }));
  const sorted = spans.toSorted((one, other) => one.from - other.from);
  const isApart = sorted.every(({ from }, index) => from >= (sorted[index - 1]?.until ?? -Infinity));
  return (isApart ? sorted : spans).flatMap(({ points }) => points);
}

const isAscending = (points: readonly TrackPoint[]): boolean =>
  points.every(({ at }, index) => at >= (points[index - 1]?.at ?? -Infinity));
