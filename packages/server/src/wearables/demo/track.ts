import type { SeededRandom } from './random.ts';
import type { DemoLocation } from './person.ts';

export interface DemoTrackPoint {
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
}

const TRACK_STEPS = 240;
const METERS_PER_DEGREE = 111_320;
const FULL_TURN = 2 * Math.PI;

/** A closed loop of a given length around a location. Returns a function from distance to position. */
export function createLoop(
  place: DemoLocation,
  { meters, chance }: { meters: number; chance: SeededRandom },
) {
  const [dents, turn] = [chance.between(0, 0.05, 0.14), chance.at(1) * FULL_TURN];
  const radius = (angle: number) =>
    1 + dents * Math.sin(2 * angle + turn) + 0.05 * Math.sin(3 * angle - turn);
  const shape = Array.from({ length: TRACK_STEPS + 1 }, (_, step) => {
    const angle = ((step % TRACK_STEPS) / TRACK_STEPS) * FULL_TURN;
    return { x: radius(angle) * Math.cos(angle), y: radius(angle) * Math.sin(angle) };
  });
  const way = [0];
  shape.slice(1).forEach(({ x, y }, step) => {
    const before = shape[step] ?? { x, y };
    way.push((way[step] ?? 0) + Math.hypot(x - before.x, y - before.y));
  });
  const length = way.at(-1) ?? 1;
  return (distance: number): DemoTrackPoint => {
    const part = (distance / meters - Math.floor(distance / meters)) * length;
    const step = findSegment(way, part);
    const [one, next] = [shape[step] ?? { x: 0, y: 0 }, shape[step + 1] ?? { x: 0, y: 0 }];
    const [start, end] = [way[step] ?? 0, way[step + 1] ?? 1];
    const share = (part - start) / (end - start);
    const scale = meters / length;
    const north = (one.y + (next.y - one.y) * share) * scale;
    const east = (one.x + (next.x - one.x) * share) * scale;
    const angle = (part / length) * FULL_TURN;
    return {
      lat: place.lat + north / METERS_PER_DEGREE,
      lng: place.lng + east / (METERS_PER_DEGREE * Math.cos((place.lat * Math.PI) / 180)),
      altitude: place.altitude + (place.hills / 2) * Math.sin(angle + turn),
    };
  };
}

function findSegment(way: readonly number[], part: number): number {
  let [low, high] = [0, way.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((way[middle] ?? 0) <= part) low = middle;
    else high = middle;
  }
  return low;
}
