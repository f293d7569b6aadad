/**
 * Reads laboratory reports: bytes of a PDF or of images in, result lines out, with LOINC codes and the place of every
 * part on its page. It has no database and no network. Files come from strangers: read them in a process of its own,
 * with limits of time and memory.
 */
export type { LoincCoding, LoincMatch } from './coding/coding.ts';
export { checkFiles } from './files/check-files.ts';
export {
  checkTypes,
  FILE_TYPES,
  IMAGES_MAX,
  PAGES_MAX,
  type FileCheck,
  type FileType,
  type ReportFile,
} from './files/files.ts';
export { disableNetwork } from './files/no-network.ts';
export { renderPageImage } from './files/page-image.ts';
export {
  readFiles,
  type FileReading,
  type ReadFailure,
  type ReadFilesOptions,
  type ReadLine,
  type ReportReading,
} from './read-files.ts';
export type { MeasurementKind, Sensitivity } from './reading/line-kinds.ts';
export type { ParsedMetadata, ParsedResult } from './reading/report-model.ts';
export type { ExtractorLine, PageWord } from './second-reading/extractor.ts';
