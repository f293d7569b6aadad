import type { FileReport } from '../report.ts';
import type { XmlHandler } from '../xml.ts';
import type { RecordElement, RecordCollector } from './records.ts';
import { TIME_ZONE_KEY } from './timestamps.ts';
import { addWorkoutChild, type WorkoutElement } from './workouts.ts';

type AppleExportAttributes = Readonly<Record<string, string>>;

interface AppleCorrelation {
  readonly attributes: AppleExportAttributes;
  readonly line: number;
  /** The records of the correlation, by type. */
  readonly parts: Map<string, AppleExportAttributes>;
}

interface ExportHandler {
  readonly handler: XmlHandler;
  /** Returns the workouts that were completed since the last call. */
  takeWorkouts(): WorkoutElement[];
}

const BLOOD_PRESSURE = 'HKCorrelationTypeIdentifierBloodPressure';
/** The metadata keys that are kept: a hostile file may have a million others. */
const METADATA_KEYS = new Set(['HKInsulinDeliveryReason', TIME_ZONE_KEY]);
const SKIPPED_ELEMENTS = new Set([
  'ClinicalRecord',
  'Audiogram',
  'VisionPrescription',
  'ActivityEnvironment',
  'StateOfMind',
]);

/** The XML handler of an export: passes records to `records` and workouts to the caller. */
export function createExportHandler(records: RecordCollector, report: FileReport): ExportHandler {
  let ready: WorkoutElement[] = [];
  let record: RecordElement | null = null;
  let workout: WorkoutElement | null = null;
  let pair: AppleCorrelation | null = null;
  /** The depth within a workout: nested activities have statistics of their own. */
  let depth = 0;

  const openIn = (of: WorkoutElement, name: string, attributes: AppleExportAttributes) => {
    depth += 1;
    if (depth === 1 || name === 'FileReference') addWorkoutChild(of, name, attributes);
  };
  const open: XmlHandler['open'] = (name, attributes, line) => {
    if (workout) openIn(workout, name, attributes);
    else if (record) addMetadata(record, name, attributes);
    else if (name === 'Record') record = { attributes, line, metadata: null };
    else if (name === 'Correlation') pair = { attributes, line, parts: new Map() };
    else if (name === 'Workout') {
      const origin = records.originOf(attributes);
      workout = { attributes, line, origin, statistics: [], metadata: new Map(), routes: [] };
      depth = 0;
    } else handleElement(records, report, { name, attributes });
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
      finishCorrelation(records, report, pair);
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

function addMetadata(record: RecordElement, name: string, attributes: AppleExportAttributes): void {
  const key = attributes['key'] ?? '';
  if (name !== 'MetadataEntry' || !METADATA_KEYS.has(key)) return;
  record.metadata ??= new Map();
  record.metadata.set(key, attributes['value'] ?? '');
}

function handleElement(
  records: RecordCollector,
  report: FileReport,
  { name, attributes }: { name: string; attributes: AppleExportAttributes },
): void {
  if (name === 'Me') records.days.me(attributes);
  else if (name === 'ExportDate') records.days.exported(attributes);
  else if (name === 'ActivitySummary') {
    if (!records.days.activity(attributes)) report.skip('ActivitySummary without a day');
  } else if (SKIPPED_ELEMENTS.has(name)) report.skip(name);
}

function finishCorrelation(
  records: RecordCollector,
  report: FileReport,
  { attributes, line, parts }: AppleCorrelation,
): void {
  if (attributes['type'] === BLOOD_PRESSURE) records.pressure(attributes, parts, line);
  else report.skip(attributes['type'] ?? 'Correlation');
}
