import { z } from 'zod';
import type { Keyring } from '../platform/crypto/keyring.ts';
import { initialDataKeys, tenantCipher } from '../platform/crypto/cipher.ts';
import type { SealedFileContext } from '../platform/crypto/sealed-file.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { SequenceState, TableDefinition } from './tables.ts';

export const BACKUP_FORMAT = 1;

/** The first entry of a backup: its format, migrations, tables and sequences. */
export const BackupManifest = z.object({
  format: z.literal(BACKUP_FORMAT),
  madeAt: Timestamp,
  migrations: z.array(z.string()),
  tables: z.array(TableDefinition),
  sequences: z.array(SequenceState),
});
export type BackupManifest = z.output<typeof BackupManifest>;

/** The entry after the files, with the wrapped data keys at that time. Older backups have none. */
export const KEYS_ENTRY = 'keys.json';

/** The last entry: without it the backup is incomplete. */
export const BackupTrailer = z.object({
  /** Row counts by table, in the order of the manifest. */
  rows: z.array(z.int()),
  files: z.int(),
});
export type BackupTrailer = z.output<typeof BackupTrailer>;

/** The whole backup is sealed with a key derived from ENCRYPTION_KEY, because much of a database is plain text. */
export const getBackupSealing = (keyring: Pick<Keyring, 'derive'>): SealedFileContext => ({
  cipher: tenantCipher(initialDataKeys(keyring.derive('backup')), 'backup'),
  name: 'backup',
});
