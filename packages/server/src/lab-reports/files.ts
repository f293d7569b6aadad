import { FileNotFoundError } from '../adapters/file-storage/port.ts';
import { readTenant, type App } from '../app.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { generationOfFile, openFile, sealFile } from '../platform/crypto/sealed-file.ts';
import type { Tenant } from '../platform/tenant.ts';
import { openStoredFiles } from '../stored-files/stored-files.ts';
import * as store from './file-store.ts';

const files = openStoredFiles('lab-reports', store.fileRows);
const { keyOf } = files;

export const keepFile = files.keep;
export const dropFiles = files.drop;
export const cleanFiles = files.clean;
export const startFileCleaner = files.startCleaner;

/** Table and storage keys of the files, for backups. */
export const LAB_REPORT_FILES = { table: 'lab_report_file', keyOf };

/** Decrypts a whole file into memory. Throws if any byte differs from what was written. */
export async function fetchFile(app: App, tenant: Tenant, id: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of files.bytesOf(app, tenant, id)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The tenant whose files are resealed, and its cipher with the newest key. */
export interface ReportFileSealing {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
}

/**
 * Reseals a file under the newest data key unless it already is. Returns `closed` if it cannot be decrypted; it then
 * stays unchanged. A file that is deleted or not yet fully written counts as `as it is`.
 */
export async function resealFile(
  app: App,
  { tenant, cipher }: ReportFileSealing,
  id: string,
): Promise<'resealed' | 'as it is' | 'closed'> {
  const place = { cipher, name: keyOf(tenant, id) };
  try {
    if ((await readKeyGeneration(app, place.name)) === cipher.generation) return 'as it is';
    const pieces: Buffer[] = [];
    for await (const piece of openFile(place, app.fileStorage.get(place.name))) pieces.push(piece);
    await app.fileStorage.put(place.name, sealFile(place, singleChunk(Buffer.concat(pieces))));
  } catch (error) {
    if (error instanceof FileNotFoundError) return 'as it is';
    app.log.error(
      { team_id: tenant.teamId, file_id: id, err: error },
      'a lab report file could not be resealed under the newest key',
    );
    return 'closed';
  }
  if (!(await readTenant(app, tenant, (now) => store.hasFile(now, id))))
    await app.fileStorage.remove(place.name);
  return 'resealed';
}

async function* singleChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The key generation that sealed the first chunk of a file. */
async function readKeyGeneration(app: App, key: string): Promise<number> {
  let head = Buffer.alloc(0);
  for await (const some of app.fileStorage.get(key)) {
    head = Buffer.concat([head, some]);
    const generation = generationOfFile(head);
    if (generation !== undefined) return generation;
  }
  throw new Error('The sealed file is truncated');
}
