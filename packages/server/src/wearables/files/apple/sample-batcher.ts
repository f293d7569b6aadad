import type {
  ReadingOrigin,
  HealthReading,
  HealthSample,
  SampledResource,
} from '../../../readings/readings.ts';

/** The number of samples of one resource and origin in a batch. */
const BATCH_SIZE = 2500;
/** The total number of buffered samples at which everything is flushed. */
const BUFFERED_MAX = 10_000;

/** Groups samples by resource and origin: an export interleaves them, and small batches are expensive to store. */
export class SampleBatcher {
  #byOrigin = new Map<ReadingOrigin, Map<SampledResource, HealthSample[]>>();
  #held = 0;
  #full: HealthReading[] = [];

  add(resource: SampledResource, origin: ReadingOrigin, sample: HealthSample): void {
    const ofOrigin = this.#byOrigin.get(origin) ?? new Map<SampledResource, HealthSample[]>();
    this.#byOrigin.set(origin, ofOrigin);
    const samples = ofOrigin.get(resource) ?? [];
    ofOrigin.set(resource, samples);
    samples.push(sample);
    this.#held += 1;
    if (samples.length >= BATCH_SIZE) {
      ofOrigin.delete(resource);
      this.#held -= samples.length;
      this.#full.push({ kind: 'samples', resource, origin, samples });
    } else if (this.#held >= BUFFERED_MAX) this.#flush();
  }

  /** Takes the complete batches; with `all`, also the incomplete ones. */
  take(all = false): HealthReading[] {
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
