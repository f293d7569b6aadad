import { z } from 'zod';
import { uploadedFiles } from '../../platform/http/multipart.ts';
import { FILE_KINDS } from '../files/files.ts';
import { Moment } from '../source.ts';

export const WearableFileUser = z.object({ user_id: z.guid() });
export const WearableFileId = WearableFileUser.extend({ file_id: z.guid() });

export const ImportWearableFile = z
  .object({
    file: uploadedFiles()
      .max(1)
      .describe('FIT, TCX or GPX, plain or packed with gzip, or the export.zip of Apple Health.'),
  })
  .meta({ id: 'ImportWearableFileBody' });

const Counts = z
  .object({ created: z.int(), updated: z.int(), unchanged: z.int() })
  .meta({ id: 'WearableFileCounts' });

const Fault = z
  .object({
    place: z.string().describe('As `line 120`, `byte 4711`, or the place in a reading that was refused.'),
    reason: z.string(),
  })
  .meta({ id: 'WearableFileFault' });

export const FailureReason = z.enum(['unreadable_file', 'processing_error']);

/** What came of a file; sealed where it is kept. */
export const Outcome = z.object({
  failure_reason: FailureReason.nullable(),
  failure_message: z.string().nullable(),
  counts: z.record(z.string(), Counts),
  skipped: z.record(z.string(), z.int()),
  faults: z.array(Fault),
  fault_count: z.int(),
});
export type Outcome = z.output<typeof Outcome>;

export const WearableFileView = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    status: z.enum(['received', 'reading', 'completed', 'failed']),
    kind: z.enum(FILE_KINDS).describe('By the bytes of the file.'),
    bytes: z.int(),
    progress: z.number().describe('0 to 1.'),
    failure_reason: FailureReason.nullable(),
    failure_message: z.string().nullable().describe('With the byte, line or entry.'),
    counts: z.record(z.string(), Counts).describe('By resource.'),
    skipped: z
      .record(z.string(), z.int())
      .describe('Kinds of record that no resource is made of, and how many.'),
    faults: z.array(Fault).describe('What was left out because it could not be understood; the first 100.'),
    fault_count: z.int(),
    created_at: Moment,
    updated_at: Moment,
  })
  .meta({ id: 'WearableFile' });
