/** What hangs together on a map of how likely print is. `high` and `low` are heights above and below the slope. */
export interface Piece {
  readonly left: number;
  readonly right: number;
  readonly high: number;
  readonly low: number;
  /** How far it falls for each pixel to the right; 0 for what is not long. */
  readonly slope: number;
  /** The mean likelihood. */
  readonly score: number;
  readonly count: number;
}

interface Likelihood {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

const LIKELY = 0.3;
/** What is so many times as wide as tall has a direction. */
const LONG = 3;

/** All pieces of the map. */
export function piecesOf(map: Likelihood): Piece[] {
  const seen = new Uint8Array(map.data.length);
  const queue = new Int32Array(map.data.length);
  const pieces: Piece[] = [];
  for (let start = 0; start < map.data.length; start += 1) {
    if (seen[start] === 1 || (map.data[start] ?? 0) <= LIKELY) continue;
    const count = collect(map, { start, seen, queue });
    if (count >= 6) pieces.push(pieceOf(map, queue.subarray(0, count)));
  }
  return pieces;
}

interface Walk {
  readonly start: number;
  readonly seen: Uint8Array;
  readonly queue: Int32Array;
}

/** Puts all that hangs together with the start into the queue, and says how much it is. */
function collect({ width, height, data }: Likelihood, { start, seen, queue }: Walk): number {
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

function pieceOf({ width, data }: Likelihood, pixels: Int32Array): Piece {
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
