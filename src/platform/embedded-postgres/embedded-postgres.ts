import pg from 'pg';
import { findPackage, prepareBinaries } from './binaries.ts';
import { ensureCluster, SUPERUSER } from './cluster.ts';
import { openHome, openSocketFolder, orExplain, type Home, type Log } from './home.ts';
import { takeLock } from './lock.ts';
import { writeSettings } from './settings.ts';
import type { Site } from './site.ts';
import { supervise } from './supervise.ts';
import { freePort, openPassword } from './windows.ts';

export interface EmbeddedPostgres {
  /** Stays the same when the server had to be restarted: clients only connect again. */
  readonly connection: pg.ClientConfig;
  /** Of the server that runs now. */
  readonly pid: number;
  /** Ends the server and lets go of the folder. End the pools first. May be called again. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Everything lives in the folder `postgres` in here. */
  dataDir: string;
  log: Log;
  /** Over our own postgresql.conf settings, for instance `fsync: 'off'` in tests. */
  settings?: Record<string, string>;
  /** The longest pause between two starts that fail; 5 seconds. */
  longestPauseMs?: number;
}

const DATABASE = 'aliquot';
const LONGEST_PAUSE_MS = 5_000;

/**
 * Starts the PostgreSQL that Aliquot carries with it, and keeps it running until `stop`.
 * Only one process at a time: another one on the same folder is refused, without touching what the first has.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const packageFolder = await findPackage();
  const home = await openHome(options.dataDir, options.log);
  const lock = await orExplain(home.folder, takeLock(home.folder));
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

/** Everything up to the start of the server, in the order in which one needs the other. */
async function prepare(
  home: Home,
  packageFolder: string,
  { log, settings = {}, longestPauseMs = LONGEST_PAUSE_MS }: EmbeddedPostgresOptions,
): Promise<{ site: Site; connection: pg.ClientConfig }> {
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
    connection: {
      host: socketFolder ?? '127.0.0.1',
      port,
      user: SUPERUSER,
      database: DATABASE,
      // Said out loud, or PGSSLMODE of the surroundings would be asked.
      ssl: false,
      ...(windows ? { password: windows.password } : {}),
    },
  };
}

/** Also the proof that the server answers. The database is missing after the first start, or a kill during it. */
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
