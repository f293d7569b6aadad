import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { extract, type Header } from 'tar-stream';
import type { App } from '../app.ts';
import { openFile } from '../platform/crypto/sealed-file.ts';
import { errorCode } from '../platform/db/transact.ts';
import { End, KEYS, Manifest, placeOf } from './manifest.ts';
import { columnsOf, listMigrations, nameOf, requirePower, type TableForm } from './tables.ts';

export interface Restored {
  readonly madeAt: string;
  readonly rows: number;
  readonly files: number;
}

/**
 * Fills an empty, migrated database from a backup, in one transaction, and puts its files into the file storage. A
 * database that has an organization is refused; so is a backup that was cut off, changed, sealed with another
 * ENCRYPTION_KEY or made by another version.
 */
export async function restoreBackup(app: App, ownerPool: pg.Pool, path: string): Promise<Restored> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await tryRestore(app, ownerPool, path);
    } catch (error) {
      if (tried === TRIES || errorCode(error) !== DEADLOCK) throw error;
    }
  }
}

/** A service that runs on the empty database already looks into its tables in orders of its own, so locking them can deadlock. */
const TRIES = 5;
const DEADLOCK = '40P01';

async function tryRestore(app: App, ownerPool: pg.Pool, path: string): Promise<Restored> {
  const client = await ownerPool.connect();
  try {
    await requirePower(client, 'restore');
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await requireEmpty(client);
    const restored = await read(new Filling(app, client), path);
    await client.query('COMMIT');
    return restored;
  } finally {
    client.release(true);
  }
}

async function requireEmpty(client: pg.ClientBase): Promise<void> {
  // So that nobody starts the service on it meanwhile and makes an organization.
  await client.query('lock table organization in access exclusive mode');
  const { rows } = await client.query('select 1 from organization limit 1');
  if (rows.length > 0) throw new Error('The database is not empty; restore into a new one');
}

async function read(filling: Filling, path: string): Promise<Restored> {
  const entries = extract();
  const sealed = openFile(placeOf(filling.app.keyring), createReadStream(path));
  const opened = Readable.from(explained(sealed)).on('error', (error) => entries.destroy(error));
  const plain = opened.pipe(createGunzip()).on('error', (error) => entries.destroy(error));
  plain.pipe(entries);
  try {
    for await (const entry of entries) {
      await filling.take(entry.header, await buffer(entry));
    }
    return await filling.end();
  } catch (error) {
    await filling.giveUp(asError(error));
    throw error;
  } finally {
    opened.destroy();
  }
}

async function* explained(sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* sealed;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw error;
    throw new Error(
      'The backup does not open: it was cut off or changed, or was sealed with another ENCRYPTION_KEY',
      { cause: error },
    );
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** What is under way: a table that is being copied into, or a file that is gathered. */
class Filling {
  readonly app: App;
  readonly #client: pg.ClientBase;
  #manifest: Manifest | undefined;
  #end: End | undefined;
  #table: { index: number; copy: Writable & { rowCount: number } } | undefined;
  readonly #rows: number[] = [];
  #file: { key: string; bytes: PassThrough; stored: Promise<void> } | undefined;
  #files = 0;

  constructor(app: App, client: pg.ClientBase) {
    this.app = app;
    this.#client = client;
  }

  async take({ name }: Header, bytes: Buffer): Promise<void> {
    const [kind = '', ...rest] = name.split('/');
    const subject = rest.slice(0, -1).join('/');
    if (name === 'manifest.json') await this.#begin(bytes);
    else if (kind === 'table') await this.#copy(Number(subject), bytes);
    else if (kind === 'file') await this.#gather(subject, bytes);
    else if (name === KEYS) await this.#addKeys(bytes);
    else if (name === 'end.json') this.#end = End.parse(JSON.parse(bytes.toString()));
  }

  async #begin(bytes: Buffer): Promise<void> {
    const manifest = Manifest.parse(JSON.parse(bytes.toString()));
    const here = await listMigrations(this.#client);
    const unknown = manifest.migrations.filter((name) => !here.includes(name));
    const newer = here.filter((name) => !manifest.migrations.includes(name));
    if (unknown.length + newer.length > 0) {
      const difference = [...unknown, ...newer].join(', ');
      throw new Error(
        `The backup was made by another version: restore it with that one, and migrate then. It differs in ${difference}`,
      );
    }
    this.#manifest = manifest;
    const all = manifest.tables.map(nameOf).join(', ');
    if (all !== '') await this.#client.query(`truncate ${all}`);
  }

  async #copy(index: number, bytes: Buffer): Promise<void> {
    if (this.#table?.index !== index) {
      await this.#closeTable();
      const table = this.#tableOf(index);
      const copy = this.#client.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
      this.#table = { index, copy };
    }
    const { copy } = this.#table;
    await new Promise<void>((resolve, reject) => {
      copy.once('error', reject);
      copy.write(bytes, () => {
        copy.off('error', reject);
        resolve();
      });
    });
  }

  #tableOf(index: number): TableForm {
    const table = this.#manifest?.tables[index];
    if (!table) throw new Error('The backup names a table that its manifest does not have');
    return table;
  }

  async #closeTable(): Promise<void> {
    if (!this.#table) return;
    const { copy, index } = this.#table;
    copy.end();
    await finished(copy);
    this.#rows[index] = copy.rowCount;
    this.#table = undefined;
  }

  async #gather(key: string, bytes: Buffer): Promise<void> {
    await this.#closeTable();
    if (this.#file?.key !== key) {
      await this.#closeFile();
      const through = new PassThrough();
      // It may be destroyed before anybody reads it; who stores it tells why.
      through.on('error', () => {});
      const stored = this.app.fileStorage.put(key, through);
      // Told when the file is closed.
      stored.catch((error: unknown) => through.destroy(asError(error)));
      this.#file = { key, bytes: through, stored };
    }
    const { bytes: into } = this.#file;
    if (!into.write(bytes)) await once(into, 'drain');
  }

  async #closeFile(): Promise<void> {
    if (!this.#file) return;
    this.#file.bytes.end();
    await this.#file.stored;
    this.#files += 1;
    this.#file = undefined;
  }

  /** A data key that came while files were copied opens those that it has sealed, and never seals: no row is of its time. */
  async #addKeys(bytes: Buffer): Promise<void> {
    await this.#closeTable();
    await this.#client.query(
      `insert into tenant_key
       select k.* from jsonb_array_elements($1::jsonb) as later,
         jsonb_populate_record(null::tenant_key, later || '{"state": "retired"}') as k
       where exists (select from tenant_key t where t.team_id = k.team_id and t.environment = k.environment)
       on conflict do nothing`,
      [bytes.toString()],
    );
  }

  /** A file that is half there is let go of; those that are whole may have been there before, and stay. */
  async giveUp(error: Error): Promise<void> {
    this.#file?.bytes.destroy(error);
    await this.#file?.stored.catch(() => {});
  }

  async end(): Promise<Restored> {
    await this.#closeTable();
    await this.#closeFile();
    const [manifest, end] = [this.#manifest, this.#end];
    if (!manifest || !end) throw new Error('The backup is cut off');
    const isWhole =
      end.files === this.#files && end.rows.every((count, index) => count === this.#rows[index]);
    if (!isWhole) throw new Error('The backup has not the rows and files that it says');
    for (const { schema, name, value, isCalled } of manifest.sequences) {
      const sequence = nameOf({ schema, name });
      await this.#client.query('select setval($1::regclass, $2, $3)', [sequence, value, isCalled]);
    }
    // Who held a job is not there any more.
    await this.#client.query('update graphile_worker._private_jobs set locked_at = null, locked_by = null');
    await this.#client.query(
      'update graphile_worker._private_job_queues set locked_at = null, locked_by = null',
    );
    const rows = end.rows.reduce((sum, count) => sum + count, 0);
    return { madeAt: manifest.madeAt, rows, files: end.files };
  }
}
