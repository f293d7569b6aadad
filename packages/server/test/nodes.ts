import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { readConfig } from '../src/platform/config.ts';
import { openLog } from '../src/platform/log.ts';
import { openTelemetry } from '../src/platform/telemetry/telemetry.ts';
import { openApp, type OpenedApp } from '../src/service.ts';
import { withDatabase } from './database.ts';

const log = openLog('silent');
const root = new URL('../', import.meta.url);

/** The storage that nodes share: a database and a folder. */
interface NodeStorage {
  readonly folder: string;
  readonly url: string;
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Creates storage with an empty database, or with a copy of the migrated and seeded template. */
export async function createNodeStorage(of: 'nothing' | 'template'): Promise<NodeStorage> {
  const { connection, template, strategy } = inject('server');
  const database = `aliquot_test_${process.pid}_nodes_${randomUUID().slice(0, 8)}`;
  const copied = of === 'template' ? ` template ${template} strategy ${strategy}` : '';
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${database}${copied}`);
  await admin.end();
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-nodes-'));
  folders.push(folder);
  return { folder, url: urlOf(withDatabase(connection, database)) };
}

/** The test server as a DATABASE_URL; a socket folder goes into the query. */
function urlOf(connection: pg.PoolConfig): string {
  if (connection.connectionString !== undefined) return connection.connectionString;
  const { user, database: name, host, port } = connection;
  return `postgres://${user}@localhost:${port ?? 5432}/${name}?host=${encodeURIComponent(host ?? '')}`;
}

/** One process of a deployment, before its service or workers are started. */
export async function openNode(
  { folder, url }: NodeStorage,
  role: 'api' | 'worker',
  settings: Record<string, string> = {},
): Promise<OpenedApp> {
  const config = readConfig({
    DATABASE_URL: url,
    DATA_DIR: folder,
    ROLE: role,
    PORT: '0',
    DATABASE_POOL: '5',
    DATABASE_DRIVER: inject('server').driver,
    LOG_LEVEL: 'silent',
    ...settings,
  });
  const telemetry = openTelemetry(config);
  const opened = await openApp({ config, log, root, telemetry });
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await telemetry.close();
    },
  };
}
