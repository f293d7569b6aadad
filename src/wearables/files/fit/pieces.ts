import type { Reading } from '../../readings.ts';
import { readingsOf } from '../activity.ts';
import { FileReport, UnreadableFile } from '../report.ts';
import { partAt, type FitPart } from './chain.ts';
import { daysOf } from './days.ts';
import { messagesOf, offsetIn } from './messages.ts';
import { originOfFit } from './origin.ts';
import { samplesOf } from './samples.ts';
import type { FitSdk } from './sdk.ts';
import { tellingOf, workoutsOf, type FitFile } from './workouts.ts';

/** What is handed from thread to thread at once: a reading, or, in the end, what else there is to say. */
export type FitPiece =
  | { readonly kind: 'reading'; readonly reading: Reading }
  | { readonly kind: 'end'; readonly report: Pick<FileReport, 'faults' | 'faultCount' | 'skipped'> }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly place: string | null };

const PARTS_MAX = 1000;
/** Samples come in so many: nobody is held up for long by taking them over. */
const SAMPLES_AT_ONCE = 5000;

/**
 * A FIT file, piece by piece. All that are chained in it are decoded each by itself, so that their records do not mix.
 * One that is cut off or whose checksum is wrong is refused; the good ones before it count.
 */
export function* piecesOf(sdk: FitSdk, bytes: Buffer): Generator<FitPiece> {
  const report = new FileReport();
  let count = 0;
  try {
    for (const part of partsOf(sdk, bytes, report)) {
      for (const reading of readPart(sdk, part, report)) {
        count += 1;
        for (const piece of inPieces(reading)) yield { kind: 'reading', reading: piece };
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const { reason, place } = error;
    return yield { kind: 'unreadable', reason, place };
  }
  if (count === 0) report.fault('byte 0', 'nothing in it that is one of our resources');
  const { faults, faultCount, skipped } = report;
  yield { kind: 'end', report: { faults, faultCount, skipped } };
}

function* inPieces(reading: Reading): Generator<Reading> {
  if (reading.kind !== 'samples') return yield reading;
  for (let at = 0; at < reading.samples.length; at += SAMPLES_AT_ONCE)
    yield { ...reading, samples: reading.samples.slice(at, at + SAMPLES_AT_ONCE) };
}

function* partsOf(sdk: FitSdk, bytes: Buffer, report: FileReport): Generator<FitPart> {
  let next = 0;
  for (let count = 0; next < bytes.length; count += 1) {
    if (count >= PARTS_MAX) throw new UnreadableFile(`more than ${PARTS_MAX} files in one`, `byte ${next}`);
    try {
      const found = partAt(sdk, bytes, next);
      next = found.next;
      yield found.part;
    } catch (error) {
      if (!(error instanceof UnreadableFile) || count === 0) throw error;
      report.fault(error.place ?? `byte ${next}`, error.message);
      return;
    }
  }
}

function readPart(sdk: FitSdk, part: FitPart, report: FileReport): Reading[] {
  const messages = messagesOf(sdk, part, report);
  const file: FitFile = { part, messages, origin: originOfFit(messages), report };
  const offset = offsetIn(messages('monitoringInfoMesgs')[0]) ?? offsetIn(messages('activityMesgs')[0]);
  for (const kind of UNREAD) for (const _ of messages(kind)) report.skip(kind.replace(/Mesgs$/, ''));
  const tell = tellingOf(file);
  return [
    ...workoutsOf(file).flatMap((activity) => [...readingsOf(activity, tell)]),
    ...samplesOf(file, offset),
    ...daysOf(file, offset),
  ];
}

/** Told as skipped: measurements that the profile does not explain well enough to be made sleeps of. */
const UNREAD = ['sleepLevelMesgs', 'sleepAssessmentMesgs', 'hrvStatusSummaryMesgs', 'hrvMesgs'];
