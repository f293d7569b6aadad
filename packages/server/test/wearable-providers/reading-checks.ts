import {
  type HealthReading,
  type SampleReading,
  hypnogram,
  TIMESERIES,
} from '../../src/readings/readings.ts';
import { findBodySchema } from '../../src/wearables/records/body-schemas.ts';

export const readingName = (reading: HealthReading): string =>
  reading.kind === 'workout_stream' ? 'workout_stream' : reading.resource;

/** Violations of the contract's schema by a reading; empty for a valid one. */
export function validationFaults(reading: HealthReading): string[] {
  const said = (faults: readonly unknown[]) =>
    faults.map((fault) => `${readingName(reading)}: ${String(fault)}`);
  if (reading.kind === 'samples') return said(sampleFaults(reading));
  if (reading.kind === 'workout_stream') {
    const { time, ...others } = reading.columns;
    return said(
      Object.entries(others).flatMap(([name, column]) => (column.length === time.length ? [] : [name])),
    );
  }
  const parsed = findBodySchema(reading.resource)?.safeParse(reading.body);
  return said([
    ...(parsed?.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []),
    ...(/^\d{4}-\d\d-\d\d$/.test(reading.day) ? [] : [`day ${reading.day}`]),
    ...(Number.isInteger(reading.at) ? [] : [`at ${reading.at}`]),
    ...(reading.resource === 'sleep_cycle' || reading.raw !== null ? [] : ['nothing raw']),
  ]);
}

function sampleFaults({ resource, samples }: SampleReading): string[] {
  const { sample } = resource === 'hypnogram' ? hypnogram : TIMESERIES[resource];
  const unit: unknown = sample.shape.unit.value;
  return samples.flatMap(({ at, until, offset, type, value, more }) => {
    const timestamp = new Date(at).toISOString();
    const shown = {
      timestamp,
      timezone_offset: offset,
      type,
      unit,
      ...more,
      ...(until !== null && { start: timestamp, end: new Date(until).toISOString() }),
      ...(value !== null && { value }),
    };
    return (
      sample.safeParse(shown).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
    );
  });
}

/** The items of a reading with their identity and timestamp. */
export function itemsIn(reading: HealthReading): { name: string; at: number }[] {
  const { device } = reading.origin;
  const from = `${readingName(reading)} of ${device?.id ?? device?.model ?? 'somebody'}`;
  if (reading.kind === 'summary') return [{ name: `${from} ${reading.key}`, at: reading.at }];
  if (reading.kind === 'workout_stream') {
    return [{ name: `${from} ${reading.workoutKey}`, at: (reading.columns.time[0] ?? 0) * 1000 }];
  }
  return reading.samples.map(({ at, type }) => ({ name: `${from} ${at} ${type ?? ''}`, at }));
}

/** The largest step back in time within one resource of one device. */
export function maxStepBack(readings: readonly HealthReading[]): number {
  const last = new Map<string, number>();
  let most = 0;
  for (const reading of readings) {
    const key = `${readingName(reading)} ${reading.origin.device?.id ?? reading.origin.device?.model ?? ''}`;
    for (const { at } of itemsIn(reading)) {
      most = Math.max(most, (last.get(key) ?? at) - at);
      last.set(key, at);
    }
  }
  return most;
}
