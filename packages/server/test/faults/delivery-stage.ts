import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { withCleanup, type CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { withClient } from '../../../../tools/stage/database.ts';
import { databaseUrlOf } from '../database-url.ts';
import { openReceiver, type ReceivedRequest } from '../receiver.ts';
import { openOutageProxy, type OutageProxy } from './outage-proxy.ts';
import { buildService, freePort, startProcess, type ServiceProcess } from './service-process.ts';
import { callManagementApi, Credentials, readPostmasterPid, type FaultStage } from './stage.ts';

/** At the end the clock advances by this between two polls: no message waits longer than two days in total. */
const STEP_SECONDS = 3600;

/** An API, senders as separate processes, and a proxy to the receiver. This process runs the database. */
export interface DeliveryStage extends FaultStage {
  readonly proxy: OutageProxy;
  /** The senders that are running. */
  readonly senders: ServiceProcess[];
  startSender(): Promise<void>;
  readonly rejected: Set<ReceivedRequest>;
  /** Kills the n-th sender and starts another in its place. */
  replaceSender(n: number): Promise<void>;
  /** Advances the team's clock, which makes later work due. */
  advance(seconds: number): Promise<void>;
}

export const withDeliveryStage = <T>(play: (stage: DeliveryStage) => Promise<T>): Promise<T> =>
  withCleanup(openStage, play);

async function openStage(cleanups: CleanupTasks): Promise<DeliveryStage> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-deliveries-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const start = async (role: string) =>
    startProcess(bundle.serve, {
      ROLE: role,
      DATA_DIR: folder,
      DATABASE_URL: databaseUrlOf(postgres.connection),
      LOG_LEVEL: 'warn',
      PORT: String(await freePort()),
    });
  const api = await start('api');
  cleanups.push(() => api.stop());
  const senders: ServiceProcess[] = [];
  cleanups.push(() => Promise.all(senders.map((sender) => sender.stop())));
  const receiver = await openReceiver();
  cleanups.push(() => receiver.close());
  const cable = await openOutageProxy(Number(new URL(receiver.url).port));
  cleanups.push(() => cable.close());
  const credentials = Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
  const tenantUrl = `${api.url}/v1/org/${credentials.org_id}/team/${credentials.team_id}/sandbox`;
  const manage = (path: string, body?: object) =>
    callManagementApi(`${tenantUrl}${path}`, credentials.management_key, body);
  await manage('/webhook', { url: `http://127.0.0.1:${cable.port}/hook` });
  const advance = async (seconds: number) => void (await manage('/clock', { advance_seconds: seconds }));
  const stage: DeliveryStage = {
    folder,
    url: api.url,
    teamKey: credentials.team_api_key,
    teamId: credentials.team_id,
    receiver,
    proxy: cable,
    senders,
    postmaster: () => readPostmasterPid(folder),
    service: () => api,
    restart: () => Promise.reject(new Error('Only senders are killed here')),
    onDatabase: (run) => withClient(postgres.connection, run),
    manage,
    startSender: async () => void senders.push(await start('worker')),
    replaceSender: async (n) => {
      await senders[n]?.kill();
      senders[n] = await start('worker');
    },
    rejected: new Set(),
    advance,
    advanceDueTimes: () => advance(STEP_SECONDS),
  };
  await stage.startSender();
  return stage;
}
