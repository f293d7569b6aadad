import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../src/platform/config.ts';
import { seedCatalog } from '../src/lab-testing/catalog/catalog.ts';
import { seedSites } from '../src/lab-testing/patient-service-centers/patient-service-centers.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { openPools } from '../src/platform/db/open.ts';
import { sweepStatistics } from '../src/platform/db/sweep.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../src/platform/log.ts';
import { quickFolder } from './quick-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to reach the server of this run, and the migrated database that every test file copies. */
    server: { connection: pg.PoolConfig; template: string; strategy: Strategy };
  }
}

/** How a database is copied: file by file is quicker where nothing is written to a disk, and far slower elsewhere. */
export type Strategy = 'file_copy' | 'wal_log';

const quiet = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

/** One server a run: the one of DATABASE_URL, or an embedded one in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const config = readConfig();
  const log = openLog('silent');
  const folder = await quickFolder('aliquot-test-');
  const postgres = config.DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({ dataDir: folder, log: () => {}, settings: quiet });
  const connection: pg.PoolConfig = postgres?.connection ?? { connectionString: config.DATABASE_URL };
  const template = `aliquot_template_${process.pid}`;

  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`drop database if exists ${template}`);
  await admin.query(`create database ${template}`);
  const pool = new pg.Pool({ ...inDatabase(connection, template), max: 2 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  await migrate(pool, new URL('../migrations/', import.meta.url), log);
  // It waits for whatever the server itself does meanwhile, and all copies would have it to do.
  while (!(await sweepStatistics(pool))) await sleep(20);
  await pool.end();
  const pools = openPools(inDatabase(connection, template), 2, log);
  const root = new URL('../', import.meta.url);
  await seedCatalog({ db: pools.db, log, root });
  await seedSites({ db: pools.db, log, root });
  await pools.close();
  project.provide('server', { connection, template, strategy: postgres ? 'file_copy' : 'wal_log' });

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
export function inDatabase(connection: pg.PoolConfig, database: string): pg.PoolConfig {
  if (connection.connectionString === undefined) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}
