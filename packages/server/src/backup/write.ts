import type { WriteStream } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { pack, type Pack } from 'tar-stream';
import { FileNotFoundError } from '../adapters/file-storage/port.ts';
import type { App } from '../app.ts';
import { sealFile } from '../platform/crypto/sealed-file.ts';
import { listFiles } from './files.ts';
import {
  BACKUP_FORMAT,
  KEYS_ENTRY,
  getBackupSealing,
  type BackupTrailer,
  type BackupManifest,
} from './manifest.ts';
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
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes everything into one sealed file: a consistent snapshot of the database, while the service runs, and the files
 * that it lists. The file gets its name only when it is complete and flushed to disk. Throws if the file exists.
 */
export async function writeBackup(app: App, ownerPool: pg.Pool, path: string): Promise<BackupSummary> {
  const client = await ownerPool.connect();
  const unfinished = `${path}.part`;
  try {
    await requireBackupRole(client, 'backup');
    // Never overwrites: the existing file may be the better backup, or the path a typo.
    if (await isExisting(path)) throw new Error(`${path} already exists: choose a new file for the backup`);
    // Of two concurrent runs with the same path, the second fails here without harm to the first.
    const file = await open(unfinished, 'wx', 0o600);
    const out = file.createWriteStream({ flush: true });
    try {
      const backup = await writeSealed(app, client, out);
      await rename(unfinished, path);
      return backup;
    } catch (error) {
      // Even if nothing was written yet, because the stream holds the file open.
      out.destroy();
      await rm(unfinished, { force: true });
      throw error;
    }
  } finally {
    // Closes the connection, which ends a COPY in progress.
    client.release(true);
  }
}

const isExisting = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function writeSealed(app: App, client: pg.ClientBase, out: WriteStream): Promise<BackupSummary> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tar = pack();
  const seal = (bytes: AsyncIterable<Buffer>) => sealFile(getBackupSealing(app.keyring), bytes);
  const written = pipeline(tar, createGzip({ level: 1 }), seal, out);
  const filled = writeEntries(app, client, tar).catch((error: unknown) => {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  const [end] = await Promise.all([filled, written]);
  const rows = end.rows.reduce((sum, count) => sum + count, 0);
  return { tables: end.rows.length, rows, files: end.files, bytes: out.bytesWritten };
}

async function writeEntries(app: App, client: pg.ClientBase, tar: Pack): Promise<BackupTrailer> {
  const manifest: BackupManifest = {
    format: BACKUP_FORMAT,
    madeAt: app.clock.now().toISOString(),
    migrations: await listMigrations(client),
    tables: await listTables(client),
    sequences: await listSequences(client),
  };
  await putEntry(tar, 'manifest.json', Buffer.from(JSON.stringify(manifest)));
  const rows: number[] = [];
  for (const [index, table] of manifest.tables.entries()) {
    const copied = client.query(
      copyTo(`copy (select ${columnListOf(table)} from ${qualifiedNameOf(table)}) to stdout`),
    );
    await putParts(tar, `table/${index}`, copied);
    rows.push(copied.rowCount);
  }
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
  await putEntry(tar, KEYS_ENTRY, await exportCurrentKeys(client));
  const end: BackupTrailer = { rows, files };
  await putEntry(tar, 'end.json', Buffer.from(JSON.stringify(end)));
  tar.finalize();
  return end;
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
    tar.entry({ name }, bytes, (error) => (error ? reject(error) : resolve()));
  });
