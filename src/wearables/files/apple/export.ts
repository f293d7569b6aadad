import type { FileHandle } from 'node:fs/promises';
import type { Reading } from '../../readings.ts';
import { POINTS_MAX, readingsOf } from '../activity.ts';
import { bytesOf } from '../bytes.ts';
import { readRoute } from '../gpx.ts';
import { FileReport, UnreadableFile } from '../report.ts';
import type { Point } from '../track.ts';
import { readXml } from '../xml.ts';
import { Records } from './records.ts';
import { walkExport } from './walk.ts';
import { activityOf, type WorkoutElement } from './workouts.ts';
import { checkRecords, openArchive, type ExportArchive } from './zip.ts';

const RECORD_BYTES_MAX = 16 * 1024 ** 3;
const ZIP_MAGIC = 0x50;
/** To look at the checksum first takes about so much of the whole time. */
const CHECKING = 0.1;

/**
 * The readings of an export of Apple Health: the archive, or the document in it. Records are handed out as they come,
 * a few thousand together; sleeps, days and the person at the end, for their records are spread over the export. The
 * checksum of the archive is looked at before anything is handed out.
 */
export async function* readExport(file: FileHandle, report: FileReport): AsyncGenerator<Reading> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (buffer[0] !== ZIP_MAGIC) {
    yield* readDocument({ pieces: bytesOf(file, { report, limitBytes: RECORD_BYTES_MAX }), report });
    return;
  }
  const archive = await openArchive(file, report);
  report.total = Math.ceil(archive.recordBytes * (1 + CHECKING));
  await checkRecords(archive, (bytes) => (report.done += bytes * CHECKING));
  yield* readDocument({ pieces: counted(archive.openRecords(), report), report, archive });
}

async function* counted(pieces: AsyncIterable<Buffer>, report: FileReport): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    report.done += piece.length;
    yield piece;
  }
}

interface Document {
  readonly pieces: AsyncIterable<Buffer>;
  readonly report: FileReport;
  /** Where routes are; without it workouts have none. */
  readonly archive?: ExportArchive;
}

async function* readDocument({ pieces, report, archive }: Document): AsyncGenerator<Reading> {
  const records = new Records(report);
  const walk = walkExport(records, report);
  for await (const _ of readXml(pieces, walk.handler)) {
    yield* records.samples.take();
    for (const workout of walk.takeWorkouts()) yield* readWorkout(workout, { records, report, archive });
  }
  yield* records.samples.take(true);
  yield* records.sleeps.readings();
  yield* records.days.readings();
}

interface Around {
  readonly records: Records;
  readonly report: FileReport;
  readonly archive: ExportArchive | undefined;
}

async function* readWorkout(
  workout: WorkoutElement,
  { records, report, archive }: Around,
): AsyncGenerator<Reading> {
  const route: Point[] = [];
  for (const path of workout.routes) {
    for (const point of await pointsOf(path, { archive, report, line: workout.line })) route.push(point);
    if (route.length > POINTS_MAX) break;
  }
  const rates = (start: number, end: number) => records.hearts.between(start, end, POINTS_MAX);
  const tell = (reason: string) => report.fault(`line ${workout.line}`, reason);
  const activity = activityOf(workout, { route: route.slice(0, POINTS_MAX), rates, tell });
  if (activity) yield* readingsOf(activity, tell);
  else tell('a workout without a time that there is');
}

/** A route that is missing or broken takes nothing from its workout but the route. */
async function pointsOf(
  path: string,
  { archive, report, line }: { archive: ExportArchive | undefined; report: FileReport; line: number },
): Promise<Point[]> {
  try {
    const bytes = archive?.openRoute(path);
    if (bytes) return await readRoute(bytes, new FileReport());
    report.fault(`line ${line}`, `the route ${path} is not in the archive`);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    report.fault(`line ${line}`, `the route ${path}: ${error.message}`);
  }
  return [];
}
