import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { request } from 'undici';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import { order } from '../../packages/server/test/examples.ts';
import { buildService, freePort, startProcess } from '../../packages/server/test/faults/service-process.ts';
import { Credentials } from '../../packages/server/test/faults/stage.ts';
import {
  defineCase,
  defineStage,
  type BenchCaseContext,
  type BenchSize,
} from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { openClient } from '../../tools/stage/database.ts';
import { REQUESTS } from '../cases.ts';
import { openFolder } from '../folder.ts';
import { send, createTarget, type BenchTarget } from '../load.ts';
import { ratioOf } from '../result.ts';
import { sendAll, sendEach } from './mllp-load.ts';

interface IntakeSize {
  readonly rounds: number;
  /** Rounds before the measured ones: V8 compiles the servers after a few thousand messages. */
  readonly warmUps: number;
  readonly messages: number;
  /** How often the baselines get the messages of a round, because they are too fast to measure once. */
  readonly bareRepeats: number;
  readonly libraryRepeats: number;
}

const SIZES = {
  full: { rounds: 3, warmUps: 4, messages: 600, bareRepeats: 10, libraryRepeats: 5 },
  quick: { rounds: 1, warmUps: 1, messages: 32, bareRepeats: 2, libraryRepeats: 1 },
} as const;
const POLL_INTERVAL_MS = 25;
const TEAM_KEY = `sk_us_${randomBytes(16).toString('hex')}`;

const intakeStage = defineStage<IntakeStage>({
  name: 'hl7-intake',
  expectedSeconds: { full: 80, quick: 10 },
  open: openStage,
});

/**
 * Results per second that one process receives over 16 connections, stores, acknowledges and attaches to their orders,
 * until the last one is attached. The baselines acknowledge and store nothing: one with our framing, one with the best
 * maintained library (decision 0017).
 */
export const hl7Intake = defineCase<IntakeStage, IntakeSize>({
  name: 'hl7-intake',
  group: REQUESTS,
  goal: 0.2,
  stage: intakeStage,
  sizes: SIZES,
  expectedSeconds: { full: 40, quick: 2 },
  run: measure,
});

interface IntakeStage {
  readonly ours: number;
  readonly bare: number;
  readonly library: number;
  /** Messages, each with the results of a different order. */
  readonly rounds: readonly (readonly Buffer[])[];
  readonly client: pg.Client;
}

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<IntakeStage> {
  const folder = await openFolder('hl7', cleanups, size);
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const databaseUrl = databaseUrlOf(postgres.connection);
  const [ours, bare, library] = [await freePort(), await freePort(), await freePort()];
  const start = async (args: readonly string[], env: Record<string, string>) => {
    const running = await startProcess(args, {
      ...env,
      NODE_ENV: 'production',
      PORT: String(await freePort()),
    });
    cleanups.push(() => running.stop());
    return running;
  };
  const service = await start(bundle.serve, {
    ROLE: 'all',
    LOG_LEVEL: 'warn',
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_TEAM_API_KEY: TEAM_KEY,
    LAB_MLLP_SANDBOX_PORTS: String(ours),
  });
  await start(['--import', 'tsx', 'bench/hl7-intake/bare.ts'], { LAB_MLLP_PORT: String(bare) });
  await start(['--import', 'tsx', 'bench/hl7-intake/library.ts'], { LAB_MLLP_PORT: String(library) });
  const client = await openClient({ connectionString: databaseUrl }, cleanups);
  const rounds = await fill(folder, service.url, SIZES[size]);
  return { ours, bare, library, client, rounds };
}

/** Creates a laboratory connection, orders through the API, and a result message for each. */
async function fill(folder: string, url: string, size: IntakeSize): Promise<Buffer[][]> {
  const door = createTarget(url, { 'x-service-api-key': TEAM_KEY });
  const own = Credentials.parse(JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')));
  const tests = JSON.parse(
    await send(door, { method: 'GET', path: '/v3/lab_tests?collection_method=walk_in_test' }),
  );
  const asked = await send(door, { method: 'GET', path: `/v3/lab_tests/${tests[0].id}/markers?size=100` });
  const { markers } = JSON.parse(asked);
  const connection = await request(`${url}/v1/org/${own.org_id}/team/${own.team_id}/sandbox/lab_connection`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-management-key': own.management_key },
    body: JSON.stringify({
      lab: tests[0].lab.slug,
      name: 'Bench',
      inbound: 'mllp',
      outbound: 'none',
      lab_application: 'LIS',
      lab_facility: 'LAB',
      our_facility: 'BENCH',
    }),
  });
  if (connection.statusCode !== 200) throw new Error(await connection.body.text());
  await connection.body.dump();
  const rounds: Buffer[][] = [];
  for (let round = 0; round < size.warmUps + size.rounds; round += 1) {
    rounds.push(
      await Promise.all(
        Array.from({ length: size.messages }, (_, n) =>
          placeOrder(door, `${round}-${n}`, { id: tests[0].id, markers }),
        ),
      ),
    );
  }
  return rounds;
}

async function placeOrder(door: BenchTarget, name: string, test: OrderedTest): Promise<Buffer> {
  const post = async (path: string, body: object) =>
    JSON.parse(await send(door, { method: 'POST', path, body: JSON.stringify(body) }));
  const { user_id: userId } = await post('/v2/user', { client_user_id: name });
  const body = order(userId, test.id);
  const answer = await post('/v3/order', body);
  // The step at which the laboratory knows the order.
  await post(`/v3/order/${answer.order.id}/test?final_status=requisition_created`, {});
  return resultOf(answer.order.id, name, { person: body.patient_details, markers: test.markers });
}

interface OrderedTest {
  readonly id: string;
  readonly markers: readonly OrderedMarker[];
}

interface OrderedMarker {
  readonly name: string;
  readonly provider_id: string | null;
  readonly expected_results: readonly ExpectedResult[] | null;
}

interface ExpectedResult {
  readonly name: string;
  readonly provider_id: string | null;
  readonly loinc: { readonly unit: string | null } | null;
}

interface ResultPatient {
  readonly first_name: string;
  readonly last_name: string;
  readonly dob: string;
}

interface ResultContent {
  readonly person: ResultPatient;
  readonly markers: readonly OrderedMarker[];
}

/** A final report with every ordered marker. */
function resultOf(orderId: string, name: string, { person, markers }: ResultContent): Buffer {
  const panels = markers.flatMap((marker, index) => [
    `OBR|${index + 1}|${orderId}|L${name}|${marker.provider_id}^${marker.name}^L|||20260301080000+0000|||||||||||||||20260302||LAB|F`,
    ...(marker.expected_results ?? []).map(
      (result, n) =>
        `OBX|${n + 1}|NM|${result.provider_id ?? ''}^${result.name}^L||${50 + n}|${result.loinc?.unit ?? ''}|40-99|N|||F|||20260301080000`,
    ),
  ]);
  return Buffer.from(
    [
      `MSH|^~\\&|LIS|LAB|ALIQUOT|BENCH|20260302150000+0000||ORU^R01|${name}|P|2.5.1`,
      `PID|1||77||${person.last_name}^${person.first_name}||${person.dob.replaceAll('-', '')}|F`,
      ...panels,
      '',
    ].join('\r'),
  );
}

async function measure(
  { ours, bare, library, rounds, client }: IntakeStage,
  { parameters: size, goal, report, advance }: BenchCaseContext<IntakeSize>,
): Promise<void> {
  const { warmUps, messages: count } = size;
  const repeated = (messages: readonly Buffer[], times: number) =>
    Array.from({ length: times }, () => messages).flat();
  for (const [index, messages] of rounds.slice(0, warmUps).entries()) {
    await sendAll(bare, messages);
    await sendEach(library, messages);
    await sendAll(ours, messages);
    await waitUntilAttached(client, count * (index + 1));
    advance(index + 1, rounds.length);
  }
  // Autovacuum does this within a minute. Before that, the planner assumes nearly empty tables.
  await client.query('vacuum analyze');
  const [our, their, libraries]: [number[], number[], number[]] = [[], [], []];
  for (const [index, messages] of rounds.slice(warmUps).entries()) {
    const begun = performance.now();
    await sendAll(ours, messages);
    await waitUntilAttached(client, count * (warmUps + index + 1));
    our.push((count * 1000) / (performance.now() - begun));
    const many = repeated(messages, size.bareRepeats);
    their.push((many.length * 1000) / (await sendAll(bare, many)));
    const some = repeated(messages, size.libraryRepeats);
    libraries.push((some.length * 1000) / (await sendEach(library, some)));
    advance(warmUps + index + 1, rounds.length);
  }
  report(ratioOf('hl7-intake', { ours: our, bare: their, goal }));
  report(ratioOf('hl7-intake-library', { ours: our, bare: libraries, goal }));
}

/** Waits until this many results are attached to their orders. */
async function waitUntilAttached(client: pg.Client, wanted: number): Promise<void> {
  const until = performance.now() + 120_000;
  while (performance.now() < until) {
    const { rows } = await client.query(
      "select count(*)::int as n from lab_message where status = 'taken' and order_id is not null",
    );
    if (rows[0].n >= wanted) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  const { rows } = await client.query('select status, reason, count(*) from lab_message group by 1, 2');
  throw new Error(`The results were not attached: ${JSON.stringify(rows)}`);
}
