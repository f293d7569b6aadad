import type { HealthReading } from '../../../readings/readings.ts';
import { toWorkoutReadings } from '../file-workout.ts';
import { FileReport, UnreadableFile, type FileContext } from '../report.ts';
import { readSegment, type FitSegment } from './chain.ts';
import { readDays } from './days.ts';
import { decodeMessages, getOffset } from './messages.ts';
import { readFitOrigin } from './origin.ts';
import { readSamples } from './samples.ts';
import type { FitSdk } from './sdk.ts';
import { mergeStrapRates, type DecodedSegment } from './strap.ts';
import { createFaultReporter, readWorkouts, type FitFile } from './workouts.ts';

/** A message from the decoder thread: a reading, or the final report or error. */
export type FitPiece =
  | { readonly kind: 'reading'; readonly reading: HealthReading }
  | { readonly kind: 'end'; readonly report: Pick<FileReport, 'faults' | 'faultCount' | 'skipped'> }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly place: string | null };

const SEGMENTS_MAX = 1000;
/** Limits the size of a message between threads. */
const SAMPLES_PER_PIECE = 5000;

/**
 * Decodes a FIT file piece by piece. Chained FIT files are decoded separately, so that their records do not mix; only
 * the heart rates of a strap reach the records of others. A truncated or corrupt one is rejected; the valid ones before
 * it are kept.
 */
export function* readPieces(sdk: FitSdk, bytes: Buffer, timeZone: string | null): Generator<FitPiece> {
  const report = new FileReport();
  let count = 0;
  try {
    const decoded = [...readSegments(sdk, bytes, report)].map((part) => ({
      part,
      messages: decodeMessages(sdk, part, report),
    }));
    for (const segment of mergeStrapRates(decoded, report)) {
      for (const reading of readSegmentReadings(segment, { report, timeZone })) {
        count += 1;
        for (const piece of splitReading(reading)) yield { kind: 'reading', reading: piece };
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const { reason, place } = error;
    return yield { kind: 'unreadable', reason, place };
  }
  if (count === 0) report.fault('byte 0', 'the file contains no supported data');
  const { faults, faultCount, skipped } = report;
  yield { kind: 'end', report: { faults, faultCount, skipped } };
}

function* splitReading(reading: HealthReading): Generator<HealthReading> {
  if (reading.kind !== 'samples') return yield reading;
  for (let at = 0; at < reading.samples.length; at += SAMPLES_PER_PIECE)
    yield { ...reading, samples: reading.samples.slice(at, at + SAMPLES_PER_PIECE) };
}

function* readSegments(sdk: FitSdk, bytes: Buffer, report: FileReport): Generator<FitSegment> {
  let next = 0;
  for (let count = 0; next < bytes.length; count += 1) {
    if (count >= SEGMENTS_MAX)
      throw new UnreadableFile(`more than ${SEGMENTS_MAX} FIT files in one`, `byte ${next}`);
    try {
      const found = readSegment(sdk, bytes, next);
      next = found.next;
      yield found.part;
    } catch (error) {
      if (!(error instanceof UnreadableFile) || count === 0) throw error;
      report.fault(error.place ?? `byte ${next}`, error.message);
      return;
    }
  }
}

function readSegmentReadings(
  { part, messages }: DecodedSegment,
  { report, timeZone }: FileContext,
): HealthReading[] {
  const file: FitFile = { part, messages, origin: readFitOrigin(messages), report };
  const offset = getOffset(messages('monitoringInfoMesgs')[0]) ?? getOffset(messages('activityMesgs')[0]);
  for (const kind of UNSUPPORTED_KINDS)
    for (const _ of messages(kind)) report.skip(kind.replace(/Mesgs$/, ''));
  const tell = createFaultReporter(file);
  return [
    ...readWorkouts(file).flatMap((activity) => [...toWorkoutReadings(activity, { tell, timeZone })]),
    ...readSamples(file, offset),
    ...readDays(file, { offset, timeZone }),
  ];
}

/** Reported as skipped: the profile does not document these well enough to convert them. */
const UNSUPPORTED_KINDS = ['sleepLevelMesgs', 'sleepAssessmentMesgs', 'hrvStatusSummaryMesgs', 'hrvMesgs'];
