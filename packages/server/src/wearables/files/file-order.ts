import { computeDistances, PAUSE_SECONDS, type TrackPoint } from './track.ts';

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
 * the distances, and points that go back are left out. Segments that do not overlap are put in the order of time. The
 * way between two segments with a pause between them was not recorded, and is no part of the distance.
 */
export function orderPoints(segments: readonly (readonly TrackPoint[])[]): OrderedPoints {
  const parts = joinAcrossGaps(arrangeSegments(segments));
  const all = parts.flat();
  const isInOrder = isAscending(all);
  const hasOwn = all.some(({ distance }) => typeof distance === 'number');
  if (isInOrder && (hasOwn || parts.length < 2)) return { points: all, route: null, meters: null, back: 0 };
  const distances = addDistances(parts);
  let latest = -Infinity;
  const points = all.flatMap((point, index) => {
    if (point.at < latest) return [];
    latest = point.at;
    return [hasOwn ? point : { ...point, distance: distances[index] ?? null }];
  });
  const meters = distances.findLast((one) => one !== null) ?? null;
  const route = isInOrder ? null : all;
  return { points, route, meters: hasOwn ? null : meters, back: all.length - points.length };
}

/** The distance of each point from the first one, without what lies between the parts. */
function addDistances(parts: readonly (readonly TrackPoint[])[]): (number | null)[] {
  let before = 0;
  return parts.flatMap((points) => {
    const distances = computeDistances(points).map((meters) => (meters === null ? null : before + meters));
    before = distances.findLast((meters) => meters !== null) ?? before;
    return distances;
  });
}

/** Joins each segment that begins soon after the one before it ended: devices lose their position for moments. */
function joinAcrossGaps(segments: readonly (readonly TrackPoint[])[]): TrackPoint[][] {
  const parts: TrackPoint[][] = [];
  for (const points of segments) {
    const last = parts.at(-1);
    const pause = (points[0]?.at ?? 0) - (last?.at(-1)?.at ?? -Infinity);
    if (last && pause < PAUSE_SECONDS * 1000) for (const point of points) last.push(point);
    else parts.push([...points]);
  }
  return parts;
}

function arrangeSegments(segments: readonly (readonly TrackPoint[])[]): readonly (readonly TrackPoint[])[] {
  const spans = segments
    .filter(({ length }) => length > 0)
    .map((points) => ({
      points,
      from: points.reduce((least, { at }) => Math.min(least, at), Infinity),
      until: points.reduce((most, { at }) => Math.max(most, at), -Infinity),
    }));
  const sorted = spans.toSorted((one, other) => one.from - other.from);
  const isApart = sorted.every(({ from }, index) => from >= (sorted[index - 1]?.until ?? -Infinity));
  return (isApart ? sorted : spans).map(({ points }) => points);
}

const isAscending = (points: readonly TrackPoint[]): boolean =>
  points.every(({ at }, index) => at >= (points[index - 1]?.at ?? -Infinity));
