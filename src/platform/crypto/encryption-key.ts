import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/**
 * ENCRYPTION_KEY, or the key that the first start made in DATA_DIR (mode 0600).
 * Two first starts at once agree on one key: it is written aside and linked into place, which only one can do.
 */
export async function encryptionKey(config: Config): Promise<string> {
  const known = await knownEncryptionKey(config);
  if (known !== undefined) return known;
  const file = encryptionKeyFile(config);
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  await link(aside, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(aside);
  const made = await read(file);
  if (made === undefined) throw new Error(`The encryption key could not be written to ${file}`);
  return made;
}

/** The same, where there is one already. */
export const knownEncryptionKey = async (config: Config): Promise<string | undefined> =>
  config.ENCRYPTION_KEY ?? read(encryptionKeyFile(config));

/** Where the key is that a first start makes. */
export const encryptionKeyFile = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'encryption.key');

const read = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
