import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { openFiles } from '../../stored-files/stored-files.ts';
import { fileRows } from './file-store.ts';

const files = openFiles('wearable-files', fileRows);

export const { bytesOf } = files;
export const keepFile = files.keep;
export const dropFiles = files.drop;
export const cleanFiles = files.clean;
export const startFileCleaner = files.startCleaner;

/** Where the files lie, for who copies all of them. */
export const WEARABLE_FILES = { table: 'wearable_file', keyOf: files.keyOf };

/** The first bytes of a file. */
export async function headOf(app: App, file: { tenant: Tenant; id: string }, most: number): Promise<Buffer> {
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
 * The file in clear, open for reading anywhere in it. It has no name on the disk: it is gone when it is closed, and
 * when the process falls.
 */
export async function openCopy(app: App, tenant: Tenant, id: string): Promise<FileHandle> {
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
