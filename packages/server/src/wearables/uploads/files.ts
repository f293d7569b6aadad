import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { openStoredFiles } from '../../stored-files/stored-files.ts';
import { fileRows } from './file-store.ts';

const files = openStoredFiles('wearable-files', fileRows);

const { bytesOf } = files;
export const saveFile = files.keep;
export const deleteFiles = files.drop;
export const cleanFiles = files.clean;
export const startFileCleaner = files.startCleaner;

/** The location of the files, for backups. */
export const WEARABLE_FILES = { table: 'wearable_file', keyOf: files.keyOf };

/** The first bytes of a file. */
export async function readHead(
  app: App,
  file: { tenant: Tenant; id: string },
  most: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bytesOf(app, file.tenant, file.id)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= most) break;
  }
  return Buffer.concat(pieces).subarray(0, most);
}

/**
 * A decrypted copy of a file for random access. It is unlinked at once, so it disappears when it is closed or when the
 * process crashes.
 */
export async function openDecryptedCopy(app: App, tenant: Tenant, id: string): Promise<FileHandle> {
  const folder = join(app.config.DATA_DIR, 'reading');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, newId());
  const copy = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    for await (const piece of bytesOf(app, tenant, id)) await copy.writeFile(piece);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}
