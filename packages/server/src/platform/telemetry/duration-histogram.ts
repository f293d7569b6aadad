import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import { BACKGROUND_SECONDS } from './buckets.ts';

const MS = 1000;

interface MeterOwner {
  readonly meter: Meter;
}

/** Records the duration of background work in milliseconds, as a histogram of each service in seconds. */
export function openDurations(name: string, description: string) {
  const histograms = new WeakMap<MeterOwner, Histogram>();
  return (telemetry: MeterOwner, ms: number, labels: Attributes): void => {
    let histogram = histograms.get(telemetry);
    if (!histogram) {
      const advice = { explicitBucketBoundaries: BACKGROUND_SECONDS };
      histogram = telemetry.meter.createHistogram(name, { unit: 's', description, advice });
      histograms.set(telemetry, histogram);
    }
    histogram.record(ms / MS, labels);
  };
}
