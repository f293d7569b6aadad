import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/**
 * Returns ENCRYPTION_KEY, or the key in DATA_DIR, which the first start creates (mode 0600). Concurrent first starts
 * agree on one key: it is written aside and hard-linked into place, which only one can do.
 */
export async function loadOrCreateEncryptionKey(config: Config): Promise<string> {
  const known = await loadEncryptionKey(config);
  if (known !== undefined) return known;
  const file = encryptionKeyPath(config);
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  await link(aside, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(aside);
  const made = await readKeyFile(file);
  if (made === undefined) throw new Error(`The encryption key could not be written to ${file}`);
  return made;
}

/** The same, but undefined if there is no key yet. */
export const loadEncryptionKey = async (config: Config): Promise<string | undefined> =>
  config.ENCRYPTION_KEY ?? readKeyFile(encryptionKeyPath(config));

/** The path of the key that a first start creates. */
export const encryptionKeyPath = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'encryption.key');

const readKeyFile = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
