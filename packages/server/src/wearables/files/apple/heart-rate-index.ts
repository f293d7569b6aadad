import type { TrackPoint } from '../track.ts';

const COUNT_MAX = 4_000_000;
/** A rate and its timestamp are packed into one number that sorts by timestamp: 2^9 rates, milliseconds below 2^43. */
const RATE_SLOTS = 512;

/**
 * The heart rates of an export, at eight bytes each, for the streams of its workouts, which follow them in the file.
 * Rates beyond four million are left out of the streams, but not out of the samples.
 */
export class HeartRateIndex {
  #packed = new Float64Array(4096);
  #count = 0;
  #isSorted = true;

  add(at: number, rate: number): void {
    if (this.#count >= COUNT_MAX) return;
    if (this.#count === this.#packed.length) {
      const larger = new Float64Array(Math.min(COUNT_MAX, this.#packed.length * 2));
      larger.set(this.#packed);
      this.#packed = larger;
    }
    this.#packed[this.#count] = at * RATE_SLOTS + Math.min(RATE_SLOTS - 1, Math.max(0, Math.round(rate)));
    this.#count += 1;
    this.#isSorted = false;
  }

  /** The rates from `start` to `end` inclusive, in order. O(log n + result) once sorted. */
  between(start: number, end: number, most: number): TrackPoint[] {
    this.#sort();
    const points: TrackPoint[] = [];
    for (let index = this.#firstFrom(start * RATE_SLOTS); index < this.#count; index += 1) {
      const packed = this.#packed[index] ?? 0;
      if (packed >= (end + 1) * RATE_SLOTS || points.length >= most) break;
      points.push({ at: Math.floor(packed / RATE_SLOTS), heartrate: packed % RATE_SLOTS });
    }
    return points;
  }

  #sort(): void {
    if (!this.#isSorted) this.#packed.subarray(0, this.#count).sort();
    this.#isSorted = true;
  }

  #firstFrom(packed: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#packed[middle] ?? 0) < packed) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
