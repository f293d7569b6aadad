import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { openFile, sealFile } from '../../platform/crypto/sealed-file.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Tenant } from '../../platform/tenant.ts';
import * as store from './file-store.ts';

/** An upload that takes longer has come to nothing. */
const STRAY_AFTER_MS = HOUR;
const TIDY_EVERY_MS = 60_000;
const TIDY_BATCH = 100;
const RETRY_AFTER_SECONDS = 10;

const keyOf = ({ teamId, environment }: { teamId: string; environment: string }, id: string): string =>
  `wearable-files/${teamId}/${environment}/${id}`;

/** Where the files lie, for who copies all of them. */
export const WEARABLE_FILES = { table: 'wearable_file', keyOf };

async function placeOf(app: App, tenant: Tenant, id: string) {
  return { cipher: await app.keyring.of(tenant), name: keyOf(tenant, id) };
}

/**
 * Writes a file into the storage, sealed as it comes; answers its id. It is noted before its first byte, so that
 * whatever happens, somebody knows of it: without an upload it is removed after an hour.
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

/** The bytes of a file in clear, as they come. */
export async function* bytesOf(app: App, tenant: Tenant, id: string): AsyncGenerator<Buffer> {
  yield* openFile(await placeOf(app, tenant, id), app.fileStorage.get(keyOf(tenant, id)));
}

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
    for await (const piece of bytesOf(app, tenant, id)) await copy.write(piece);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}

/** Removes those of the files that belong to no upload. */
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
  }
}

/** Removes files that belong to nothing: of uploads that were cut off, and of users who were erased. */
export const startFileCleaner = (app: App): Loop =>
  startLoop(app, { name: 'wearable-files', everyMs: TIDY_EVERY_MS, round: () => cleanFiles(app) });

/** Answers whether there may be more. */
export async function cleanFiles(app: App): Promise<boolean> {
  const before = later(app.clock.now(), -STRAY_AFTER_MS);
  const strays = await asSystem(app.db, (tx) => store.listStrays(tx, before, TIDY_BATCH));
  await removeAll(app, strays);
  return strays.length === TIDY_BATCH;
}
