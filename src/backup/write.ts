import type { WriteStream } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { pack, type Pack } from 'tar-stream';
import { NoSuchFile } from '../adapters/file-storage/port.ts';
import type { App } from '../app.ts';
import { sealFile } from '../platform/crypto/sealed-file.ts';
import { listFiles } from './files.ts';
import { FORMAT, KEYS, placeOf, type End, type Manifest } from './manifest.ts';
import { columnsOf, listMigrations, listSequences, listTables, nameOf, requirePower } from './tables.ts';

/** A table or file goes in parts, so that no more than this is in memory. */
const PART_BYTES = 4 * 1024 * 1024;

export interface Backup {
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes everything into one sealed file: the database as of one moment, while the service goes on, and the files that
 * belong to it. The file has its name only when it is whole and on the disk.
 */
export async function writeBackup(app: App, ownerPool: pg.Pool, path: string): Promise<Backup> {
  const client = await ownerPool.connect();
  const unfinished = `${path}.part`;
  try {
    await requirePower(client, 'backup');
    // An older backup that is written over by a poorer one is lost; the name may as well be a slip.
    if (await isThere(path)) throw new Error(`${path} exists: a backup is written to a new file`);
    // Of two who write the same backup the second ends here, and takes nothing from the first.
    const file = await open(unfinished, 'wx', 0o600);
    const out = file.createWriteStream({ flush: true });
    try {
      const backup = await writeInto(app, client, out);
      await rename(unfinished, path);
      return backup;
    } catch (error) {
      // Also where nothing was written to it yet: it holds the file open.
      out.destroy();
      await rm(unfinished, { force: true });
      throw error;
    }
  } finally {
    // Whatever was under way on it ends with it.
    client.release(true);
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function writeInto(app: App, client: pg.ClientBase, out: WriteStream): Promise<Backup> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tar = pack();
  const seal = (bytes: AsyncIterable<Buffer>) => sealFile(placeOf(app.keyring), bytes);
  const written = pipeline(tar, createGzip({ level: 1 }), seal, out);
  const filled = fill(app, client, tar).catch((error: unknown) => {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  const [end] = await Promise.all([filled, written]);
  const rows = end.rows.reduce((sum, count) => sum + count, 0);
  return { tables: end.rows.length, rows, files: end.files, bytes: out.bytesWritten };
}

async function fill(app: App, client: pg.ClientBase, tar: Pack): Promise<End> {
  const manifest: Manifest = {
    format: FORMAT,
    madeAt: app.clock.now().toISOString(),
    migrations: await listMigrations(client),
    tables: await listTables(client),
    sequences: await listSequences(client),
  };
  await put(tar, 'manifest.json', Buffer.from(JSON.stringify(manifest)));
  const rows: number[] = [];
  for (const [index, table] of manifest.tables.entries()) {
    const copied = client.query(copyTo(`copy (select ${columnsOf(table)} from ${nameOf(table)}) to stdout`));
    await putParts(tar, `table/${index}`, copied);
    rows.push(copied.rowCount);
  }
  let files = 0;
  for await (const key of listFiles(client)) {
    try {
      await putParts(tar, `file/${key}`, app.fileStorage.get(key));
      files += 1;
    } catch (error) {
      // Removed since the moment of the backup, or not written to its end yet.
      if (!(error instanceof NoSuchFile)) throw error;
    }
  }
  await put(tar, KEYS, await keysOfNow(client));
  const end: End = { rows, files };
  await put(tar, 'end.json', Buffer.from(JSON.stringify(end)));
  tar.finalize();
  return end;
}

/** The moment of the rows is over: a file that was copied since may be sealed with a data key that is younger than it. */
async function keysOfNow(client: pg.ClientBase): Promise<Buffer> {
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
    await put(tar, `${name}/${(part += 1)}`, Buffer.concat(gathered));
    [gathered, size] = [[], 0];
  }
  await put(tar, `${name}/${part + 1}`, Buffer.concat(gathered));
}

const put = (tar: Pack, name: string, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    tar.entry({ name }, bytes, (error) => (error ? reject(error) : resolve()));
  });
