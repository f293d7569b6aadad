import pg from 'pg';
import { findPackage, prepareBinaries } from './binaries.ts';
import { ensureCluster, SUPERUSER } from './cluster.ts';
import {
  openHome,
  openSocketFolder,
  explainPermissionError,
  type DatabaseHome,
  type SupervisorLog,
} from './home.ts';
import { readPidFile } from './leftovers.ts';
import { acquireFolderLock, findFolderOwner } from './lock.ts';
import { writeSettings } from './settings.ts';
import type { ServerSetup } from './server-setup.ts';
import { supervise } from './supervise.ts';
import { freePort, openPassword } from './windows.ts';

export type { SupervisorLog } from './home.ts';

export interface EmbeddedPostgres {
  /** Stays the same when the server is restarted: clients only reconnect. */
  readonly connection: pg.ClientConfig;
  /** The process id of the current server. */
  readonly pid: number;
  /** Stops the server and releases the folder. Close the pools first. Can be called again. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  /** Everything is stored in the subfolder `postgres`. */
  dataDir: string;
  log: SupervisorLog;
  /** Overrides our postgresql.conf settings, for instance `fsync: 'off'` in tests. */
  settings?: Record<string, string>;
  /** Maximum pause between two failing starts. Default: 5 seconds. */
  longestPauseMs?: number;
}

const DATABASE = 'aliquot';
const LONGEST_PAUSE_MS = 5_000;

/**
 * Starts the embedded PostgreSQL, and keeps it running until `stop`. Only one process can use a folder: another one is
 * refused and does not disturb the first.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const packageFolder = await findPackage();
  const home = await openHome(options.dataDir, options.log);
  const lock = await explainPermissionError(home.folder, acquireFolderLock(home.folder));
  try {
    const { site, connection } = await prepare(home, packageFolder, options);
    const server = await supervise(site);
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= server.stop().finally(() => lock.release()));
    await ensureDatabase(connection).catch((error: unknown) =>
      stop().then(() => {
        throw error;
      }),
    );
    return {
      connection,
      get pid() {
        return server.pid();
      },
      stop,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * The connection to the server that another process runs on this folder; undefined if none does. The server stays
 * that of the other process, and stops with it.
 */
export async function findRunningEmbeddedPostgres(
  options: Pick<EmbeddedPostgresOptions, 'dataDir' | 'log'>,
): Promise<pg.ClientConfig | undefined> {
  const home = await openHome(options.dataDir, options.log);
  const owner = await findFolderOwner(home.folder);
  if (owner === undefined) return undefined;
  const status = await readPidFile(home.cluster);
  if (status?.ready !== true)
    throw new Error(
      `The database in ${home.folder} is in use by process ${owner}, but does not accept connections yet. Try again later.`,
    );
  const windows = process.platform === 'win32' ? await openPassword(home.folder) : undefined;
  const connection = connectionOf({ ...status, password: windows?.password });
  await withClient(connection, async () => undefined);
  return connection;
}

function connectionOf({
  socketFolder,
  port,
  password,
}: {
  socketFolder: string | undefined;
  port: number;
  password: string | undefined;
}): pg.ClientConfig {
  return {
    host: socketFolder || '127.0.0.1',
    port,
    user: SUPERUSER,
    database: DATABASE,
    // Explicit, so that PGSSLMODE of the environment is ignored.
    ssl: false,
    ...(password === undefined ? {} : { password }),
  };
}

/** Everything before the start of the server, in order of dependency. */
async function prepare(
  home: DatabaseHome,
  packageFolder: string,
  { log, settings = {}, longestPauseMs = LONGEST_PAUSE_MS }: EmbeddedPostgresOptions,
): Promise<{ site: ServerSetup; connection: pg.ClientConfig }> {
  const binaries = await prepareBinaries(packageFolder, home.folder, home.account);
  const windows = process.platform === 'win32' ? await openPassword(home.folder) : undefined;
  await ensureCluster(home, binaries, {
    passwordFile: windows?.passwordFile,
    synced: settings['fsync'] !== 'off',
  });
  await writeSettings(home, settings);
  const socketFolder = windows ? undefined : await openSocketFolder(home);
  const port = windows ? await freePort() : 5432;
  return {
    site: { home, binaries, socketFolder, port, log, longestPauseMs },
    connection: connectionOf({ socketFolder, port, password: windows?.password }),
  };
}

/** Also proves that the server answers. The database is missing after the first start, or after a crash during it. */
async function ensureDatabase(connection: pg.ClientConfig): Promise<void> {
  const missing = await withClient(connection, async () => false).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === '3D000') return true;
    throw error;
  });
  if (!missing) return;
  await withClient({ ...connection, database: 'postgres' }, (client) =>
    client.query(`CREATE DATABASE ${DATABASE}`),
  );
}

async function withClient<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  return work(client).finally(() => client.end());
}
