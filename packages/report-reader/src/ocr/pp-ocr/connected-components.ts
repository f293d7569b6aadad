/**
 * A connected component of the detector's likelihood map. `high` and `low` are the vertical bounds after subtracting
 * the slope.
 */
export interface ConnectedComponent {
  readonly left: number;
  readonly right: number;
  readonly high: number;
  readonly low: number;
  /** How far it falls per pixel to the right; 0 if it is not long enough to tell. */
  readonly slope: number;
  /** Mean likelihood. */
  readonly score: number;
  readonly count: number;
}

interface LikelihoodMap {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

const LIKELY = 0.3;
/** Minimum ratio of width to height for a slope. */
const LONG = 3;

/** Finds all connected components above the threshold. */
export function findComponents(map: LikelihoodMap): ConnectedComponent[] {
  const seen = new Uint8Array(map.data.length);
  const queue = new Int32Array(map.data.length);
  const pieces: ConnectedComponent[] = [];
  for (let start = 0; start < map.data.length; start += 1) {
    if (seen[start] === 1 || (map.data[start] ?? 0) <= LIKELY) continue;
    const count = floodFill(map, { start, seen, queue });
    if (count >= 6) pieces.push(measureComponent(map, queue.subarray(0, count)));
  }
  return pieces;
}

interface FloodFill {
  readonly start: number;
  readonly seen: Uint8Array;
  readonly queue: Int32Array;
}

/** Flood fill with 8-connectivity; puts the pixels into `queue` and returns their count. */
function floodFill({ width, height, data }: LikelihoodMap, { start, seen, queue }: FloodFill): number {
  queue[0] = start;
  seen[start] = 1;
  let count = 1;
  for (let next = 0; next < count; next += 1) {
    const at = queue[next] ?? 0;
    const x = at % width;
    const y = (at - x) / width;
    for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v += 1) {
      for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u += 1) {
        const near = v * width + u;
        if (seen[near] === 1 || (data[near] ?? 0) <= LIKELY) continue;
        seen[near] = 1;
        queue[count] = near;
        count += 1;
      }
    }
  }
  return count;
}

function measureComponent({ width, data }: LikelihoodMap, pixels: Int32Array): ConnectedComponent {
  const slope = slopeOf(width, pixels);
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [high, low] = [left, right];
  let score = 0;
  for (const at of pixels) {
    const x = at % width;
    const above = (at - x) / width - slope * (x + 0.5);
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    high = Math.min(high, above);
    low = Math.max(low, above + 1);
    score += data[at] ?? 0;
  }
  return { left, right, high, low, slope, score: score / pixels.length, count: pixels.length };
}

function slopeOf(width: number, pixels: Int32Array): number {
  let [sumX, sumY, sumXX, sumXY, sumYY] = [0, 0, 0, 0, 0];
  for (const at of pixels) {
    const x = at % width;
    const y = (at - x) / width;
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
    sumYY += y * y;
  }
  const n = pixels.length;
  const xx = sumXX - (sumX * sumX) / n;
  const yy = sumYY - (sumY * sumY) / n;
  if (xx < LONG * LONG * yy) return 0;
  return (sumXY - (sumX * sumY) / n) / xx;
}
