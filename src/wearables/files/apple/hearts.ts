import type { Point } from '../track.ts';

const COUNT_MAX = 4_000_000;
/** A rate and its moment are one number, which sorts by the moment: 2^9 rates, and milliseconds below 2^43. */
const RATES = 512;

/**
 * The heart rates of an export, at eight bytes each, for the streams of its workouts, which stand behind them. What
 * is over four million is left out of the streams, not of the samples.
 */
export class Hearts {
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
    this.#packed[this.#count] = at * RATES + Math.min(RATES - 1, Math.max(0, Math.round(rate)));
    this.#count += 1;
    this.#isSorted = false;
  }

  /** The rates of a time, its end included, in order. */
  between(start: number, end: number, most: number): Point[] {
    this.#sort();
    const points: Point[] = [];
    for (let index = this.#firstFrom(start * RATES); index < this.#count; index += 1) {
      const packed = this.#packed[index] ?? 0;
      if (packed >= (end + 1) * RATES || points.length >= most) break;
      points.push({ at: Math.floor(packed / RATES), heartrate: packed % RATES });
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
