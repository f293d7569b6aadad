import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { App } from '../app.ts';
import { errorCode } from '../platform/db/transact.ts';
import type { BackupHeader } from './header.ts';
import { assertComplete, parseEntryName, readEntries, type BackupSource } from './inspect.ts';
import { BackupTrailer, KEYS_ENTRY, BackupManifest, requireSameMigrations } from './manifest.ts';
import { RestoredFiles } from './restored-files.ts';
import { RowDigest, setTextFormat } from './row-digest.ts';
import { columnListOf, qualifiedNameOf, requireBackupRole, type TableDefinition } from './tables.ts';

interface RestoreSummary {
  readonly madeAt: string;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly header: BackupHeader;
}

/** A backup in a file. */
export const fileSource =
  (path: string): BackupSource =>
  () =>
    createReadStream(path);

interface RestoreRequest {
  readonly source: BackupSource;
  /** Reads every restored table again and compares it with what was backed up. */
  readonly compares?: boolean;
}

/**
 * Restores a backup into an empty, migrated database, in one transaction, and its files into the file storage. Throws
 * for a database that has an organization, and for a backup that is truncated, modified, sealed with another
 * ENCRYPTION_KEY or made by another version.
 */
export async function restoreBackup(
  app: App,
  ownerPool: pg.Pool,
  request: RestoreRequest,
): Promise<RestoreSummary> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await tryRestore(app, ownerPool, request);
    } catch (error) {
      if (tried === ATTEMPTS_MAX || errorCode(error) !== DEADLOCK) throw error;
    }
  }
}

/** A service that already runs on the empty database locks its tables in another order, so deadlocks can occur. */
const ATTEMPTS_MAX = 5;
const DEADLOCK = '40P01';

async function tryRestore(
  app: App,
  ownerPool: pg.Pool,
  { source, compares = false }: RestoreRequest,
): Promise<RestoreSummary> {
  const client = await ownerPool.connect();
  try {
    await requireBackupRole(client, 'restore');
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await setTextFormat(client);
    await requireEmpty(client);
    const restored = await readBackup(new RestoreRun(app, client, compares), source());
    await client.query('COMMIT');
    return restored;
  } finally {
    client.release(true);
  }
}

async function requireEmpty(client: pg.ClientBase): Promise<void> {
  // Prevents a service that is started meanwhile from creating an organization.
  await client.query('lock table organization in access exclusive mode');
  const { rows } = await client.query('select 1 from organization limit 1');
  if (rows.length > 0) throw new Error('The database is not empty: restore into a new, migrated database');
}

async function readBackup(filling: RestoreRun, source: AsyncIterable<Buffer>): Promise<RestoreSummary> {
  try {
    const header = await readEntries(source, filling.app.keyring.providers, (name, bytes) =>
      filling.handleEntry(name, bytes),
    );
    return { ...(await filling.finish()), header };
  } catch (error) {
    await filling.abort(error);
    throw error;
  }
}

/**
 * One run of a restore. Entries arrive in order: manifest, table parts, file parts, keys, trailer. At most one table
 * and one file are open at a time; a new one closes the previous one.
 */
class RestoreRun {
  readonly app: App;
  readonly #client: pg.ClientBase;
  #manifest: BackupManifest | undefined;
  #end: BackupTrailer | undefined;
  #table: { index: number; copy: Writable; digest: RowDigest } | undefined;
  readonly #compares: boolean;
  readonly #digests: RowDigest[] = [];
  readonly #files: RestoredFiles;

  constructor(app: App, client: pg.ClientBase, compares: boolean) {
    this.app = app;
    this.#client = client;
    this.#compares = compares;
    this.#files = new RestoredFiles(app.fileStorage);
  }

  async handleEntry(name: string, bytes: Buffer): Promise<void> {
    const { kind, subject } = parseEntryName(name);
    if (name === 'manifest.json') await this.#begin(bytes);
    else if (kind === 'table') await this.#copy(Number(subject), bytes);
    else if (kind === 'file') await this.#gather(subject, bytes);
    else if (name === KEYS_ENTRY) await this.#addKeys(bytes);
    else if (name === 'end.json') this.#end = BackupTrailer.parse(JSON.parse(bytes.toString()));
  }

  async #begin(bytes: Buffer): Promise<void> {
    const manifest = BackupManifest.parse(JSON.parse(bytes.toString()));
    await requireSameMigrations(this.#client, manifest, 'restore it with that version, then migrate');
    this.#manifest = manifest;
    const all = manifest.tables.map(qualifiedNameOf).join(', ');
    if (all !== '') await this.#client.query(`truncate ${all}`);
  }

  async #copy(index: number, bytes: Buffer): Promise<void> {
    if (this.#table?.index !== index) {
      await this.#closeTable();
      const table = this.#tableOf(index);
      const copy = this.#client.query(
        copyFrom(`copy ${qualifiedNameOf(table)} (${columnListOf(table)}) from stdin`),
      );
      // A restore that fails closes the connection; the failure itself is thrown where it happened.
      copy.on('error', () => {});
      this.#table = { index, copy, digest: new RowDigest() };
    }
    const { copy, digest } = this.#table;
    digest.update(bytes);
    await new Promise<void>((resolve, reject) => {
      copy.once('error', reject);
      copy.write(bytes, () => {
        copy.off('error', reject);
        resolve();
      });
    });
  }

  #tableOf(index: number): TableDefinition {
    const table = this.#manifest?.tables[index];
    if (!table) throw new Error('The backup contains a table that is not in its manifest');
    return table;
  }

  async #closeTable(): Promise<void> {
    if (!this.#table) return;
    const { copy, index, digest } = this.#table;
    copy.end();
    await finished(copy);
    this.#digests[index] = digest;
    this.#table = undefined;
    if (this.#compares) await this.#compareTable(this.#tableOf(index), digest);
  }

  async #compareTable(table: TableDefinition, expected: RowDigest): Promise<void> {
    const name = qualifiedNameOf(table);
    const restored = new RowDigest();
    const rows = this.#client.query(copyTo(`copy (select ${columnListOf(table)} from ${name}) to stdout`));
    for await (const some of rows) restored.update(some);
    if (restored.rows === expected.rows && String(restored) === String(expected)) return;
    throw new Error(
      `The restored table ${name} differs from the backup: ${restored.rows} of ${expected.rows} rows, checksum ` +
        `${String(restored)} instead of ${String(expected)}`,
    );
  }

  async #gather(key: string, bytes: Buffer): Promise<void> {
    await this.#closeTable();
    await this.#files.gather(key, bytes);
  }

  /** Restores data keys created while files were copied, as retired: they sealed files, but no row of the snapshot. */
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

  abort(error: unknown): Promise<void> {
    return this.#files.abort(error);
  }

  async finish(): Promise<Omit<RestoreSummary, 'header'>> {
    await this.#closeTable();
    await this.#files.close();
    const { manifest, end } = assertComplete({
      manifest: this.#manifest,
      end: this.#end,
      digests: this.#digests,
      files: this.#files.count,
    });
    for (const { schema, name, value, isCalled } of manifest.sequences) {
      const sequence = qualifiedNameOf({ schema, name });
      await this.#client.query('select setval($1::regclass, $2, $3)', [sequence, value, isCalled]);
    }
    // The workers that held these locks no longer exist.
    await this.#client.query(
      `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
       from graphile_worker.jobs where locked_by is not null`,
    );
    const rows = end.rows.reduce((sum, count) => sum + count, 0);
    return { madeAt: manifest.madeAt, tables: manifest.tables.length, rows, files: end.files };
  }
}
