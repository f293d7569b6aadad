import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import { address, patient } from '../../packages/server/test/examples.ts';
import {
  buildService,
  freePort,
  startProcess,
  type ServiceProcess,
} from '../../packages/server/test/faults/service-process.ts';
import { Credentials } from '../../packages/server/test/faults/stage.ts';
import { defineStage, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { openFolder } from '../folder.ts';
import { send, createTarget, type BenchTarget, UNREACHED_LIMITS } from '../load.ts';

/** An API that writes events, a receiver, and senders that cases start and stop; all on one database. */
export interface DeliveryStage {
  readonly receiver: string;
  /** Adds endpoints at these paths of the receiver; returns a function that removes them. */
  subscribe(paths: readonly string[]): Promise<() => Promise<void>>;
  /** Places `count` orders, each of which emits one event, at `aSecond` per second or as fast as possible. */
  emit(count: number, aSecond?: number): Promise<void>;
  startSender(): Promise<ServiceProcess>;
  stats(): Promise<DeliveryStats>;
  /** Only the counts, which are cheap to poll. */
  counts(): Promise<DeliveryCounts>;
  reset(): Promise<void>;
}

const DeliveryStats = z.object({
  arrivals: z.array(z.number()),
  latencies: z.array(z.number()),
  hanging: z.number(),
});
export type DeliveryStats = z.output<typeof DeliveryStats>;

const DeliveryCounts = z.object({ arrivals: z.number(), latencies: z.number() });
export type DeliveryCounts = z.output<typeof DeliveryCounts>;

const TEAM_KEY = `sk_us_${randomBytes(16).toString('hex')}`;
const USERS = 50;
const PARALLEL_ORDERS = 16;

export const deliveryStage = defineStage<DeliveryStage>({
  name: 'deliveries',
  expectedSeconds: { full: 15, quick: 8 },
  // The deliveries of one case stay in the tables that the next case reads.
  isFreshForEachCase: { full: true, quick: false },
  open: openStage,
});

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<DeliveryStage> {
  const folder = await openFolder('deliveries', cleanups, size);
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const start = async (args: readonly string[], env: Record<string, string>) => {
    const running = await startProcess(args, {
      ...env,
      NODE_ENV: 'production',
      PORT: String(await freePort()),
    });
    cleanups.push(() => running.stop());
    return running;
  };
  const serve = (role: string) =>
    start(bundle.serve, {
      ...UNREACHED_LIMITS,
      ROLE: role,
      LOG_LEVEL: 'warn',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrlOf(postgres.connection),
      BOOTSTRAP_TEAM_API_KEY: TEAM_KEY,
    });
  const api = await serve('api');
  const receiver = await start(['--import', 'tsx', 'bench/deliveries/receiver.ts'], {});
  const ask = async (path: string) => (await request(`${receiver.url}${path}`)).body.json();
  return {
    receiver: receiver.url,
    subscribe: await createSubscriber(folder, { api, receiver }),
    emit: await createEmitter(createTarget(api.url, { 'x-service-api-key': TEAM_KEY })),
    startSender: () => serve('worker'),
    stats: async () => DeliveryStats.parse(await ask('/stats')),
    counts: async () => DeliveryCounts.parse(await ask('/counts')),
    reset: async () => void (await ask('/reset')),
  };
}

interface DeliveryProcesses {
  readonly api: ServiceProcess;
  readonly receiver: ServiceProcess;
}

async function createSubscriber(
  folder: string,
  { api, receiver }: DeliveryProcesses,
): Promise<DeliveryStage['subscribe']> {
  const own = Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
  const path = `/v1/org/${own.org_id}/team/${own.team_id}/sandbox/webhook`;
  const manage = async (method: 'POST' | 'DELETE', at: string, body?: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', 'x-management-key': own.management_key };
    const answer = await request(`${api.url}${at}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${at} answered ${answer.statusCode}: ${text}`);
    return text;
  };
  return async (paths) => {
    const ids: string[] = [];
    for (const each of paths) {
      const body = { url: `${receiver.url}${each}`, filter_types: ['labtest.order.created'] };
      ids.push(Endpoint.parse(JSON.parse(await manage('POST', path, body))).id);
    }
    return async () => {
      for (const id of ids) await manage('DELETE', `${path}/${id}`);
    };
  };
}

const Endpoint = z.object({ id: z.string() });
const User = z.object({ user_id: z.string() });
const LabTests = z.tuple([z.object({ id: z.string() })], z.unknown());

async function createEmitter(api: BenchTarget): Promise<DeliveryStage['emit']> {
  const post = (path: string, body: object) =>
    send(api, { method: 'POST', path, body: JSON.stringify(body) });
  const tests = await send(api, { method: 'GET', path: '/v3/lab_tests?collection_method=walk_in_test' });
  const [{ id: labTestId }] = LabTests.parse(JSON.parse(tests));
  const users: string[] = [];
  for (let n = 0; n < USERS; n += 1) {
    users.push(User.parse(JSON.parse(await post('/v2/user', { client_user_id: `patient-${n}` }))).user_id);
  }
  const physician = { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' };
  const place = (n: number) =>
    post('/v3/order', {
      user_id: users[n % USERS],
      lab_test_id: labTestId,
      patient_details: patient,
      patient_address: address,
      physician,
    });
  return async (count, aSecond) => {
    if (aSecond !== undefined) return runAtPace(count, aSecond, place);
    let next = 0;
    const placer = async () => {
      while (next < count) await place((next += 1));
    };
    await Promise.all(Array.from({ length: PARALLEL_ORDERS }, placer));
  };
}

/** Starts `aSecond` calls every second, however long the responses take. */
async function runAtPace(
  count: number,
  aSecond: number,
  place: (n: number) => Promise<unknown>,
): Promise<void> {
  const begun: Promise<unknown>[] = [];
  for (let n = 0; n < count; n += 1) {
    begun.push(place(n));
    await new Promise((resolve) => setTimeout(resolve, 1000 / aSecond));
  }
  await Promise.all(begun);
}
