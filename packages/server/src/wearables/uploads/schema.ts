import { z } from 'zod';
import { uploadedFiles } from '../../platform/http/multipart.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { FILE_KINDS } from '../files/files.ts';

export const WearableFileUser = z.object({ user_id: z.guid() });
export const WearableFileId = WearableFileUser.extend({ file_id: z.guid() });

export const ImportWearableFileBody = z
  .object({
    file: uploadedFiles()
      .max(1)
      .describe('FIT, TCX or GPX, optionally gzipped, a zip of one FIT file, or an Apple Health export.zip.'),
  })
  .meta({ id: 'ImportWearableFileBody' });

const Counts = z
  .object({ created: z.int(), updated: z.int(), unchanged: z.int() })
  .meta({ id: 'WearableFileCounts' });

const WearableFileFault = z
  .object({
    place: z.string().describe('Such as `line 120`, `byte 4711`, or the path in a rejected reading.'),
    reason: z.string(),
  })
  .meta({ id: 'WearableFileFault' });

const FailureReason = z.enum(['unreadable_file', 'processing_error']);

/** The result of an import; stored encrypted. */
export const UploadOutcome = z.object({
  failure_reason: FailureReason.nullable(),
  failure_message: z.string().nullable(),
  counts: z.record(z.string(), Counts),
  skipped: z.record(z.string(), z.int()),
  faults: z.array(WearableFileFault),
  fault_count: z.int(),
});
export type UploadOutcome = z.output<typeof UploadOutcome>;

export const WearableFileView = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    status: z.enum(['received', 'reading', 'completed', 'failed']),
    kind: z.enum(FILE_KINDS).describe('Detected from the content of the file.'),
    bytes: z.int(),
    progress: z.number().describe('From 0 to 1.'),
    failure_reason: FailureReason.nullable(),
    failure_message: z.string().nullable().describe('Includes the byte, line or archive entry.'),
    counts: z.record(z.string(), Counts).describe('Counts by resource.'),
    skipped: z.record(z.string(), z.int()).describe('The number of unused records, by kind.'),
    faults: z
      .array(WearableFileFault)
      .describe('Parts that were left out because they are invalid; the first 100.'),
    fault_count: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'WearableFile' });
