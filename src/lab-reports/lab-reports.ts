import type { App } from '../app.ts';
import type { Loop } from '../platform/jobs/loop.ts';
import { checkLoincCsv } from './coding/read-loinc-csv.ts';
import { startFileCleaner } from './files.ts';
import { startReportReaders } from './read-report.ts';

// Lab reports that somebody hands in: kept sealed, read by processes of their own, reviewed by people.
export { labReportRoutes } from './routes.ts';
export { listFileIds } from './file-store.ts';
export { LAB_REPORT_FILES, resealFile, type Sealing } from './files.ts';

/** What a worker does for lab reports all the time: reads them, and removes files that belong to nothing. */
export const startLabReports = (app: App): Loop[] => [startReportReaders(app), startFileCleaner(app)];

/** Throws where the operator's own codes cannot be read: every report would fail of it, one after the other. */
export async function checkOwnCodes({ config }: App): Promise<void> {
  if (config.LOINC_CSV !== undefined) await checkLoincCsv(config.LOINC_CSV);
}
