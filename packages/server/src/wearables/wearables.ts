/**
 * Measurements of users' devices: ingested from providers, files, apps and the demo, stored once, emitted as events and
 * read back. The entry point for other modules.
 */
export {
  COUNTED_RESOURCES,
  sortByPriority,
  toInterval,
  mergeIntervals,
  type CountedResource,
  type AmountInterval,
} from './daily/daily.ts';
export { FileReport, detectFileKind } from './files/files.ts';
export { importFile, type FileImport } from './files/import-file.ts';
export { readSummaries, type SummaryView } from './records/records.ts';
export { readSamples, type StoredSource } from './samples/samples.ts';
export { ingest } from './ingestion/ingestion.ts';
export { previewLinkPage } from './link/preview-page.ts';
export { loadTenantOfUser, WEARABLE_FILES } from './uploads/uploads.ts';
