import type { Origin, Reading, Sample, SampledResource } from '../../readings.ts';

/** So many samples of one resource and origin go out together. */
const TOGETHER = 2500;
/** So many are held in all before everything goes out. */
const HELD_MAX = 10_000;

/** Samples that wait for others of their kind: an export has them mixed, and a few at a time are dear to store. */
export class Gathered {
  #byOrigin = new Map<Origin, Map<SampledResource, Sample[]>>();
  #held = 0;
  #full: Reading[] = [];

  add(resource: SampledResource, origin: Origin, sample: Sample): void {
    const ofOrigin = this.#byOrigin.get(origin) ?? new Map<SampledResource, Sample[]>();
    this.#byOrigin.set(origin, ofOrigin);
    const samples = ofOrigin.get(resource) ?? [];
    ofOrigin.set(resource, samples);
    samples.push(sample);
    this.#held += 1;
    if (samples.length >= TOGETHER) {
      ofOrigin.delete(resource);
      this.#held -= samples.length;
      this.#full.push({ kind: 'samples', resource, origin, samples });
    } else if (this.#held >= HELD_MAX) this.#flush();
  }

  /** What is ready to go; with `all` everything. */
  take(all = false): Reading[] {
    if (all) this.#flush();
    const ready = this.#full;
    this.#full = [];
    return ready;
  }

  #flush(): void {
    for (const [origin, byResource] of this.#byOrigin) {
      for (const [resource, samples] of byResource) {
        this.#full.push({ kind: 'samples', resource, origin, samples });
      }
    }
    this.#byOrigin = new Map();
    this.#held = 0;
  }
}
