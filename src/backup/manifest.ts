import { z } from 'zod';
import type { Keyring } from '../platform/crypto/keyring.ts';
import { firstKeys, tenantCipher } from '../platform/crypto/cipher.ts';
import type { FilePlace } from '../platform/crypto/sealed-file.ts';
import { SequenceState, TableForm } from './tables.ts';

export const FORMAT = 1;

/** The first entry of a backup: what it was made of. */
export const Manifest = z.object({
  format: z.literal(FORMAT),
  madeAt: z.iso.datetime({ offset: true }),
  migrations: z.array(z.string()),
  tables: z.array(TableForm),
  sequences: z.array(SequenceState),
});
export type Manifest = z.output<typeof Manifest>;

/** The entry behind the files, with the wrapped data keys as they were then; older backups have none. */
export const KEYS = 'keys.json';

/** The last entry: without it the backup is not whole. */
export const End = z.object({
  /** Rows by table, in the order of the manifest. */
  rows: z.array(z.int()),
  files: z.int(),
});
export type End = z.output<typeof End>;

/** A backup is sealed as a whole with a key that follows from ENCRYPTION_KEY: much of a database is in clear. */
export const placeOf = (keyring: Pick<Keyring, 'derive'>): FilePlace => ({
  cipher: tenantCipher(firstKeys(keyring.derive('backup')), 'backup'),
  name: 'backup',
});
