import type { FileHandle } from 'node:fs/promises';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import { findUser } from '../../users/users/users.ts';
import {
  addResults,
  ingest,
  emitPendingEvents,
  type IngestionCount,
  type IngestionRefusal,
} from '../ingestion/ingestion.ts';
import { ActivityFiller } from './fill-activity.ts';
import { readFile, type FileKind } from './files.ts';
import { UnreadableFile, type FileFault, type FileReport } from './report.ts';

/** The result of an import. */
export interface FileImport {
  readonly counts: Readonly<Record<string, IngestionCount>>;
  readonly skipped: Readonly<Record<string, number>>;
  /** Faults of parsing, then faults of validation; a limited number of each. */
  readonly faults: readonly FileFault[];
  readonly faultCount: number;
  /** Set if reading ended early; the readings before that are stored. */
  readonly broken: UnreadableFile | null;
}

/** The file is invalid as a whole; nothing is stored. */
export class FileRejected extends Error {}

interface FileImportInput {
  readonly file: FileHandle;
  readonly kind: FileKind;
  readonly report: FileReport;
  /** Called between readings; throws to stop. */
  readonly check: () => void;
}

/**
 * Reads a file and stores it as history of the user. At the end, emits one event per resource and provider with the
 * interval that has new data. Idempotent: importing the same file again changes nothing and emits nothing. Throws
 * `FileRejected` if the file is invalid as a whole, and a 404 if there is no such user.
 */
export async function importFile(
  app: App,
  to: { readonly tenant: Tenant; readonly userId: string },
  { file, kind, report, check }: FileImportInput,
): Promise<FileImport> {
  const told: { broken: UnreadableFile | null; count: number } = { broken: null, count: 0 };
  const timeZone = await readTenant(app, to.tenant, (work) => findTimeZone(work, to.userId));
  const filler = kind === 'apple_health' ? new ActivityFiller() : null;
  async function* readings(): AsyncGenerator<HealthReading> {
    try {
      for await (const reading of readFile(kind, file, { report, timeZone })) {
        check();
        told.count += 1;
        if (!filler?.take(reading)) yield reading;
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      told.broken = error;
    }
  }
  async function* activities(days: AsyncIterable<HealthReading>): AsyncGenerator<HealthReading> {
    for await (const day of days) {
      check();
      yield day;
    }
  }
  let taken = await ingest(app, to, readings(), { emitEvents: 'in sum' });
  if (filler) {
    const filled = await ingest(app, to, activities(filler.readings(app, to)), { emitEvents: 'in sum' });
    taken = addResults(taken, filled);
  }
  await inTenant(app, to.tenant, (work) => emitPendingEvents(work, to.userId));
  const { broken } = told;
  if (broken && told.count === 0) throw new FileRejected(broken.message);
  return {
    counts: taken.counts,
    skipped: Object.fromEntries(report.skipped),
    faults: [...report.faults, ...taken.refused.map(toFileFault)],
    faultCount: report.faultCount + taken.refusedCount,
    broken,
  };
}

const findTimeZone = async (work: Work, userId: string): Promise<string | null> =>
  (await findUser(work, userId))?.fallbackTimeZone?.value ?? null;

const toFileFault = ({ reading, resource, loc, msg }: IngestionRefusal): FileFault => ({
  place: `${resource}, reading ${reading}${loc.length > 0 ? `, ${loc.join('.')}` : ''}`,
  reason: msg,
});
