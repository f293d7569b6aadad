import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runMigrations } from 'graphile-worker';
import { Kysely, Migrator, PostgresDialect, sql, type Migration, type MigrationProvider } from 'kysely';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { queueLogger } from '../queue-log.ts';
import type { Database } from './database.ts';
import { withMigrationLock } from './migration-lock.ts';
import { markSweepDue, sweepStatistics } from './sweep.ts';

/** Plain SQL files, forward only, in the order of their names. */
class SqlFileMigrations implements MigrationProvider {
  readonly #folder: URL;
  constructor(folder: URL) {
    this.#folder = folder;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const files = (await readdir(this.#folder)).filter((name) => name.endsWith('.sql')).sort();
    const migrations: Record<string, Migration> = {};
    for (const file of files) {
      const text = await readFile(fileURLToPath(new URL(file, this.#folder)), 'utf8');
      migrations[file.replace(/\.sql$/, '')] = { up: async (db) => void (await sql.raw(text).execute(db)) };
    }
    return migrations;
  }
}

/**
 * Applies all pending migrations in one transaction. Safe when several nodes start at once: one works under an advisory
 * lock, and the others then find nothing to do. `pool` belongs to the table owner and is not pipelined.
 */
export async function migrate(pool: pg.Pool, folder: URL, log: Log): Promise<string[]> {
  await assertServerVersion(pool);
  return withMigrationLock(pool, () => migrateLocked(pool, folder, log));
}

async function migrateLocked(pool: pg.Pool, folder: URL, log: Log): Promise<string[]> {
  await assertKnownMigrations(pool, folder);
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
  const all = Object.keys(await new SqlFileMigrations(folder).getMigrations());
  return { done: known.rows.map(({ name }) => name), all };
}

/** Refuses a database of a newer version, which this version would misread. The only way back is a backup. */
async function assertKnownMigrations(pool: pg.Pool, folder: URL): Promise<void> {
  const unknown = (await compareMigrations(pool, folder)).unknown.at(-1);
  if (unknown === undefined) return;
  throw new Error(
    `This database belongs to a newer version of Aliquot: it has the migration ${unknown}, which this version does not know. Start that ` +
      'version, or use this version to restore a backup made before the upgrade.',
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
