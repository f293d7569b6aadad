import type pg from 'pg';
import { z } from 'zod';
import { Timestamp } from '../platform/timestamp.ts';
import { listMigrations, SequenceState, TableDefinition } from './tables.ts';

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

/** Throws for a backup by another version, with what to do about it. */
export async function requireSameMigrations(
  client: pg.ClientBase,
  manifest: BackupManifest,
  whatToDo: string,
): Promise<void> {
  const here = await listMigrations(client);
  const unknown = manifest.migrations.filter((name) => !here.includes(name));
  const newer = here.filter((name) => !manifest.migrations.includes(name));
  if (unknown.length + newer.length === 0) return;
  const difference = [...unknown, ...newer].join(', ');
  throw new Error(`The backup was made by another version: ${whatToDo}. Different migrations: ${difference}`);
}
