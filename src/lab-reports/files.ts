import { NoSuchFile } from '../adapters/file-storage/port.ts';
import { readTenant, type App } from '../app.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { generationOfFile, openFile, sealFile } from '../platform/crypto/sealed-file.ts';
import type { Tenant } from '../platform/tenant.ts';
import { openFiles } from '../stored-files/stored-files.ts';
import * as store from './file-store.ts';

const files = openFiles('lab-reports', store.fileRows);
const { keyOf } = files;

export const keepFile = files.keep;
export const dropFiles = files.drop;
export const cleanFiles = files.clean;
export const startFileCleaner = files.startCleaner;

/** Where the files lie, for who copies all of them. */
export const LAB_REPORT_FILES = { table: 'lab_report_file', keyOf };

/** The whole file in clear, in memory. Throws unless every byte of it is as it was written. */
export async function fetchFile(app: App, tenant: Tenant, id: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of files.bytesOf(app, tenant, id)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Whose files are sealed anew, with the cipher that knows the newest key. */
export interface Sealing {
  readonly tenant: Tenant;
  readonly cipher: TenantCipher;
}

/**
 * Seals a file anew under the newest data key unless it is so already. `closed` where it does not open: it stays as it
 * is. One that is not written whole yet, or is gone, is nobody's concern.
 */
export async function resealFile(
  app: App,
  { tenant, cipher }: Sealing,
  id: string,
): Promise<'resealed' | 'as it is' | 'closed'> {
  const place = { cipher, name: keyOf(tenant, id) };
  try {
    if ((await sealedBy(app, place.name)) === cipher.generation) return 'as it is';
    const pieces: Buffer[] = [];
    for await (const piece of openFile(place, app.fileStorage.get(place.name))) pieces.push(piece);
    await app.fileStorage.put(place.name, sealFile(place, one(Buffer.concat(pieces))));
  } catch (error) {
    if (error instanceof NoSuchFile) return 'as it is';
    app.log.error({ team_id: tenant.teamId, file_id: id, err: error }, 'a file could not be sealed anew');
    return 'closed';
  }
  if (!(await readTenant(app, tenant, (now) => store.isFile(now, id))))
    await app.fileStorage.remove(place.name);
  return 'resealed';
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The generation of the key that sealed the first piece of a file. */
async function sealedBy(app: App, key: string): Promise<number> {
  let head = Buffer.alloc(0);
  for await (const some of app.fileStorage.get(key)) {
    head = Buffer.concat([head, some]);
    const generation = generationOfFile(head);
    if (generation !== undefined) return generation;
  }
  throw new Error('The sealed file is cut off');
}
