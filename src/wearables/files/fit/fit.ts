import type { FileHandle } from 'node:fs/promises';
import type { Reading } from '../../readings.ts';
import { readingsOf } from '../activity.ts';
import { wholeOf } from '../bytes.ts';
import { UnreadableFile, type FileReport } from '../report.ts';
import { partAt, type FitPart } from './chain.ts';
import { daysOf } from './days.ts';
import { messagesOf, offsetIn } from './messages.ts';
import { originOfFit } from './origin.ts';
import { samplesOf } from './samples.ts';
import { fitSdk, type FitSdk } from './sdk.ts';
import { workoutsOf, type FitFile } from './workouts.ts';

/** A day of recording at one record a second has some 4 MB. The SDK decodes a file in one go. */
const LIMIT_BYTES = 16 * 1024 * 1024;
const PARTS_MAX = 1000;

/**
 * The readings of a FIT file, of all that are chained in it: every one is decoded by itself, so that their records do
 * not mix. One that is cut off or whose checksum is wrong is refused; the good ones before it count.
 */
export async function* readFit(file: FileHandle, report: FileReport): AsyncGenerator<Reading> {
  const bytes = await wholeOf(file, { report, limitBytes: LIMIT_BYTES });
  const sdk = await fitSdk();
  let count = 0;
  for (const part of partsOf(sdk, bytes, report)) {
    const read = readPart(sdk, part, report);
    count += read.length;
    yield* read;
  }
  if (count === 0) report.fault('byte 0', 'nothing in it that is one of our resources');
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
  return [
    ...workoutsOf(file).flatMap((activity) => [...readingsOf(activity)]),
    ...samplesOf(file, offset),
    ...daysOf(file, offset),
  ];
}

/** Told as skipped: measurements that the profile does not explain well enough to be made sleeps of. */
const UNREAD = ['sleepLevelMesgs', 'sleepAssessmentMesgs', 'hrvStatusSummaryMesgs', 'hrvMesgs'];
