import type pg from 'pg';
import { buildApp, buildHttp, buildProbes, jobs, startLoops } from './compose.ts';
import type { App } from './app.ts';
import { checkOwnLoincTable } from './lab-reports/lab-reports.ts';
import { startMllpListener } from './laboratories/lab-connections/lab-connections.ts';
import { startKeyUseRecorder } from './identity/management/management.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { loadOrCreateEncryptionKey } from './platform/crypto/encryption-key.ts';
import { openKeyring } from './platform/crypto/keyring.ts';
import { migrate } from './platform/db/migrate.ts';
import { openPools, type Pools } from './platform/db/open.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';
import { makeFolder } from './platform/folder.ts';
import type { Http } from './platform/http/http.ts';
import { createNotifier } from './platform/jobs/notifier.ts';
import { startQueue } from './platform/jobs/jobs.ts';
import { shareNotifier } from './platform/jobs/shared-notifier.ts';
import { startSweeping } from './platform/jobs/statistics-sweep.ts';
import type { Loop } from './platform/jobs/loop.ts';
import type { Log } from './platform/log.ts';

export interface BootOptions {
  readonly config: Config;
  readonly log: Log;
  readonly root: URL;
  readonly clock?: Clock;
}

/** What every command needs: the migrated database, the keys, the app. */
export interface OpenedApp {
  readonly app: App;
  readonly pools: Pools;
  close(): Promise<void>;
}

/** Starts the embedded database if DATABASE_URL is not set, migrates, and builds the app. */
export async function openApp({ config, log, root, clock = systemClock }: BootOptions): Promise<OpenedApp> {
  await makeFolder(config.DATA_DIR);
  const database = await openDatabase(config, log);
  const size = config.DATABASE_POOL;
  const pools = openPools(database.connection, { size, driver: config.DATABASE_DRIVER }, log);
  try {
    await migrate(pools.ownerPool, new URL('migrations/', root), log);
    const keyring = openKeyring(pools.db, await loadOrCreateEncryptionKey(config));
    const app = buildApp({ config, log, clock, keyring, db: pools.db, notifier: createNotifier() }, root);
    return {
      app,
      pools,
      close: async () => {
        await pools.close();
        await database.stop();
      },
    };
  } catch (error) {
    await pools.close();
    await database.stop();
    throw error;
  }
}

async function openDatabase(
  config: Config,
  log: Log,
): Promise<{ connection: pg.PoolConfig; stop(): Promise<void> }> {
  if (config.DATABASE_URL !== undefined) {
    return { connection: { connectionString: config.DATABASE_URL }, stop: async () => {} };
  }
  const postgres = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: (message, fields, level = 'info') => log[level]({ part: 'postgres', ...fields }, message),
  });
  return { connection: postgres.connection, stop: () => postgres.stop() };
}

export interface Service extends OpenedApp {
  readonly http: Http;
  /** The URL it listens on, such as `http://127.0.0.1:3000`. */
  readonly url: string;
}

/** Callbacks that stop what was started so far, in start order. */
type StopCallbacks = (() => Promise<unknown>)[];

/** Stops in reverse order. A failure does not keep the others from stopping; the first failure is thrown. */
async function stopAll(stops: StopCallbacks): Promise<void> {
  const failures: unknown[] = [];
  for (let stop = stops.pop(); stop; stop = stops.pop())
    await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** If one part fails to start, for example because its port is taken, the parts started before it are stopped. */
async function startAllOrNothing<T>(
  start: (stops: StopCallbacks) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const stops: StopCallbacks = [];
  try {
    return { ...(await start(stops)), stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Starts the service of one process, as its ROLE says. `close` finishes running work first. */
export async function startService(opened: OpenedApp): Promise<Service> {
  const { app, pools } = opened;
  const { ROLE, HOST, PORT } = app.config;
  const { stop, ...serving } = await startAllOrNothing(async (stops) => {
    if (ROLE !== 'all') stops.push(await shareNotifier(app, pools.ownerPool));
    const keyUse = startKeyUseRecorder(app);
    stops.push(() => keyUse.stop());
    if (ROLE !== 'api') stops.push((await startWorkers(app, pools)).stop);
    // A worker serves only the probes.
    const http = ROLE === 'worker' ? buildProbes(app) : buildHttp(app);
    stops.push(() => http.server.close());
    return { http, url: await http.server.listen({ host: HOST, port: PORT }) };
  });
  const close = async () => {
    await stop();
    await opened.close();
  };
  return { ...opened, ...serving, close };
}

/** Starts the loops and the job queue of a worker process. */
export const startWorkers = (app: App, pools: Pools): Promise<{ stop(): Promise<void> }> =>
  startAllOrNothing(async (stops) => {
    await checkOwnLoincTable(app);
    const queue = await startQueue(app, pools.ownerPool, jobs);
    stops.push(() => queue.stop());
    const loops: Loop[] = [...startLoops(app), startSweeping(app, pools.ownerPool)];
    stops.push(() => Promise.all(loops.map((loop) => loop.stop())));
    const line = await startMllpListener(app);
    if (line) stops.push(() => line.stop());
    return {};
  });
