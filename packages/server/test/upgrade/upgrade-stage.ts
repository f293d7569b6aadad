import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import type { CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { createDatabase } from '../../../../tools/stage/database.ts';
import { databaseUrlOf } from '../database-url.ts';
import { freePort, startProcess, type ServiceProcess } from '../faults/service-process.ts';
import { callManagementApi, Credentials } from '../faults/stage.ts';
import { openReceiver, type Receiver } from '../receiver.ts';
import { openLoadBalancer, type LoadBalancer } from './load-balancer.ts';
import type { BuiltCheckout } from './previous-version.ts';

const run = promisify(execFile);
/** The clients are faster than those that the limits are made for. */
const UNLIMITED = '1000000000';

/** The processes of one version: an API behind the load balancer, and a worker. */
interface VersionProcesses {
  readonly api: ServiceProcess;
  readonly worker: ServiceProcess;
}

/** A database, a load balancer and a receiver of webhooks, which stay while the processes are replaced. */
export interface UpgradeStage {
  readonly balancer: LoadBalancer;
  readonly receiver: Receiver;
  readonly teamKey: () => string;
  start(version: BuiltCheckout): Promise<VersionProcesses>;
  /** `aliquot migrate` of a version; returns what it prints. */
  migrate(version: BuiltCheckout): Promise<string>;
  /** Takes the processes out of the load balancer, then stops them. */
  stop(version: BuiltCheckout, processes: VersionProcesses): Promise<void>;
  /** Calls the Management API below the tenant's path. */
  manage(path: string, body?: object): Promise<unknown>;
  /** Reads from the team API. */
  read(path: string): Promise<unknown>;
}

export async function openUpgradeStage(cleanups: CleanupTasks): Promise<UpgradeStage> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-upgrade-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const databaseUrl = await openDatabase(folder, cleanups);
  const receiver = await openReceiver();
  cleanups.push(() => receiver.close());
  const balancer = await openLoadBalancer();
  cleanups.push(() => balancer.close());
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_TEAM: UNLIMITED,
    RATE_LIMIT_KEY: UNLIMITED,
  };
  const startRole = async ({ command }: BuiltCheckout, ROLE: string) => {
    const started = await startProcess([...command, 'serve'], {
      ...env,
      ROLE,
      PORT: String(await freePort()),
    });
    cleanups.push(() => started.stop());
    return started;
  };
  let credentials: ReturnType<typeof Credentials.parse> | undefined;
  const known = () => {
    if (!credentials) throw new Error('No version has been started');
    return credentials;
  };
  return {
    balancer,
    receiver,
    teamKey: () => known().team_api_key,
    start: async (version) => {
      const api = await startRole(version, 'api');
      credentials ??= Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
      const worker = await startRole(version, 'worker');
      await balancer.add(version.name, api.url);
      return { api, worker };
    },
    migrate: async ({ command }) =>
      (await run(process.execPath, [...command, 'migrate'], { env: { ...env, PORT: '0' } })).stdout.trim(),
    stop: async ({ name }, { api, worker }) => {
      await balancer.drain(name);
      await Promise.all([api.stop(), worker.stop()]);
    },
    manage: (path, body) => {
      const { org_id: org, team_id: team, management_key: key } = known();
      return callManagementApi(`${balancer.url}/v1/org/${org}/team/${team}/sandbox${path}`, key, body);
    },
    read: async (path) => {
      const headers = { 'x-service-api-key': known().team_api_key };
      const answer = await request(`${balancer.url}${path}`, { headers });
      return answer.body.json();
    },
  };
}

/** A new database on the server of DATABASE_URL, or on a PostgreSQL that this process starts. */
async function openDatabase(folder: string, cleanups: CleanupTasks): Promise<string> {
  const server = process.env['DATABASE_URL'];
  if (server !== undefined && server !== '')
    return createDatabase(server, `aliquot_upgrade_${process.pid}`, cleanups);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  return databaseUrlOf(postgres.connection);
}
