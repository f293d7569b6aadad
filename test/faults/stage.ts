import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { request } from 'undici';
import { z } from 'zod';
import { SUPERUSER } from '../../src/platform/embedded-postgres/cluster.ts';
import { withCleanup, type CleanupTasks } from '../../tools/stage/cleanup.ts';
import { createDatabase, withClient } from '../../tools/stage/database.ts';
import { openReceiver, type Received, type Receiver } from '../receiver.ts';
import { buildService, freePort, startProcess, type ServiceProcess } from './service-process.ts';

export const Credentials = z.object({
  org_id: z.string(),
  team_id: z.string(),
  team_api_key: z.string(),
  management_key: z.string(),
});

/** The service as a process of its own on a folder of its own, and a receiver that its events go to. */
export interface Stage {
  readonly url: string;
  readonly teamKey: string;
  readonly teamId: string;
  readonly receiver: Receiver;
  /** The process of the embedded database, if there is one at this moment; undefined where DATABASE_URL names a server. */
  readonly postmaster: (() => Promise<number | undefined>) | undefined;
  readonly service: () => ServiceProcess;
  /** Starts the service once more on the same port, folder and database. */
  readonly restart: () => Promise<void>;
  /** Runs something on a connection of its own, which owns the database. */
  readonly onDatabase: <T>(run: (client: pg.Client) => Promise<T>) => Promise<T>;
  /** What the receiver got and did not take. */
  readonly refused: ReadonlySet<Received>;
  /** While everything settles: brings nearer what is due later. */
  readonly hurry: () => Promise<void>;
  /** The body of an answer of the Management API below the tenant's path. */
  readonly manage: (path: string, body?: object) => Promise<unknown>;
}

/** `settings` are of the service, besides those that the stage needs. */
export const onStage = <T>(
  play: (stage: Stage) => Promise<T>,
  settings: Record<string, string> = {},
): Promise<T> => withCleanup((cleanups) => openStage(cleanups, settings), play);

async function openStage(cleanups: CleanupTasks, settings: Record<string, string>): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-faults-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const database = await openDatabase(folder, cleanups);
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const port = String(await freePort());
  const env = { ...settings, DATA_DIR: folder, LOG_LEVEL: 'warn', PORT: port, ...database.env };
  const start = () => startProcess(bundle.serve, env);
  let service = await start();
  cleanups.push(() => service.stop());
  const receiver = await openReceiver();
  cleanups.push(() => receiver.close());
  const credentials = Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
  const tenantUrl = `${service.url}/v1/org/${credentials.org_id}/team/${credentials.team_id}/sandbox`;
  const manage = (path: string, body?: object) =>
    ask(`${tenantUrl}${path}`, credentials.management_key, body);
  await manage('/webhook', { url: receiver.url });
  return {
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
    refused: new Set(),
    hurry: async () => {},
  };
}

interface Ground {
  readonly connection: pg.ClientConfig;
  readonly env: Record<string, string>;
  readonly postmaster: (() => Promise<number | undefined>) | undefined;
}

/** The embedded database of the folder, or a new one on the server of DATABASE_URL. */
async function openDatabase(folder: string, cleanups: CleanupTasks): Promise<Ground> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined || server === '') {
    const postmaster = () => postmasterOf(folder);
    cleanups.push(() => endPostmaster(postmaster));
    return {
      connection: { host: join(folder, 'postgres', 'run'), user: SUPERUSER, database: 'aliquot' },
      env: {},
      postmaster,
    };
  }
  const url = await createDatabase(server, `aliquot_faults_${process.pid}`, cleanups);
  return { connection: { connectionString: url }, env: { DATABASE_URL: url }, postmaster: undefined };
}

export async function postmasterOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n', 1)[0]);
  return pid > 0 ? pid : undefined;
}

/** A process that was killed leaves its database running; the folder cannot go before it. */
export async function endPostmaster(postmaster: () => Promise<number | undefined>): Promise<void> {
  const pid = await postmaster();
  if (pid !== undefined && signalled(pid, 'SIGINT')) while (signalled(pid, 0)) await sleep(20);
}

function signalled(pid: number, signal: 'SIGINT' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

export async function ask(url: string, key: string, body?: object): Promise<unknown> {
  const answer = await request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'x-management-key': key },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text);
}
