import type { FileHandle } from 'node:fs/promises';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { pack, type Pack } from 'tar-stream';
import { FileNotFoundError } from '../adapters/file-storage/port.ts';
import type { App } from '../app.ts';
import { sealFile } from '../platform/crypto/sealed-file.ts';
import { listFiles } from './files.ts';
import { createHeader } from './header.ts';
import { KEYS_ENTRY, type BackupTrailer, type BackupManifest } from './manifest.ts';
import { digestRows, RowDigest, setTextFormat } from './row-digest.ts';
import {
  columnListOf,
  listMigrations,
  listSequences,
  listTables,
  qualifiedNameOf,
  requireBackupRole,
} from './tables.ts';

/** Tables and files are written in parts of this size, to bound the memory. */
const PART_BYTES = 4 * 1024 * 1024;

export interface BackupSummary {
  readonly madeAt: string;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

/** Stores the bytes of a backup, completely or not at all. */
type BackupSink = (bytes: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Writes everything into one sealed file: a consistent snapshot of the database, while the service runs, and the files
 * that it lists. The file gets its name only when it is complete and flushed to disk. Throws if the file exists.
 */
export async function writeBackup(app: App, ownerPool: pg.Pool, path: string): Promise<BackupSummary> {
  const unfinished = `${path}.part`;
  // Never overwrites: the existing file may be the better backup, or the path a typo.
  if (await isExisting(path)) throw new Error(`${path} already exists: choose a new file for the backup`);
  // Of two concurrent runs with the same path, the second fails here without harm to the first.
  const file = await open(unfinished, 'wx', 0o600);
  try {
    const backup = await streamBackup(app, ownerPool, (bytes) => writeDurably(file, bytes));
    await rename(unfinished, path);
    return backup;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeDurably(file: FileHandle, bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const some of bytes) await file.writeFile(some);
  await file.sync();
  await file.close();
}

const isExisting = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Streams a backup into the sink, in bounded memory. */
export async function streamBackup(app: App, ownerPool: pg.Pool, sink: BackupSink): Promise<BackupSummary> {
  const client = await ownerPool.connect();
  try {
    await requireBackupRole(client, 'backup');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await setTextFormat(client);
    const madeAt = app.clock.now().toISOString();
    const { bytes: header, sealing } = await createHeader(app.keyring.provider, madeAt);
    const tar = pack();
    const abort = (error: unknown): never => {
      const cause = error instanceof Error ? error : new Error(String(error));
      tar.destroy(cause);
      gzip.destroy(cause);
      throw error;
    };
    const gzip = createGzip({ level: 1 });
    tar.on('error', (error) => gzip.destroy(error));
    // Told by whichever side failed; without a listener it would end the process.
    gzip.on('error', () => {});
    tar.pipe(gzip);
    let bytes = 0;
    const counted = async function* () {
      yield header;
      for await (const some of sealFile(sealing, gzip)) {
        bytes += some.length;
        yield some;
      }
    };
    // Either side that fails ends the other one.
    const filled = writeEntries(app, client, { tar, madeAt }).catch(abort);
    const [end] = await Promise.all([filled, sink(counted()).catch(abort)]);
    const rows = end.rows.reduce((sum, count) => sum + count, 0);
    return { madeAt, tables: end.rows.length, rows, files: end.files, bytes: header.length + bytes };
  } finally {
    // Closes the connection, which ends a COPY in progress.
    client.release(true);
  }
}

async function writeEntries(
  app: App,
  client: pg.ClientBase,
  { tar, madeAt }: { tar: Pack; madeAt: string },
): Promise<BackupTrailer> {
  const manifest: BackupManifest = {
    madeAt,
    migrations: await listMigrations(client),
    tables: await listTables(client),
    sequences: await listSequences(client),
  };
  await putEntry(tar, 'manifest.json', Buffer.from(JSON.stringify(manifest)));
  const digests: RowDigest[] = [];
  for (const [index, table] of manifest.tables.entries()) {
    const copied = client.query(
      copyTo(`copy (select ${columnListOf(table)} from ${qualifiedNameOf(table)}) to stdout`),
    );
    const digest = new RowDigest();
    await putParts(tar, `table/${index}`, digestRows(copied, digest));
    digests.push(digest);
  }
  const files = await putFiles(app, client, tar);
  await putEntry(tar, KEYS_ENTRY, await exportCurrentKeys(client));
  const end: BackupTrailer = { rows: digests.map(({ rows }) => rows), digests: digests.map(String), files };
  await putEntry(tar, 'end.json', Buffer.from(JSON.stringify(end)));
  tar.finalize();
  return end;
}

/** Returns the number of files. */
async function putFiles(app: App, client: pg.ClientBase, tar: Pack): Promise<number> {
  let files = 0;
  for await (const key of listFiles(client)) {
    try {
      await putParts(tar, `file/${key}`, app.fileStorage.get(key));
      files += 1;
    } catch (error) {
      // Removed since the snapshot, or its upload is not complete.
      if (!(error instanceof FileNotFoundError)) throw error;
    }
  }
  return files;
}

/** Ends the snapshot: files that were copied since may be sealed with a data key that is newer than the snapshot. */
async function exportCurrentKeys(client: pg.ClientBase): Promise<Buffer> {
  await client.query('COMMIT');
  const { rows } = await client.query<{ keys: string }>(
    "select coalesce(jsonb_agg(k), '[]')::text as keys from tenant_key k",
  );
  return Buffer.from(rows[0]?.keys ?? '[]');
}

async function putParts(tar: Pack, name: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  let gathered: Buffer[] = [];
  let size = 0;
  let part = 0;
  for await (const some of bytes) {
    gathered.push(some);
    size += some.length;
    if (size < PART_BYTES) continue;
    await putEntry(tar, `${name}/${(part += 1)}`, Buffer.concat(gathered));
    [gathered, size] = [[], 0];
  }
  await putEntry(tar, `${name}/${part + 1}`, Buffer.concat(gathered));
}

const putEntry = (tar: Pack, name: string, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const entry = tar.entry({ name }, bytes, (error) => (error ? reject(error) : resolve()));
    // Without a listener, an archive that is destroyed meanwhile would end the process.
    entry.on('error', reject);
  });
