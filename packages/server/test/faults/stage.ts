import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { request } from 'undici';
import { z } from 'zod';
import { SUPERUSER } from '../../src/platform/embedded-postgres/cluster.ts';
import { withCleanup, type CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { createDatabase, withClient } from '../../../../tools/stage/database.ts';
import { openReceiver, type ReceivedRequest, type Receiver } from '../receiver.ts';
import { buildService, freePort, startProcess, type ServiceProcess } from './service-process.ts';

export const Credentials = z.object({
  org_id: z.string(),
  team_id: z.string(),
  team_api_key: z.string(),
  management_key: z.string(),
});

/** The service in a separate process with its own folder, and a receiver of its events. */
export interface FaultStage {
  /** DATA_DIR of the service. */
  readonly folder: string;
  readonly url: string;
  readonly teamKey: string;
  readonly teamId: string;
  readonly receiver: Receiver;
  /** Pid of the embedded database while it runs; the function is undefined if DATABASE_URL names a server. */
  readonly postmaster: (() => Promise<number | undefined>) | undefined;
  readonly service: () => ServiceProcess;
  /** Starts the service again on the same port, folder and database. */
  readonly restart: () => Promise<void>;
  /** Runs `run` on a new connection of the database owner. */
  readonly onDatabase: <T>(run: (client: pg.Client) => Promise<T>) => Promise<T>;
  /** Requests that the receiver answered with an error. */
  readonly rejected: ReadonlySet<ReceivedRequest>;
  /** Makes later work due while everything settles. */
  readonly advanceDueTimes: () => Promise<void>;
  /** Calls the Management API below the tenant's path; returns the response body. */
  readonly manage: (path: string, body?: object) => Promise<unknown>;
}

export interface StageOptions {
  /** Additional settings of the service. */
  readonly settings?: Record<string, string>;
  /** Prepares the empty folder of the service, for example as a file system of its own. */
  readonly prepareFolder?: (folder: string, cleanups: CleanupTasks) => Promise<void>;
  /** The program and the arguments before those of Node; default Node itself. */
  readonly command?: readonly [string, ...string[]];
  /** The URL of the receiver as the service is told it; default by its address. */
  readonly receiverHost?: string;
}

export const withFaultStage = <T>(
  play: (stage: FaultStage) => Promise<T>,
  options: StageOptions = {},
): Promise<T> => withCleanup((cleanups) => openStage(cleanups, options), play);

export async function openStage(cleanups: CleanupTasks, options: StageOptions): Promise<FaultStage> {
  const { settings = {}, prepareFolder, command, receiverHost = '127.0.0.1' } = options;
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-faults-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await prepareFolder?.(folder, cleanups);
  const database = await openDatabase(folder, cleanups);
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const port = String(await freePort());
  const env = { ...settings, DATA_DIR: folder, LOG_LEVEL: 'warn', PORT: port, ...database.env };
  const start = () => startProcess(bundle.serve, env, command);
  let service = await start();
  cleanups.push(() => service.stop());
  const receiver = await openReceiver();
  cleanups.push(() => receiver.close());
  const credentials = Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
  const tenantUrl = `${service.url}/v1/org/${credentials.org_id}/team/${credentials.team_id}/sandbox`;
  const manage = (path: string, body?: object) =>
    callManagementApi(`${tenantUrl}${path}`, credentials.management_key, body);
  await manage('/webhook', { url: receiver.url.replace('127.0.0.1', receiverHost) });
  return {
    folder,
    url: service.url,
    teamKey: credentials.team_api_key,
    teamId: credentials.team_id,
    receiver,
    postmaster: database.postmaster,
    service: () => service,
    restart: async () => {
      service = await start();
    },
    onDatabase: (run) => withClient(database.connection, run),
    manage,
    rejected: new Set(),
    advanceDueTimes: async () => {},
  };
}

interface StageDatabase {
  readonly connection: pg.ClientConfig;
  readonly env: Record<string, string>;
  readonly postmaster: (() => Promise<number | undefined>) | undefined;
}

/** The embedded database of the folder, or a new one on the server of DATABASE_URL. */
async function openDatabase(folder: string, cleanups: CleanupTasks): Promise<StageDatabase> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined || server === '') {
    const postmaster = () => readPostmasterPid(folder);
    cleanups.push(() => stopPostmaster(postmaster));
    return {
      connection: { host: join(folder, 'postgres', 'run'), user: SUPERUSER, database: 'aliquot' },
      env: {},
      postmaster,
    };
  }
  const url = await createDatabase(server, `aliquot_faults_${process.pid}`, cleanups);
  return { connection: { connectionString: url }, env: { DATABASE_URL: url }, postmaster: undefined };
}

export async function readPostmasterPid(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n', 1)[0]);
  return pid > 0 ? pid : undefined;
}

/** A killed service leaves its database running, which must stop before the folder is removed. */
async function stopPostmaster(postmaster: () => Promise<number | undefined>): Promise<void> {
  const pid = await postmaster();
  if (pid !== undefined && sendSignal(pid, 'SIGINT')) while (sendSignal(pid, 0)) await sleep(20);
}

function sendSignal(pid: number, signal: 'SIGINT' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

export async function callManagementApi(url: string, key: string, body?: object): Promise<unknown> {
  const answer = await request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'x-management-key': key },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text);
}
