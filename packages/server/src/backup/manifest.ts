import { z } from 'zod';
import { Timestamp } from '../platform/timestamp.ts';
import { SequenceState, TableDefinition } from './tables.ts';

/** The first entry of a backup: its migrations, tables and sequences. */
export const BackupManifest = z.object({
  madeAt: Timestamp,
  migrations: z.array(z.string()),
  tables: z.array(TableDefinition),
  sequences: z.array(SequenceState),
});
export type BackupManifest = z.output<typeof BackupManifest>;

/** The entry after the files, with the wrapped data keys at that time. */
export const KEYS_ENTRY = 'keys.json';

/** The last entry: without it the backup is incomplete. */
export const BackupTrailer = z.object({
  /** Row counts by table, in the order of the manifest. */
  rows: z.array(z.int()),
  /** The digests of the rows by table (row-digest.ts), in the same order. */
  digests: z.array(z.string()),
  files: z.int(),
});
export type BackupTrailer = z.output<typeof BackupTrailer>;
