import type pg from 'pg';
import { buildApp, buildHttp, buildProbes, jobs, startLoops } from './build.ts';
import type { App } from './app.ts';
import { checkOwnCodes } from './lab-reports/lab-reports.ts';
import { startLabLine } from './lab-testing/lab-connections/lab-connections.ts';
import { startKeyUse } from './management/management.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { encryptionKey } from './platform/crypto/encryption-key.ts';
import { openKeyring } from './platform/crypto/keyring.ts';
import { migrate } from './platform/db/migrate.ts';
import { openPools, type Pools } from './platform/db/open.ts';
import { startSweeping } from './platform/db/sweep.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';
import { makeFolder } from './platform/folder.ts';
import type { Http } from './platform/http/http.ts';
import { openBell } from './platform/jobs/bell.ts';
import { startQueue } from './platform/jobs/jobs.ts';
import { shareBell } from './platform/jobs/shared-bell.ts';
import type { Loop } from './platform/jobs/loop.ts';
import type { Log } from './platform/log.ts';

export interface Ground {
  readonly config: Config;
  readonly log: Log;
  readonly root: URL;
  readonly clock?: Clock;
}

/** The parts that every command needs: the database at its newest form, the keys, the app. */
export interface Opened {
  readonly app: App;
  readonly pools: Pools;
  close(): Promise<void>;
}

/** Starts the embedded database if none is named, migrates, and builds the app. */
export async function openApp({ config, log, root, clock = systemClock }: Ground): Promise<Opened> {
  await makeFolder(config.DATA_DIR);
  const database = await openDatabase(config, log);
  const pools = openPools(database.connection, config.DATABASE_POOL, log);
  try {
    await migrate(pools.ownerPool, new URL('migrations/', root), log);
    const keyring = openKeyring(pools.db, await encryptionKey(config));
    const app = buildApp({ config, log, clock, keyring, db: pools.db, bell: openBell() }, root);
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

export interface Service extends Opened {
  readonly http: Http;
  /** Where it listens, as `http://127.0.0.1:3000`. */
  readonly url: string;
}

/** How to stop what was started so far, in the order of starting. */
type Stops = (() => Promise<unknown>)[];

/** The last one first. What does not stop keeps nothing else from stopping. */
async function stopAll(stops: Stops): Promise<void> {
  const failures: unknown[] = [];
  for (let stop = stops.pop(); stop; stop = stops.pop())
    await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Where one part does not start, as where its port is taken, those before it are stopped: nothing is left running. */
async function starting<T>(start: (stops: Stops) => Promise<T>): Promise<T & { stop(): Promise<void> }> {
  const stops: Stops = [];
  try {
    return { ...(await start(stops)), stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** The running service of one process, as its ROLE says. `close` finishes what is under way, then leaves. */
export async function startService(opened: Opened): Promise<Service> {
  const { app, pools } = opened;
  const { ROLE, HOST, PORT } = app.config;
  const { stop, ...serving } = await starting(async (stops) => {
    if (ROLE !== 'all') stops.push(await shareBell(app, pools.ownerPool));
    const keyUse = startKeyUse(app);
    stops.push(() => keyUse.stop());
    if (ROLE !== 'api') stops.push((await startWorkers(app, pools)).stop);
    // A worker answers probes and nothing else.
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

/** The loops and the job queue of a worker process. */
export const startWorkers = (app: App, pools: Pools): Promise<{ stop(): Promise<void> }> =>
  starting(async (stops) => {
    await checkOwnCodes(app);
    const queue = await startQueue(app, pools.ownerPool, jobs);
    stops.push(() => queue.stop());
    const loops: Loop[] = [...startLoops(app), startSweeping(app, pools.ownerPool)];
    stops.push(() => Promise.all(loops.map((loop) => loop.stop())));
    const line = await startLabLine(app);
    if (line) stops.push(() => line.stop());
    return {};
  });
