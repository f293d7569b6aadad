import { mkdir } from 'node:fs/promises';
import type pg from 'pg';
import { buildApp, buildHttp, buildProbes, jobs, startLoops } from './build.ts';
import type { App } from './app.ts';
import { startLabLine } from './lab-testing/lab-connections/lab-connections.ts';
import { startKeyUse } from './management/management.ts';
import { systemClock, type Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { encryptionKey } from './platform/crypto/encryption-key.ts';
import { openKeyring } from './platform/crypto/keyring.ts';
import { migrate } from './platform/db/migrate.ts';
import { openPools, type Pools } from './platform/db/open.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';
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
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
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
    log: (message, fields) => log.info({ part: 'postgres', ...fields }, message),
  });
  return { connection: postgres.connection, stop: () => postgres.stop() };
}

export interface Service extends Opened {
  readonly http: Http;
  /** Where it listens, as `http://127.0.0.1:3000`. */
  readonly url: string;
}

/** The running service of one process, as its ROLE says. `close` finishes what is under way, then leaves. */
export async function startService(opened: Opened): Promise<Service> {
  const { app, pools } = opened;
  const { ROLE, HOST, PORT } = app.config;
  const unshare = ROLE === 'all' ? async () => {} : await shareBell(app, pools.ownerPool);
  const workers = ROLE === 'api' ? undefined : await startWorkers(app, pools);
  const keyUse = startKeyUse(app);
  // A worker answers probes and nothing else.
  const http = ROLE === 'worker' ? buildProbes(app) : buildHttp(app);
  const url = await http.server.listen({ host: HOST, port: PORT });
  return {
    ...opened,
    http,
    url,
    close: async () => {
      await http.server.close();
      await workers?.stop();
      await unshare();
      await keyUse.stop();
      await opened.close();
    },
  };
}

/** The loops and the job queue of a worker process. */
export async function startWorkers(app: App, pools: Pools): Promise<{ stop(): Promise<void> }> {
  const queue = await startQueue(app, pools.ownerPool, jobs);
  const loops: Loop[] = startLoops(app);
  const line = await startLabLine(app);
  return {
    stop: async () => {
      await line?.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      await queue.stop();
    },
  };
}
