import type {
  ReadingOrigin,
  HealthSample,
  SampleReading,
  SummaryReading,
  WorkoutStreamReading,
} from '../../readings/readings.ts';
import type { IngestionPiece } from './batches.ts';
import { findOriginFault } from './check-origin.ts';
import { checkSample, isFault } from './check-samples.ts';
import { checkStream } from './check-stream.ts';
import { findSummaryFaults } from './check-summary.ts';
import { createFault, type IngestionFault, type IngestionWindow } from './fault.ts';
import { findSampleSpec } from './sample-specs.ts';
import type { IngestionRefusal } from './result.ts';

/** Samples of one resource and origin, one per timestamp. */
export interface MergedSampleReading extends SampleReading {
  /** The number of samples before deduplication. */
  readonly receivedCount: number;
}

/** The valid readings of a batch, and the refusals. */
interface CheckedBatch {
  readonly samples: MergedSampleReading[];
  readonly summaries: SummaryReading[];
  readonly streams: (WorkoutStreamReading & { readonly index: number })[];
  readonly refused: IngestionRefusal[];
}

export function checkBatch(pieces: readonly IngestionPiece[], window: IngestionWindow): CheckedBatch {
  const checked: CheckedBatch = { samples: [], summaries: [], streams: [], refused: [] };
  for (const piece of pieces) {
    const faults = findOriginFaults(piece) ?? checkPiece(piece, window, checked);
    for (const one of faults) checked.refused.push(toRefusal(piece, one));
  }
  return { ...checked, samples: mergeSampleReadings(checked.samples) };
}

export const toRefusal = (
  { reading, index }: Pick<IngestionPiece, 'reading' | 'index'>,
  { loc, msg, type }: IngestionFault,
): IngestionRefusal => ({
  reading: index,
  resource: reading.kind === 'workout_stream' ? 'workout_stream' : reading.resource,
  loc,
  msg,
  type,
});

/** An invalid origin invalidates the whole reading: one fault per sample. */
function findOriginFaults({ reading, before }: IngestionPiece): IngestionFault[] | undefined {
  const wrong = findOriginFault(reading.origin);
  if (!wrong || reading.kind !== 'samples') return wrong && [wrong];
  return reading.samples.map((_sample, place) => ({
    ...wrong,
    loc: ['samples', before + place, ...wrong.loc],
  }));
}

/** Validates a piece, adds its valid parts to `into`, and returns the faults. */
function checkPiece(
  { reading, index, before }: IngestionPiece,
  window: IngestionWindow,
  into: CheckedBatch,
): readonly IngestionFault[] {
  if (reading.kind === 'samples') return checkSampleReading(reading, before, { window, into });
  if (reading.kind === 'summary') {
    const faults = findSummaryFaults(reading, window);
    if (faults.length === 0) into.summaries.push(reading);
    return faults;
  }
  const { columns, faults } = checkStream(reading.workoutKey, reading.columns, window);
  if (columns) into.streams.push({ ...reading, columns, index });
  return faults;
}

function checkSampleReading(
  reading: SampleReading,
  before: number,
  { window, into }: { window: IngestionWindow; into: CheckedBatch },
): IngestionFault[] {
  const form = findSampleSpec(reading.resource);
  const faults: IngestionFault[] = [];
  const samples: HealthSample[] = [];
  reading.samples.forEach((given, place) => {
    const checked = form
      ? checkSample(form, given, window)
      : createFault(['resource'], `unknown resource ${String(reading.resource)}`);
    if (isFault(checked)) faults.push({ ...checked, loc: ['samples', before + place, ...checked.loc] });
    else samples.push(checked);
  });
  if (samples.length > 0) into.samples.push({ ...reading, samples, receivedCount: samples.length });
  return faults;
}

/** Merges samples of the same resource and origin, sorted by time. The last one of each timestamp wins. */
function mergeSampleReadings(readings: readonly SampleReading[]): MergedSampleReading[] {
  const groups = new Map<string, SampleReading[]>();
  for (const reading of readings) {
    const name = JSON.stringify([reading.resource, toOriginKey(reading.origin)]);
    const group = groups.get(name);
    if (group) group.push(reading);
    else groups.set(name, [reading]);
  }
  // A fixed order of locks prevents deadlocks between concurrent ingestions.
  const ordered = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return ordered.flatMap(([, group]) => {
    const [first] = group;
    const came = group.reduce((sum, { samples }) => sum + samples.length, 0);
    return first ? [{ ...first, samples: keepLastOfEach(first.resource, group), receivedCount: came }] : [];
  });
}

function keepLastOfEach(resource: string, group: readonly SampleReading[]): HealthSample[] {
  const samples = new Map<number | string, HealthSample>();
  const keyOf =
    resource === 'cholesterol'
      ? ({ at, type }: HealthSample) => `${at} ${type}`
      : ({ at }: HealthSample) => at;
  for (const reading of group) for (const sample of reading.samples) samples.set(keyOf(sample), sample);
  return [...samples.values()].toSorted((one, other) => one.at - other.at);
}

/** Equal origins have equal keys. */
export const toOriginKey = ({ provider, type, appId, device, workout }: ReadingOrigin): string =>
  JSON.stringify([
    provider,
    type,
    appId,
    device && [device.id, device.manufacturer, device.model, device.version],
    workout && [workout.key, workout.sport],
  ]);
