import type pg from 'pg';
import {
  buildApp,
  buildHttp,
  buildProbePort,
  buildProbes,
  jobs,
  openKeyProviders,
  startLoops,
} from './compose.ts';
import type { App } from './app.ts';
import { startBackups } from './backup/backup.ts';
import { seedCatalog } from './ordering/catalog/catalog.ts';
import { seedSites } from './scheduling/patient-service-centers/patient-service-centers.ts';
import { checkOwnLoincTable } from './lab-reports/lab-reports.ts';
import { sealAccessLog } from './identity/access-log/access-log.ts';
import { startMonitoring } from './monitoring/monitoring.ts';
import { startMllpListeners } from './laboratories/lab-connections/lab-connections.ts';
import { startKeyUseRecorder } from './identity/management/management.ts';
import { SECOND, systemClock, type Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { openDeploymentKey } from './platform/crypto/deployment-key.ts';
import { openProviderKeyring, type Keyring } from './platform/crypto/keyring.ts';
import { assertUsable, compareMigrations, migrate } from './platform/db/migrate.ts';
import { openPools, type Pools } from './platform/db/open.ts';
import { isOlderThanDatabase, schemaReleaseOf, type SchemaRelease } from './platform/db/schema-version.ts';
import {
  findRunningEmbeddedPostgres,
  startEmbeddedPostgres,
  type SupervisorLog,
} from './platform/embedded-postgres/embedded-postgres.ts';
import { makeFolder } from './platform/folder.ts';
import type { Http } from './platform/http/http.ts';
import { createNotifier } from './platform/jobs/notifier.ts';
import { startQueue } from './platform/jobs/jobs.ts';
import { shareNotifier } from './platform/jobs/shared-notifier.ts';
import { startSweeping } from './platform/jobs/statistics-sweep.ts';
import type { Loop } from './platform/jobs/loop.ts';
import type { Log } from './platform/log.ts';
import { versionOf } from './platform/version.ts';
import { silentTelemetry, type Telemetry } from './platform/telemetry/telemetry.ts';
import { openScratchDatabase } from './scratch-database.ts';

export interface BootOptions {
  readonly config: Config;
  readonly log: Log;
  readonly root: URL;
  readonly clock?: Clock;
  /** Default: records nothing. */
  readonly telemetry?: Telemetry;
}

/** What every command needs: the migrated database, the keys, the app. */
export interface OpenedApp {
  readonly app: App;
  readonly pools: Pools;
  close(): Promise<void>;
}

/** Starts the embedded database if DATABASE_URL is not set, migrates, and builds the app. */
export const openApp = async (boot: BootOptions): Promise<OpenedApp> => {
  await makeFolder(boot.config.DATA_DIR);
  const opened = await openOn(boot, await openDatabase(boot.config, boot.log), (pools, release) =>
    migrate(pools.ownerPool, release, boot.log),
  );
  const { app } = opened;
  return {
    ...opened,
    close: async () => {
      // No other process may follow soon.
      await sealAccessLog(app).catch((error: unknown) =>
        app.log.warn({ err: error }, 'the access log was not sealed before the end of the process'),
      );
      await opened.close();
    },
  };
};

/**
 * The same for a command that only reads: while a service runs with the embedded database of DATA_DIR, uses its
 * database. Returns also whether it does.
 */
export async function openAppBesideService(
  boot: BootOptions,
): Promise<OpenedApp & { readonly isBeside: boolean }> {
  const { config, log } = boot;
  await makeFolder(config.DATA_DIR);
  const connection =
    config.DATABASE_URL === undefined
      ? await findRunningEmbeddedPostgres({ dataDir: config.DATA_DIR, log: supervisorLog(log) })
      : undefined;
  if (!connection) return { ...(await openApp(boot)), isBeside: config.DATABASE_URL !== undefined };
  const limited = { ...config, DATABASE_POOL: POOL_BESIDE_SERVICE };
  const database = { connection, stop: async () => {} };
  const opened = await openOn({ ...boot, config: limited }, database, assertSameVersion);
  return { ...opened, isBeside: true };
}

/**
 * Loads the catalog and the patient service centers that come with this version. Not if a newer version has loaded its own:
 * a process of the previous version that restarts during an upgrade would undo it.
 */
export async function seedShippedData({ app, pools }: OpenedApp): Promise<void> {
  if (await isOlderThanDatabase(pools.ownerPool, versionOf(app.root))) return;
  await seedCatalog(app);
  await seedSites(app);
}

/** The service needs most of the connections of the embedded database. */
const POOL_BESIDE_SERVICE = 2;

async function assertSameVersion(pools: Pools, { migrations }: SchemaRelease): Promise<void> {
  const { unknown, pending } = await compareMigrations(pools.ownerPool, migrations);
  if (unknown.length === 0 && pending.length === 0) return;
  throw new Error(
    'The service that uses this database runs another version of Aliquot. Use that version, or stop the service first.',
  );
}

/**
 * The names of the migrations that a start of this version would apply. Applies none; an embedded database that does
 * not run is started for the look, and stopped again.
 */
export async function planMigrations({ config, log, root }: BootOptions): Promise<string[]> {
  const running =
    config.DATABASE_URL === undefined
      ? await findRunningEmbeddedPostgres({ dataDir: config.DATA_DIR, log: supervisorLog(log) })
      : undefined;
  const database = running ? { connection: running, stop: async () => {} } : await openDatabase(config, log);
  const pools = openPools(database.connection, { size: 2, driver: config.DATABASE_DRIVER }, log);
  try {
    const release = schemaReleaseOf(root);
    await assertUsable(pools.ownerPool, release);
    return (await compareMigrations(pools.ownerPool, release.migrations)).pending;
  } finally {
    await pools.close();
    await database.stop();
  }
}

interface OpenedDatabase {
  readonly connection: pg.PoolConfig;
  stop(): Promise<void>;
}

async function openOn(
  { config, log, root, clock = systemClock, telemetry = silentTelemetry }: BootOptions,
  database: OpenedDatabase,
  prepare: (pools: Pools, release: SchemaRelease) => Promise<unknown>,
): Promise<OpenedApp> {
  const { DATABASE_POOL: size, DATABASE_DRIVER: driver } = config;
  const isTraced = telemetry.tracer !== undefined;
  const pools = openPools(database.connection, { size, driver, isTraced }, log);
  const close = async () => {
    await pools.close();
    await database.stop();
  };
  try {
    await prepare(pools, schemaReleaseOf(root));
    const keyring = await openConfiguredKeyring(config, pools.db);
    const platform = { config, log, clock, keyring, db: pools.db, notifier: createNotifier(), telemetry };
    const app = buildApp(platform, root);
    return { app, pools, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Refuses the start with a KeyProviderError if a provider cannot be reached or does not have the right key. */
async function openConfiguredKeyring(config: Config, db: Pools['db']): Promise<Keyring> {
  const { provider, additional } = await openKeyProviders(config);
  const deploymentKey = await openDeploymentKey(db, provider, additional);
  return openProviderKeyring(db, {
    provider,
    additional,
    deploymentKey,
    keysMax: config.KEY_CACHE_SIZE,
    // A local key needs no answer of anybody.
    lifetimeMs: provider.masterKey ? Infinity : config.KEY_CACHE_SECONDS * SECOND,
  });
}

const supervisorLog =
  (log: Log): SupervisorLog =>
  (message, fields, level = 'info') =>
    log[level]({ part: 'postgres', ...fields }, message);

async function openDatabase(config: Config, log: Log): Promise<OpenedDatabase> {
  if (config.DATABASE_URL !== undefined) {
    return { connection: { connectionString: config.DATABASE_URL }, stop: async () => {} };
  }
  const postgres = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: supervisorLog(log),
  });
  return { connection: postgres.connection, stop: () => postgres.stop() };
}

export interface Service extends OpenedApp {
  readonly http: Http;
  /** The URL it listens on, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The URL of PROBE_PORT, if it is set. */
  readonly probeUrl: string | undefined;
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
    const monitoring = startMonitoring(app, pools.ownerPool);
    stops.push(async () => monitoring.stop());
    const keyUse = startKeyUseRecorder(app);
    stops.push(() => keyUse.stop());
    if (ROLE !== 'api') {
      stops.push((await startWorkers(app, pools)).stop);
      const listeners = await startMllpListeners(app);
      if (listeners) stops.push(() => listeners.stop());
    }
    // A worker serves only the probes.
    const http = ROLE === 'worker' ? buildProbes(app) : buildHttp(app);
    stops.push(() => http.server.close());
    const url = await http.server.listen({ host: HOST, port: PORT });
    return { http, url, probeUrl: await startProbePort(app, stops) };
  });
  const close = async () => {
    await stop();
    await opened.close();
  };
  return { ...opened, ...serving, close };
}

async function startProbePort(app: App, stops: StopCallbacks): Promise<string | undefined> {
  const { HOST: host, PROBE_PORT: port } = app.config;
  if (port === undefined) return undefined;
  const { server } = buildProbePort(app);
  stops.push(() => server.close());
  return server.listen({ host, port });
}

const providersOf = ({ keyring }: App) => ({
  provider: keyring.provider,
  additional: keyring.providers.filter((one) => one !== keyring.provider),
});

/** Starts the loops and the job queue of a worker process. */
export const startWorkers = (app: App, pools: Pools): Promise<{ stop(): Promise<void> }> =>
  startAllOrNothing(async (stops) => {
    await checkOwnLoincTable(app);
    const queue = await startQueue(app, pools.ownerPool, jobs);
    stops.push(() => queue.stop());
    const loops: Loop[] = [...startLoops(app), startSweeping(app, pools.ownerPool)];
    const backups = startBackups(app, {
      ownerPool: pools.ownerPool,
      openScratch: () => openScratchDatabase({ ...app, providers: providersOf(app) }),
    });
    if (backups) loops.push(backups);
    stops.push(() => Promise.all(loops.map((loop) => loop.stop())));
    return {};
  });
