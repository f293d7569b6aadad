import { NoSuchFile } from '../adapters/file-storage/port.ts';
import { inTenant, readTenant, type App } from '../app.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { HOUR, later } from '../platform/clock.ts';
import { generationOfFile, openFile, sealFile } from '../platform/crypto/sealed-file.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tenant } from '../platform/tenant.ts';
import * as store from './file-store.ts';

/** An upload that takes longer has come to nothing. */
const STRAY_AFTER_MS = HOUR;
const TIDY_EVERY_MS = 60_000;
const TIDY_BATCH = 100;
const RETRY_AFTER_SECONDS = 10;

const keyOf = ({ teamId, environment }: { teamId: string; environment: string }, id: string): string =>
  `lab-reports/${teamId}/${environment}/${id}`;

/** Where the files lie, for who copies all of them. */
export const LAB_REPORT_FILES = { table: 'lab_report_file', keyOf };

async function placeOf(app: App, tenant: Tenant, id: string) {
  return { cipher: await app.keyring.of(tenant), name: keyOf(tenant, id) };
}

/**
 * Writes a file into the storage, sealed as it comes; answers its id. It is noted before its first byte, so that
 * whatever happens, somebody knows of it: without a job it is removed after an hour.
 */
export async function keepFile(app: App, tenant: Tenant, bytes: AsyncIterable<Buffer>): Promise<string> {
  const id = newId();
  const madeAt = app.clock.now();
  await inTenant(app, tenant, (work) => store.insertFile(work, id, madeAt));
  try {
    await app.fileStorage.put(keyOf(tenant, id), sealFile(await placeOf(app, tenant, id), bytes));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    app.log.warn({ err: error }, 'a file could not be written to the file storage');
    throw new DomainError('unavailable', 'The file storage cannot be reached', RETRY_AFTER_SECONDS);
  }
  return id;
}

/** The whole file in clear, in memory. Throws unless every byte of it is as it was written. */
export async function fetchFile(app: App, tenant: Tenant, id: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const sealed = app.fileStorage.get(keyOf(tenant, id));
  for await (const piece of openFile(await placeOf(app, tenant, id), sealed)) pieces.push(piece);
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

/** Removes those of the files that belong to no job. */
export async function dropFiles(app: App, tenant: Tenant, ids: readonly string[]): Promise<void> {
  const strays = await inTenant(app, tenant, (work) => store.listNobodys(work, ids));
  await removeAll(
    app,
    strays.map((id) => ({ tenant, id })),
  );
}

async function removeAll(app: App, files: readonly store.StrayFile[]): Promise<void> {
  for (const file of files) {
    await app.fileStorage.remove(keyOf(file.tenant, file.id));
    await asSystem(app.db, (tx) => store.deleteFile(tx, file));
    // Once more, for who sealed it anew in between; he looks afterwards whether it is still to be there.
    await app.fileStorage.remove(keyOf(file.tenant, file.id));
  }
}

/** Removes files that belong to nothing: of uploads that were cut off, and of users who were erased. */
export const startFileCleaner = (app: App): Loop =>
  startLoop(app, { name: 'lab-report-files', everyMs: TIDY_EVERY_MS, round: () => cleanFiles(app) });

/** Answers whether there may be more. */
export async function cleanFiles(app: App): Promise<boolean> {
  const before = later(app.clock.now(), -STRAY_AFTER_MS);
  const strays = await asSystem(app.db, (tx) => store.listStrays(tx, before, TIDY_BATCH));
  await removeAll(app, strays);
  return strays.length === TIDY_BATCH;
}
