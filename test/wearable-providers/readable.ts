import type { Reading, SampleReading } from '../../src/wearables/readings.ts';
import { bodySchema } from '../../src/wearables/records/bodies.ts';
import { hypnogram, TIMESERIES } from '../../src/wearables/timeseries/timeseries.ts';

export const nameOf = (reading: Reading): string =>
  reading.kind === 'workout_stream' ? 'workout_stream' : reading.resource;

/** What keeps a reading from being shown as the contract has it; nothing of a good one. */
export function faultsOf(reading: Reading): string[] {
  const said = (faults: readonly unknown[]) => faults.map((fault) => `${nameOf(reading)}: ${String(fault)}`);
  if (reading.kind === 'samples') return said(sampleFaults(reading));
  if (reading.kind === 'workout_stream') {
    const { time, ...others } = reading.columns;
    return said(
      Object.entries(others).flatMap(([name, column]) => (column.length === time.length ? [] : [name])),
    );
  }
  const parsed = bodySchema(reading.resource)?.safeParse(reading.body);
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

/** Each thing that is told, by what makes it the same when it is told again, with its moment. */
export function toldIn(reading: Reading): { name: string; at: number }[] {
  const { device } = reading.origin;
  const from = `${nameOf(reading)} of ${device?.id ?? device?.model ?? 'somebody'}`;
  if (reading.kind === 'summary') return [{ name: `${from} ${reading.key}`, at: reading.at }];
  if (reading.kind === 'workout_stream') {
    return [{ name: `${from} ${reading.workoutKey}`, at: (reading.columns.time[0] ?? 0) * 1000 }];
  }
  return reading.samples.map(({ at, type }) => ({ name: `${from} ${at} ${type ?? ''}`, at }));
}

/** How far it goes back in time at most, of what one device tells of one resource. */
export function backwards(readings: readonly Reading[]): number {
  const last = new Map<string, number>();
  let most = 0;
  for (const reading of readings) {
    const key = `${nameOf(reading)} ${reading.origin.device?.id ?? reading.origin.device?.model ?? ''}`;
    for (const { at } of toldIn(reading)) {
      most = Math.max(most, (last.get(key) ?? at) - at);
      last.set(key, at);
    }
  }
  return most;
}
