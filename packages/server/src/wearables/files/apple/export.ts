import type { FileHandle } from 'node:fs/promises';
import type { HealthReading } from '../../../readings/readings.ts';
import { POINTS_MAX, toWorkoutReadings } from '../file-workout.ts';
import { readBytes } from '../bytes.ts';
import { readRoute } from '../gpx.ts';
import { FileReport, UnreadableFile, type FileContext } from '../report.ts';
import type { TrackPoint } from '../track.ts';
import { readXml } from '../xml.ts';
import { RecordCollector } from './records.ts';
import { createExportHandler } from './export-handler.ts';
import { toFileWorkout, type WorkoutElement } from './workouts.ts';
import { verifyRecords, openArchive, type ExportArchive } from './archive.ts';

const RECORD_BYTES_MAX = 16 * 1024 ** 3;
const ZIP_MAGIC = 0x50;
/** The share of the total time that verifying the checksum takes. */
const CHECKSUM_SHARE = 0.1;

/**
 * Reads an Apple Health export: the zip archive, or the XML document in it. Streaming: samples are yielded in batches
 * of a few thousand while reading; sleeps, daily summaries and the profile at the end, because their records are spread
 * over the export. The checksum of the archive is verified before anything is yielded.
 */
export async function* readExport(file: FileHandle, { report }: FileContext): AsyncGenerator<HealthReading> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (buffer[0] !== ZIP_MAGIC) {
    yield* readDocument({ pieces: readBytes(file, { report, limitBytes: RECORD_BYTES_MAX }), report });
    return;
  }
  const archive = await openArchive(file, report);
  report.total = Math.ceil(archive.recordBytes * (1 + CHECKSUM_SHARE));
  await verifyRecords(archive, (bytes) => (report.done += bytes * CHECKSUM_SHARE));
  yield* readDocument({ pieces: countBytes(archive.openRecords(), report), report, archive });
}

async function* countBytes(pieces: AsyncIterable<Buffer>, report: FileReport): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    report.done += piece.length;
    yield piece;
  }
}

interface ExportDocument {
  readonly pieces: AsyncIterable<Buffer>;
  readonly report: FileReport;
  /** Contains the routes; without it workouts have none. */
  readonly archive?: ExportArchive;
}

async function* readDocument({ pieces, report, archive }: ExportDocument): AsyncGenerator<HealthReading> {
  const records = new RecordCollector(report);
  const walk = createExportHandler(records, report);
  for await (const _ of readXml(pieces, walk.handler)) {
    yield* records.samples.take();
    for (const workout of walk.takeWorkouts()) yield* readWorkout(workout, { records, report, archive });
  }
  yield* records.samples.take(true);
  yield* records.sleeps.readings();
  yield* records.days.readings();
}

interface ExportContext {
  readonly records: RecordCollector;
  readonly report: FileReport;
  readonly archive: ExportArchive | undefined;
}

async function* readWorkout(
  workout: WorkoutElement,
  { records, report, archive }: ExportContext,
): AsyncGenerator<HealthReading> {
  const route: TrackPoint[] = [];
  for (const path of workout.routes) {
    for (const point of await readRoutePoints(path, { archive, report, line: workout.line }))
      route.push(point);
    if (route.length > POINTS_MAX) break;
  }
  const rates = (start: number, end: number) => records.hearts.between(start, end, POINTS_MAX);
  const tell = (reason: string) => report.fault(`line ${workout.line}`, reason);
  const activity = toFileWorkout(workout, { route: route.slice(0, POINTS_MAX), rates, tell });
  if (activity) yield* toWorkoutReadings(activity, { tell, timeZone: null });
  else tell('a workout without a valid time');
}

/** A missing or broken route is reported; the workout is kept without it. */
async function readRoutePoints(
  path: string,
  { archive, report, line }: { archive: ExportArchive | undefined; report: FileReport; line: number },
): Promise<TrackPoint[]> {
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
