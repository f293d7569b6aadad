import type { FileStorage } from '../adapters/file-storage/port.ts';
import { readHeader, type BackupHeader } from './header.ts';
import type { BackupSource } from './inspect.ts';
import { timeOfName } from './schedule.ts';

const FOLDER = 'backups';

export const keyOfBackup = (name: string): string => `${FOLDER}/${name}`;

/** A scheduled backup in the storage, or one that cannot be read and why. */
interface StoredBackup {
  readonly name: string;
  readonly bytes: number;
  readonly header: BackupHeader | undefined;
}

interface StoredBackupName {
  readonly name: string;
  readonly bytes: number;
}

/** The scheduled backups, newest first. */
export async function listBackupNames(storage: FileStorage): Promise<StoredBackupName[]> {
  const found: StoredBackupName[] = [];
  for await (const { key, bytes } of storage.list(FOLDER)) {
    const name = key.slice(FOLDER.length + 1);
    if (timeOfName(name)) found.push({ name, bytes });
  }
  return found.toSorted((one, other) => (one.name < other.name ? 1 : -1));
}

/** The scheduled backups with their headers, which say which key opens them; newest first. */
export async function listBackups(storage: FileStorage): Promise<StoredBackup[]> {
  const backups: StoredBackup[] = [];
  for (const { name, bytes } of await listBackupNames(storage))
    backups.push({ name, bytes, header: await readStoredHeader(storage, name) });
  return backups;
}

async function readStoredHeader(storage: FileStorage, name: string): Promise<BackupHeader | undefined> {
  try {
    const { header, rest } = await readHeader(storage.get(keyOfBackup(name)));
    await rest[Symbol.asyncIterator]().return?.();
    return header;
  } catch {
    return undefined;
  }
}

/** The source of a scheduled backup, by its name or `latest`. Throws if there is none. */
export async function findBackup(
  storage: FileStorage,
  name: string,
): Promise<{ readonly name: string; readonly source: BackupSource }> {
  const names = (await listBackupNames(storage)).map((one) => one.name);
  const found = name === 'latest' ? names[0] : names.find((one) => one === name);
  if (found === undefined)
    throw new Error(
      name === 'latest'
        ? 'There is no scheduled backup: set BACKUP_SCHEDULE, or name a file'
        : `There is no scheduled backup ${name}: \`aliquot backup list\` names them`,
    );
  return { name: found, source: () => storage.get(keyOfBackup(found)) };
}
