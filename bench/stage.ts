import { randomBytes } from 'node:crypto';
import { databaseUrlOf } from '../packages/server/test/database-url.ts';
import { address, patient } from '../packages/server/test/examples.ts';
import {
  buildService,
  freePort,
  startProcess,
  type ServiceProcess,
} from '../packages/server/test/faults/service-process.ts';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { defineStage, type BenchSize } from '../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../tools/stage/cleanup.ts';
import { createDatabase, withClient } from '../tools/stage/database.ts';
import { openFolder } from './folder.ts';
import { send, createTarget, type BenchTarget, UNREACHED_LIMITS } from './load.ts';
import { placeReportedOrders } from './reported-orders.ts';

/** Both servers on one database with users and orders. */
export interface RequestStage {
  readonly ours: BenchTarget;
  readonly bare: BenchTarget;
  /** Request bodies that create an order, one for each user. */
  readonly orders: readonly string[];
  /** The same for orders of two lab tests with questions; the service chooses their lab account. */
  readonly orderSets: readonly string[];
  readonly orderIds: readonly string[];
  /** Orders with the results of RESULT_SIZE observations. */
  readonly resultIds: readonly string[];
}

const COUNTS = {
  full: { users: 3000, orders: 1000, reported: 100 },
  quick: { users: 80, orders: 32, reported: 3 },
} as const;
const POOL = '10';
const TEAM_KEY = `sk_us_${randomBytes(16).toString('hex')}`;

export const requestStage = defineStage<RequestStage>({
  name: 'requests',
  expectedSeconds: { full: 60, quick: 15 },
  open: openStage,
});

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<RequestStage> {
  const { databaseUrl, rows, services } = await openServices(cleanups, size, [
    { name: 'service', settings: {} },
  ]);
  const [{ target: door }] = services;
  const count = COUNTS[size].reported;
  const reported = await placeReportedOrders(door, { databaseUrl, orders: rows.orders.slice(0, count) });
  // Autovacuum does this within a minute. Before that, the planner assumes nearly empty tables, and index-only scans
  // have to check each row in the table.
  await withClient({ connectionString: databaseUrl }, (client) => client.query('vacuum analyze'));
  const bare = await startServer(['--import', 'tsx', 'bench/bare.ts'], cleanups, {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: POOL,
    TEAM_ID: rows.teamId,
    ORDER_ID: rows.orderIds[0] ?? '',
    ORDER_ANSWER: rows.orderAnswer,
    ORDER_SET_ID: rows.orderSetId,
    ORDER_SET_ANSWER: rows.orderSetAnswer,
    RESULT_ANSWER: reported.answer,
  });
  return { ours: door, bare: createTarget(bare.url, {}), resultIds: reported.orderIds, ...rows };
}

/** A service with settings of its own. */
interface ServiceVariant {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A service process for each variant on one database, which the first one fills. */
export async function openServices(
  cleanups: CleanupTasks,
  size: BenchSize,
  variants: readonly [ServiceVariant, ...ServiceVariant[]],
) {
  const folder = await openFolder('requests', cleanups, size);
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const databaseUrl = await openDatabase(folder, cleanups);
  const start = async ({ name, settings }: ServiceVariant) => {
    const { url } = await startServer(bundle.serve, cleanups, {
      ...UNREACHED_LIMITS,
      ROLE: 'api',
      LOG_LEVEL: 'warn',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      DATABASE_POOL: POOL,
      BOOTSTRAP_TEAM_API_KEY: TEAM_KEY,
      ...settings,
    });
    return { name, target: createTarget(url, { 'x-service-api-key': TEAM_KEY }) };
  };
  const [first, ...others] = variants;
  const filler = await start(first);
  const rows = await fill(filler.target, COUNTS[size]);
  const services: [typeof filler, ...(typeof filler)[]] = [filler];
  for (const other of others) services.push(await start(other));
  return { databaseUrl, rows, services };
}

async function startServer(
  args: readonly string[],
  cleanups: CleanupTasks,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const server = await startProcess(args, { ...env, PORT: String(await freePort()), NODE_ENV: 'production' });
  cleanups.push(() => server.stop());
  return server;
}

/** A new database on the server of DATABASE_URL, or on an embedded one that fsyncs as in production. */
async function openDatabase(folder: string, cleanups: CleanupTasks): Promise<string> {
  const server = process.env['DATABASE_URL'] ?? (await startEmbedded(folder, cleanups));
  return createDatabase(server, `aliquot_bench_${process.pid}`, cleanups);
}

async function startEmbedded(folder: string, cleanups: CleanupTasks): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  return databaseUrlOf(postgres.connection);
}

interface FilledRows extends Pick<RequestStage, 'orders' | 'orderSets' | 'orderIds'> {
  readonly teamId: string;
  /** The response when the first order is read. */
  readonly orderAnswer: string;
  readonly orderSetId: string;
  readonly orderSetAnswer: string;
}

/** Creates users and orders through the API, so that the service wrote every row. */
async function fill(ours: BenchTarget, counts: { users: number; orders: number }): Promise<FilledRows> {
  const users: { user_id: string; team_id: string }[] = await runMany(counts.users, (n) =>
    post(ours, '/v2/user', JSON.stringify({ client_user_id: `patient-${String(n).padStart(6, '0')}` })),
  );
  const tests = JSON.parse(
    await send(ours, { method: 'GET', path: '/v3/lab_tests?collection_method=walk_in_test' }),
  );
  const orders = users.map((user) => JSON.stringify({ ...orderOf(user.user_id), lab_test_id: tests[0].id }));
  const placed: { order: { id: string } }[] = await runMany(counts.orders, (n) =>
    post(ours, '/v3/order', orders[n] ?? ''),
  );
  const orderIds = placed.map(({ order }) => order.id);
  const answerOf = (id: string | undefined) => send(ours, { method: 'GET', path: `/v3/order/${id}` });
  const set = await orderSet(ours);
  const orderSets = users.map((user) => JSON.stringify({ ...orderOf(user.user_id), ...set }));
  const { order } = await post(ours, '/v3/order/create', orderSets[counts.orders] ?? '');
  return {
    teamId: users[0]?.team_id ?? '',
    orders,
    orderSets,
    orderIds,
    orderAnswer: await answerOf(orderIds[0]),
    orderSetId: order.id,
    orderSetAnswer: await answerOf(order.id),
  };
}

interface CatalogMarker {
  readonly id: number;
  readonly is_orderable: boolean;
  readonly a_la_carte_enabled: boolean;
  readonly aoe: { readonly questions: readonly AoeQuestion[] } | null;
}
interface AoeQuestion {
  readonly id: number;
  readonly required: boolean;
  readonly type: string;
  readonly answers: readonly { readonly code: string }[];
}

/** Two lab tests of one laboratory whose markers have questions, and answers to all required questions. */
async function orderSet(ours: BenchTarget): Promise<{ order_set: object; aoe_answers: object[] }> {
  const { markers }: { markers: CatalogMarker[] } = JSON.parse(
    await send(ours, { method: 'GET', path: '/v3/lab_tests/markers?lab_slug=labcorp&size=100' }),
  );
  const sold = markers.filter((marker) => marker.is_orderable && marker.a_la_carte_enabled);
  const asks = (marker: CatalogMarker) => marker.aoe?.questions.some(({ required }) => required) ?? false;
  const asking = sold.filter(asks).slice(0, 2);
  const plain = sold.filter((marker) => !asks(marker)).slice(0, 6);
  if (asking.length < 2 || plain.length < 6)
    throw new Error('The catalog has too few markers with and without questions');
  const tests = await runMany(2, async (n) => {
    const chosen = [asking[n], ...plain.slice(n * 3, n * 3 + 3)].map((marker) => marker?.id);
    const body = {
      name: `Bench ${n}`,
      description: 'Of the bench',
      method: 'walk_in_test',
      marker_ids: chosen,
    };
    return post(ours, '/v3/lab_tests', JSON.stringify(body));
  });
  const aoe_answers = [...asking, ...plain].flatMap(({ id, aoe }) =>
    (aoe?.questions ?? [])
      .filter(({ required }) => required)
      .map((question) => ({ marker_id: id, question_id: question.id, answer: answerTo(question) })),
  );
  return { order_set: { lab_test_ids: tests.map(({ id }) => id) }, aoe_answers };
}

const answerTo = ({ type, answers }: AoeQuestion) =>
  answers[0]?.code ?? (type === 'numeric' ? '12' : 'As the patient says');

const orderOf = (userId: string) => ({
  user_id: userId,
  patient_details: patient,
  patient_address: address,
  physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' },
});

const post = async (ours: BenchTarget, path: string, body: string) =>
  JSON.parse(await send(ours, { method: 'POST', path, body }));

const PARALLEL_CALLS = 32;

async function runMany<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const maker = async () => {
    for (let n = next++; n < count; n = next++) made[n] = await make(n);
  };
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, maker));
  return made;
}
