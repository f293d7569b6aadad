/** What can be known of the files of a report without opening them: safe in a process that must not crash. */
export { checkTypes, type ReportFile } from './check-types.ts';
export { FILE_TYPES, IMAGES_MAX, PAGES_MAX, type FileCheck, type FileType } from './limits.ts';
