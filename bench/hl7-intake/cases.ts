import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { urlOf } from '../../test/embedded-url.ts';
import { order } from '../../test/examples.ts';
import { buildService, freePort, startProcess } from '../../test/faults/service-process.ts';
import { Credentials } from '../../test/faults/stage.ts';
import { send, target, type Target } from '../load.ts';
import { ratioOf, type Result } from '../result.ts';
import { sendAll, sendEach } from './lanes.ts';

const GOAL = 0.2;
const ROUNDS = 3;
/** Rounds before them: the echoes are compiled after a few thousand messages, and so is the service. */
const WARM_UPS = 4;
const MESSAGES = 600;
const LOOK_EVERY_MS = 25;
const TEAM_KEY = `sk_us_${randomBytes(16).toString('hex')}`;

/**
 * Results a second that one process takes in from 16 connections, keeps, acknowledges, and attaches to their orders,
 * until the last one is attached; beside an echo of the same framing that keeps nothing, and beside the echo of the
 * library that is kept best, to which our framing was preferred (decision 0017).
 */
export async function hl7Intake(): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-bench-hl7-'));
  const leave: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    return await measure(await openStage(folder, leave));
  } finally {
    for (const each of leave.toReversed()) await each();
  }
}

interface Stage {
  readonly ours: number;
  readonly bare: number;
  readonly library: number;
  /** Messages that each answer an order of their own. */
  readonly rounds: readonly (readonly Buffer[])[];
  readonly client: pg.Client;
}

async function openStage(folder: string, leave: (() => Promise<unknown>)[]): Promise<Stage> {
  const bundle = await buildService();
  leave.push(bundle.release);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  leave.push(() => postgres.stop());
  const databaseUrl = urlOf(postgres.connection);
  const [ours, bare, library] = [await freePort(), await freePort(), await freePort()];
  const start = async (args: readonly string[], env: Record<string, string>) => {
    const running = await startProcess(args, {
      ...env,
      NODE_ENV: 'production',
      PORT: String(await freePort()),
    });
    leave.push(() => running.stop());
    return running;
  };
  const service = await start(bundle.serve, {
    ROLE: 'all',
    LOG_LEVEL: 'warn',
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_TEAM_API_KEY: TEAM_KEY,
    LAB_MLLP_PORT: String(ours),
  });
  await start(['--import', 'tsx', 'bench/hl7-intake/bare.ts'], { LAB_MLLP_PORT: String(bare) });
  await start(['--import', 'tsx', 'bench/hl7-intake/library.ts'], { LAB_MLLP_PORT: String(library) });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  leave.push(() => client.end());
  const rounds = await fill(folder, service.url);
  return { ours, bare, library, client, rounds };
}

/** A connection, orders by the front door, and a result for each. */
async function fill(folder: string, url: string): Promise<Buffer[][]> {
  const door = target(url, { 'x-service-api-key': TEAM_KEY });
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
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
    rounds.push(
      await Promise.all(
        Array.from({ length: MESSAGES }, (_, n) =>
          placed(door, `${round}-${n}`, { id: tests[0].id, markers }),
        ),
      ),
    );
  }
  return rounds;
}

async function placed(door: Target, name: string, test: OrderedTest): Promise<Buffer> {
  const post = async (path: string, body: object) =>
    JSON.parse(await send(door, { method: 'POST', path, body: JSON.stringify(body) }));
  const { user_id: userId } = await post('/v2/user', { client_user_id: name });
  const body = order(userId, test.id);
  const answer = await post('/v3/order', body);
  // Where an order stands that a laboratory knows.
  await post(`/v3/order/${answer.order.id}/test?final_status=requisition_created`, {});
  return resultOf(answer.order.id, name, { person: body.patient_details, markers: test.markers });
}

interface OrderedTest {
  readonly id: string;
  readonly markers: readonly Marker[];
}

interface Marker {
  readonly name: string;
  readonly provider_id: string | null;
  readonly expected_results: readonly Expected[] | null;
}

interface Expected {
  readonly name: string;
  readonly provider_id: string | null;
  readonly loinc: { readonly unit: string | null } | null;
}

interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly dob: string;
}

interface Answer {
  readonly person: Person;
  readonly markers: readonly Marker[];
}

/** A final report that answers all that was ordered. */
function resultOf(orderId: string, name: string, { person, markers }: Answer): Buffer {
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

async function measure({ ours, bare, library, rounds, client }: Stage): Promise<Result[]> {
  const measured = rounds.slice(WARM_UPS);
  for (const [index, messages] of rounds.slice(0, WARM_UPS).entries()) {
    await sendAll(bare, messages);
    await sendEach(library, messages);
    await sendAll(ours, messages);
    await attached(client, MESSAGES * (index + 1));
  }
  // What autovacuum does within a minute; before it the planner takes all tables for nearly empty.
  await client.query('vacuum analyze');
  const [our, their, libraries]: [number[], number[], number[]] = [[], [], []];
  for (const [index, messages] of measured.entries()) {
    const begun = performance.now();
    await sendAll(ours, messages);
    await attached(client, MESSAGES * (WARM_UPS + index + 1));
    our.push((MESSAGES * 1000) / (performance.now() - begun));
    const many = Array.from({ length: 10 }, () => messages).flat();
    their.push((many.length * 1000) / (await sendAll(bare, many)));
    const some = Array.from({ length: 5 }, () => messages).flat();
    libraries.push((some.length * 1000) / (await sendEach(library, some)));
  }
  return [
    ratioOf('hl7-intake', { ours: our, bare: their, goal: GOAL }),
    ratioOf('hl7-intake-library', { ours: our, bare: libraries, goal: GOAL }),
  ];
}

/** Waits until so many results stand with their orders. */
async function attached(client: pg.Client, wanted: number): Promise<void> {
  const until = performance.now() + 120_000;
  while (performance.now() < until) {
    const { rows } = await client.query(
      "select count(*)::int as n from lab_message where status = 'taken' and order_id is not null",
    );
    if (rows[0].n >= wanted) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const { rows } = await client.query('select status, reason, count(*) from lab_message group by 1, 2');
  throw new Error(`The results were not attached: ${JSON.stringify(rows)}`);
}
