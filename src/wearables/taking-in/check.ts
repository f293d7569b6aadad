import type { Origin, Sample, SampleReading, SummaryReading, WorkoutStreamReading } from '../readings.ts';
import type { Piece } from './batches.ts';
import { originFault } from './check-origin.ts';
import { checkSample, isFault } from './check-samples.ts';
import { checkStream } from './check-stream.ts';
import { summaryFaults } from './check-summary.ts';
import { fault, type Fault, type Window } from './fault.ts';
import { sampleFormOf } from './sample-forms.ts';
import type { Refusal } from './taken.ts';

/** Samples of one resource and one origin, each moment once. */
export interface JoinedReading extends SampleReading {
  /** How many there were, with those that came again. */
  readonly came: number;
}

/** What of a batch can be kept, and what cannot. */
export interface Checked {
  readonly samples: JoinedReading[];
  readonly summaries: SummaryReading[];
  readonly streams: (WorkoutStreamReading & { readonly index: number })[];
  readonly refused: Refusal[];
}

export function check(pieces: readonly Piece[], window: Window): Checked {
  const checked: Checked = { samples: [], summaries: [], streams: [], refused: [] };
  for (const piece of pieces) {
    const faults = origin(piece) ?? taken(piece, window, checked);
    for (const one of faults) checked.refused.push(refusalOf(piece, one));
  }
  return { ...checked, samples: joined(checked.samples) };
}

export const refusalOf = (
  { reading, index }: Pick<Piece, 'reading' | 'index'>,
  { loc, msg, type }: Fault,
): Refusal => ({
  reading: index,
  resource: reading.kind === 'workout_stream' ? 'workout_stream' : reading.resource,
  loc,
  msg,
  type,
});

/** A wrong origin spoils all that came from it. */
function origin({ reading, before }: Piece): Fault[] | undefined {
  const wrong = originFault(reading.origin);
  if (!wrong || reading.kind !== 'samples') return wrong && [wrong];
  return reading.samples.map((_sample, place) => ({
    ...wrong,
    loc: ['samples', before + place, ...wrong.loc],
  }));
}

/** Puts what can be kept to its kind, and answers what is wrong with the rest. */
function taken({ reading, index, before }: Piece, window: Window, into: Checked): readonly Fault[] {
  if (reading.kind === 'samples') return takenSamples(reading, before, { window, into });
  if (reading.kind === 'summary') {
    const faults = summaryFaults(reading, window);
    if (faults.length === 0) into.summaries.push(reading);
    return faults;
  }
  const { columns, faults } = checkStream(reading.workoutKey, reading.columns, window);
  if (columns) into.streams.push({ ...reading, columns, index });
  return faults;
}

function takenSamples(
  reading: SampleReading,
  before: number,
  { window, into }: { window: Window; into: Checked },
): Fault[] {
  const form = sampleFormOf(reading.resource);
  const faults: Fault[] = [];
  const samples: Sample[] = [];
  reading.samples.forEach((given, place) => {
    const checked = form
      ? checkSample(form, given, window)
      : fault(['resource'], `there is no resource ${String(reading.resource)}`);
    if (isFault(checked)) faults.push({ ...checked, loc: ['samples', before + place, ...checked.loc] });
    else samples.push(checked);
  });
  if (samples.length > 0) into.samples.push({ ...reading, samples, came: samples.length });
  return faults;
}

/** Samples of one resource and one origin as one reading, in the order of time; of the same moment the last one. */
function joined(readings: readonly SampleReading[]): JoinedReading[] {
  const groups = new Map<string, SampleReading[]>();
  for (const reading of readings) {
    const name = JSON.stringify([reading.resource, originName(reading.origin)]);
    const group = groups.get(name);
    if (group) group.push(reading);
    else groups.set(name, [reading]);
  }
  // Everybody goes through them in this order, so that two who bring the same wait for each other and not in a circle.
  const ordered = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return ordered.flatMap(([, group]) => {
    const [first] = group;
    const came = group.reduce((sum, { samples }) => sum + samples.length, 0);
    return first ? [{ ...first, samples: lastOfEach(first.resource, group), came }] : [];
  });
}

function lastOfEach(resource: string, group: readonly SampleReading[]): Sample[] {
  const samples = new Map<number | string, Sample>();
  const keyOf =
    resource === 'cholesterol' ? ({ at, type }: Sample) => `${at} ${type}` : ({ at }: Sample) => at;
  for (const reading of group) for (const sample of reading.samples) samples.set(keyOf(sample), sample);
  return [...samples.values()].toSorted((one, other) => one.at - other.at);
}

/** Equal for equal origins. */
export const originName = ({ provider, type, appId, device, workout }: Origin): string =>
  JSON.stringify([
    provider,
    type,
    appId,
    device && [device.id, device.manufacturer, device.model, device.version],
    workout && [workout.key, workout.sport],
  ]);
