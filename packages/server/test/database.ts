import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../src/platform/config.ts';
import { seedCatalog } from '../src/ordering/catalog/catalog.ts';
import { seedSites } from '../src/scheduling/patient-service-centers/patient-service-centers.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import type { DriverName } from '../src/platform/db/driver.ts';
import { openPools } from '../src/platform/db/open.ts';
import { schemaReleaseOf } from '../src/platform/db/schema-version.ts';
import { sweepStatistics } from '../src/platform/db/sweep.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../src/platform/log.ts';
import { createMemoryFolder } from './memory-folder.ts';
import { STATEMENT_LOG_SETTINGS, statementLogPath } from './statement-log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection to the server of this run, the migrated database that every test file copies, and DATABASE_DRIVER. */
    server: { connection: pg.PoolConfig; template: string; strategy: CopyStrategy; driver: DriverName };
  }
}

/** How PostgreSQL copies a database: `file_copy` is faster in memory, and much slower on a disk. */
type CopyStrategy = 'file_copy' | 'wal_log';

const FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

/** Sets up one server per run: that of DATABASE_URL, or an embedded one in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const config = readConfig();
  const log = openLog('silent');
  const driver = config.DATABASE_DRIVER;
  const folder = await createMemoryFolder('aliquot-test-');
  const postgres = config.DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({
        dataDir: folder,
        log: () => {},
        settings: { ...FAST_SETTINGS, ...(statementLogPath() && STATEMENT_LOG_SETTINGS) },
      });
  const connection: pg.PoolConfig = postgres?.connection ?? { connectionString: config.DATABASE_URL };
  const template = `aliquot_template_${process.pid}`;

  const admin = new pg.Client(connection);
  await admin.connect();
  if (statementLogPath()) await admin.query('create extension if not exists pg_stat_statements');
  await admin.query(`drop database if exists ${template}`);
  await admin.query(`create database ${template}`);
  const pool = new pg.Pool({ ...withDatabase(connection, template), max: 2 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  await migrate(pool, schemaReleaseOf(new URL('../', import.meta.url)), log);
  // Repeats until it succeeds (background work may block it); otherwise every copy would have to do it.
  while (!(await sweepStatistics(pool))) await sleep(20);
  await pool.end();
  const pools = openPools(withDatabase(connection, template), { size: 2, driver }, log);
  const root = new URL('../', import.meta.url);
  await seedCatalog({ db: pools.db, log, root });
  await seedSites({ db: pools.db, log, root });
  await pools.close();
  project.provide('server', { connection, template, strategy: postgres ? 'file_copy' : 'wal_log', driver });

  return async () => {
    const { rows } = await admin.query<{ datname: string }>(
      'select datname from pg_database where datname = $1 or datname like $2',
      [template, `aliquot_test_${process.pid}_%`],
    );
    for (const { datname } of rows) await admin.query(`drop database if exists ${datname} with (force)`);
    await admin.end();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** The same server, another database. */
export function withDatabase(connection: pg.PoolConfig, database: string): pg.PoolConfig {
  if (connection.connectionString === undefined) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}
