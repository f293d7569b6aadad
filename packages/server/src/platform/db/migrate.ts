import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runMigrations } from 'graphile-worker';
import { Kysely, Migrator, PostgresDialect, sql, type Migration, type MigrationProvider } from 'kysely';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { queueLogger } from '../queue-log.ts';
import type { Database } from './database.ts';
import { withMigrationLock } from './migration-lock.ts';
import {
  contractOf,
  describeIncompatibility,
  raisedMinimum,
  readSchemaVersion,
  recordNewestVersion,
  type SchemaRelease,
} from './schema-version.ts';
import { markSweepDue, sweepStatistics } from './sweep.ts';

/** Reads no file: the readiness of a process is examined every few seconds. */
const listMigrationFiles = async (folder: URL): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();

const nameOfFile = (file: string): string => file.replace(/\.sql$/, '');

/** Plain SQL files, forward only, in the order of their names. */
class SqlFileMigrations implements MigrationProvider {
  readonly #folder: URL;
  constructor(folder: URL) {
    this.#folder = folder;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const files = await listMigrationFiles(this.#folder);
    const migrations: Record<string, Migration> = {};
    for (const file of files) {
      const text = await readFile(fileURLToPath(new URL(file, this.#folder)), 'utf8');
      migrations[nameOfFile(file)] = { up: (db) => applyMigration(db, text) };
    }
    return migrations;
  }
}

/** A migration that takes something away says which processes must be gone, in the transaction in which it does so. */
async function applyMigration(db: Kysely<Database>, text: string): Promise<void> {
  await sql.raw(text).execute(db);
  const required = contractOf(text);
  if (required === undefined) return;
  const { rows } = await sql<{ minimum: string }>`select minimum from public.schema_version`.execute(db);
  const [row] = rows;
  if (row) await sql`update public.schema_version set minimum = ${raisedMinimum(row, required)}`.execute(db);
}

/**
 * Applies all pending migrations in one transaction. Safe when several nodes start at once: one works under an advisory
 * lock, and the others then find nothing to do. On a database of a newer version, does nothing if this version may use
 * it, and throws otherwise. `pool` belongs to the table owner and is not pipelined.
 */
export async function migrate(pool: pg.Pool, release: SchemaRelease, log: Log): Promise<string[]> {
  await assertServerVersion(pool);
  return withMigrationLock(pool, async () => {
    const unknown = await assertUsable(pool, release);
    if (unknown === undefined) {
      const done = await migrateLocked(pool, release.migrations, log);
      await recordNewestVersion(pool, release.version);
      return done;
    }
    log.info({ migration: unknown }, 'a newer version has migrated the database; this version works with it');
    return [];
  });
}

async function migrateLocked(pool: pg.Pool, folder: URL, log: Log): Promise<string[]> {
  const kysely = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db: kysely,
    provider: new SqlFileMigrations(folder),
    migrationTableSchema: 'public',
  });
  if ((await pendingMigrations(pool, folder)).length > 0) await markSweepDue(pool);
  const done = await migrateToLatest(migrator, log);
  await runMigrations({ pgPool: pool, logger: queueLogger(log) });
  if (done.length > 0) log.info({ migrations: done }, 'database migrated');
  if (!(await sweepStatistics(pool))) log.info('statistics of dropped columns will be swept later');
  return done;
}

const TRIES_MAX = 20;
const DEADLOCK = '40P01';

/**
 * Other nodes keep working, so the migration can deadlock with one of them. It is one transaction, so it is rolled back
 * and retried. Returns the names of the applied migrations.
 */
async function migrateToLatest(migrator: Migrator, log: Log): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const { error, results } = await migrator.migrateToLatest();
    if (error === undefined) return (results ?? []).map(({ migrationName }) => migrationName);
    if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK) || tries === TRIES_MAX)
      throw error;
    log.info({ tries }, 'the migration deadlocked with another node; retrying');
  }
}

/** The migrations in the folder that the database has not applied yet. */
export const pendingMigrations = async (pool: pg.Pool, folder: URL): Promise<string[]> =>
  (await compareMigrations(pool, folder)).pending;

/** The differences between the database and the folder: `unknown` are migrations of a newer version. */
export async function compareMigrations(
  pool: pg.Pool,
  folder: URL,
): Promise<{ pending: string[]; unknown: string[] }> {
  const { done, all } = await migrationsOf(pool, folder);
  return {
    pending: all.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !all.includes(name)),
  };
}

async function migrationsOf(pool: pg.Pool, folder: URL): Promise<{ done: string[]; all: string[] }> {
  const known = await pool
    .query<{ name: string }>('select name from public.kysely_migration order by name')
    .catch(() => ({ rows: [] as { name: string }[] }));
  const all = (await listMigrationFiles(folder)).map(nameOfFile);
  return { done: known.rows.map(({ name }) => name), all };
}

/**
 * Throws if this version must not use the database. Returns the newest migration that this version does not know, if
 * there is one.
 */
export async function assertUsable(
  pool: pg.Pool,
  { version, migrations }: SchemaRelease,
): Promise<string | undefined> {
  const { pending, unknown } = await compareMigrations(pool, migrations);
  const schema = await readSchemaVersion(pool);
  const reason = describeIncompatibility(version, schema);
  if (reason !== undefined) throw new Error(reason);
  const newest = unknown.at(-1);
  if (newest === undefined || (schema && pending.length === 0)) return newest;
  throw new Error(
    `This database belongs to another version of Aliquot: it has the migration ${newest}, which this version does not know` +
      `${pending.length > 0 ? `, and lacks ${pending[0]}` : ''}. Start that version, or use this version to restore a backup made before the upgrade.`,
  );
}

const OLDEST_VERSION = 150000;

async function assertServerVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number; name: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_version') as name",
  );
  const [row] = rows;
  if (row && row.version < OLDEST_VERSION) {
    throw new Error(`PostgreSQL 15 or newer is required; this server is ${row.name}`);
  }
}
