import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runMigrations } from 'graphile-worker';
import { Migrator, sql, type Migration, type MigrationProvider } from 'kysely';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { openKysely } from './connection.ts';
import { queueLogger } from '../jobs/queue-log.ts';
import { asMigrator } from './migration-lock.ts';
import { makeSweepDue, sweepStatistics } from './sweep.ts';

/** Plain SQL files, forward only, in the order of their names. */
class SqlFiles implements MigrationProvider {
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
 * Brings the database to the newest form. Safe when several nodes start at once: one of them works
 * under an advisory lock and the others find nothing left to do. All of it is one transaction, or nothing.
 * `pool` belongs to the owner of the tables and is not pipelined.
 */
export async function migrate(pool: pg.Pool, folder: URL, log: Log): Promise<string[]> {
  await requireVersion(pool);
  return asMigrator(pool, () => migrateAlone(pool, folder, log));
}

async function migrateAlone(pool: pg.Pool, folder: URL, log: Log): Promise<string[]> {
  await requireOurForm(pool, folder);
  const kysely = openKysely(pool);
  const migrator = new Migrator({
    db: kysely,
    provider: new SqlFiles(folder),
    migrationTableSchema: 'public',
  });
  if ((await pendingMigrations(pool, folder)).length > 0) await makeSweepDue(pool);
  const done = await migrateToLatest(migrator, log);
  await runMigrations({ pgPool: pool, logger: queueLogger(log) });
  if (done.length > 0) log.info({ migrations: done }, 'database migrated');
  if (!(await sweepStatistics(pool))) log.info('what was dropped is swept out of the statistics later');
  return done;
}

const TRIES_MAX = 20;
const DEADLOCK = '40P01';

/**
 * Other nodes are at work meanwhile, and one of them may hold what a migration wants and want what it holds. As all of it is
 * one transaction, nothing is done then, and it is begun anew. Answers the names of what was done.
 */
async function migrateToLatest(migrator: Migrator, log: Log): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const { error, results } = await migrator.migrateToLatest();
    if (error === undefined) return (results ?? []).map(({ migrationName }) => migrationName);
    if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK) || tries === TRIES_MAX)
      throw error;
    log.info({ tries }, 'the migration and the work of other nodes waited for each other; it begins anew');
  }
}

/** The names that the folder holds and the database has not seen yet. */
export async function pendingMigrations(pool: pg.Pool, folder: URL): Promise<string[]> {
  const { done, all } = await migrationsOf(pool, folder);
  return all.filter((name) => !done.includes(name));
}

async function migrationsOf(pool: pg.Pool, folder: URL): Promise<{ done: string[]; all: string[] }> {
  const known = await pool
    .query<{ name: string }>('select name from public.kysely_migration order by name')
    .catch(() => ({ rows: [] as { name: string }[] }));
  const all = Object.keys(await new SqlFiles(folder).getMigrations());
  return { done: known.rows.map(({ name }) => name), all };
}

/** What a newer version has made of the database this one would misunderstand: there is no way back but a backup. */
async function requireOurForm(pool: pg.Pool, folder: URL): Promise<void> {
  const { done, all } = await migrationsOf(pool, folder);
  const unknown = done.findLast((name) => !all.includes(name));
  if (unknown === undefined) return;
  throw new Error(
    `This database is that of a newer version of Aliquot: it has ${unknown}, which this one does not know. Start that ` +
      'version, or restore a backup of before it with this one.',
  );
}

const OLDEST_VERSION = 150000;

async function requireVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number; name: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_version') as name",
  );
  const [row] = rows;
  if (row && row.version < OLDEST_VERSION) {
    throw new Error(`PostgreSQL 15 or newer is needed; this server is ${row.name}`);
  }
}
