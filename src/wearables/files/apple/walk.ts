import type { FileReport } from '../report.ts';
import type { XmlHandler } from '../xml.ts';
import type { RecordElement, Records } from './records.ts';
import { takeInto, type WorkoutElement } from './workouts.ts';

type Attributes = Readonly<Record<string, string>>;

interface Pair {
  readonly attributes: Attributes;
  readonly line: number;
  /** The records in it, by their type. */
  readonly parts: Map<string, Attributes>;
}

export interface ExportWalk {
  readonly handler: XmlHandler;
  /** The workouts that were read since it was asked last. */
  takeWorkouts(): WorkoutElement[];
}

const PRESSURE = 'HKCorrelationTypeIdentifierBloodPressure';
/** Entries of the metadata of a record; one of a stranger may have a million. */
const METADATA = new Set(['HKInsulinDeliveryReason']);
const SKIPPED = new Set([
  'ClinicalRecord',
  'Audiogram',
  'VisionPrescription',
  'ActivityEnvironment',
  'StateOfMind',
]);

/** Walks through an export: records and what they are made of go to `records`, workouts to the caller. */
export function walkExport(records: Records, report: FileReport): ExportWalk {
  let ready: WorkoutElement[] = [];
  let record: RecordElement | null = null;
  let workout: WorkoutElement | null = null;
  let pair: Pair | null = null;
  /** How deep in a workout: its parts have statistics of their own. */
  let depth = 0;

  const openIn = (of: WorkoutElement, name: string, attributes: Attributes) => {
    depth += 1;
    if (depth === 1 || name === 'FileReference') takeInto(of, name, attributes);
  };
  const open: XmlHandler['open'] = (name, attributes, line) => {
    if (workout) openIn(workout, name, attributes);
    else if (record) noteMetadata(record, name, attributes);
    else if (name === 'Record') record = { attributes, line, metadata: null };
    else if (name === 'Correlation') pair = { attributes, line, parts: new Map() };
    else if (name === 'Workout') {
      const origin = records.originOf(attributes);
      workout = { attributes, line, origin, statistics: [], metadata: new Map(), routes: [] };
      depth = 0;
    } else takeSingle(records, report, { name, attributes });
  };
  const close: XmlHandler['close'] = (name) => {
    if (workout) {
      if (depth > 0) depth -= 1;
      else {
        ready.push(workout);
        workout = null;
      }
    } else if (name === 'Record' && record) {
      if (pair) pair.parts.set(record.attributes['type'] ?? '', record.attributes);
      else records.take(record);
      record = null;
    } else if (name === 'Correlation' && pair) {
      closePair(records, report, pair);
      pair = null;
    }
  };
  return {
    handler: { open, close },
    takeWorkouts: () => {
      const taken = ready;
      ready = [];
      return taken;
    },
  };
}

function noteMetadata(record: RecordElement, name: string, attributes: Attributes): void {
  const key = attributes['key'] ?? '';
  if (name !== 'MetadataEntry' || !METADATA.has(key)) return;
  record.metadata ??= new Map();
  record.metadata.set(key, attributes['value'] ?? '');
}

function takeSingle(
  records: Records,
  report: FileReport,
  { name, attributes }: { name: string; attributes: Attributes },
): void {
  if (name === 'Me') records.days.me(attributes);
  else if (name === 'ExportDate') records.days.exported(attributes);
  else if (name === 'ActivitySummary') {
    if (!records.days.activity(attributes)) report.skip('ActivitySummary without a day');
  } else if (SKIPPED.has(name)) report.skip(name);
}

function closePair(records: Records, report: FileReport, { attributes, line, parts }: Pair): void {
  if (attributes['type'] === PRESSURE) records.pressure(attributes, parts, line);
  else report.skip(attributes['type'] ?? 'Correlation');
}
