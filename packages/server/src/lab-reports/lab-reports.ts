import type { App } from '../app.ts';
import type { Loop } from '../platform/jobs/loop.ts';
import { checkLoincCsv } from 'aliquot-report-reader/loinc-csv';
import { startFileCleaner } from './files.ts';
import { startReportReaders } from './read-report.ts';

/**
 * Lab report parsing: uploaded reports are stored encrypted, read by isolated worker processes, and reviewed by people
 * where that is required.
 */
export { expireReportFiles } from './expire-files-store.ts';
export type { ReportExtraction } from './extraction.ts';
export { openExtraction as openReportExtraction } from './job.ts';
export { labReportRoutes } from './routes.ts';
export { findReportReader, REPORT_READER_PACKAGE } from './readers/find-report-reader.ts';
export { listFileIds } from './file-store.ts';
export { LAB_REPORT_FILES, resealFile, type ReportFileSealing } from './files.ts';

/** The background loops of a worker: readers, and the cleaner that removes files without a job. */
export const startLabReports = (app: App): Loop[] => [startReportReaders(app), startFileCleaner(app)];

/** Throws if the operator's LOINC table (LOINC_CSV) cannot be read, because every report would fail on it. */
export async function checkOwnLoincTable({ config }: App): Promise<void> {
  if (config.LOINC_CSV !== undefined) await checkLoincCsv(config.LOINC_CSV);
}
