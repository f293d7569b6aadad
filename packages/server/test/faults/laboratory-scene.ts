import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { sendMessage } from '../../src/adapters/lab-network/hl7/client.ts';
import { order, registration } from '../examples.ts';
import { openRetryingClient, sendUntilAnswered, type RetryingClient } from './retrying-client.ts';
import type { StandaloneResult, StandaloneScene } from './standalone-scene.ts';
import { killService, killRepeatedly, type ReportProgress } from './scenes.ts';
import { freePort } from './service-process.ts';
import { withFaultStage, type FaultStage } from './stage.ts';

const CONNECTIONS = 6;
const ORDERS = 24;
/** Every nth message names a specimen without an order. */
const UNKNOWN_EVERY = 4;
const RETRY_AFTER_MS = 25;
const GIVE_UP_AFTER_MS = 120_000;
const SETTLE_TIMEOUT_MS = 120_000;

/** A laboratory sends results, each until it gets an AA acknowledgement, while the service is killed. */
export const laboratoryScene: StandaloneScene = {
  name: 'laboratory',
  title: 'service process killed -9 while a laboratory sends results by MLLP',
  run: async (advance) => {
    const port = await freePort();
    const settings = { LAB_MLLP_SANDBOX_PORTS: String(port), LAB_MLLP_HOST: '127.0.0.1' };
    return withFaultStage((stage) => play(stage, port, advance), { settings });
  },
};

async function play(stage: FaultStage, port: number, advance: ReportProgress): Promise<StandaloneResult> {
  const caller = openRetryingClient(stage, CONNECTIONS);
  const { samples, lab } = await placeOrders(caller);
  const connection = Connection.parse(
    await stage.manage('/lab_connection', {
      lab,
      name: 'Faults',
      inbound: 'mllp',
      outbound: 'none',
      lab_application: 'LIS',
      lab_facility: 'LAB',
    }),
  );
  const sending = startLabClients({ port, samples, facility: connection.our_facility });
  const struck = await killRepeatedly(stage, { ...sending, advance, kill: () => killService(stage) }).finally(
    () => sending.stop(),
  );
  await caller.close();
  const books = await readLabRecords(stage);
  return {
    ...struck,
    ...auditMessages(sending.acknowledged, books),
    answers: sending.answers,
    acknowledged: sending.acknowledged.size,
    told: `${sending.acknowledged.size} messages with AA: ${books.attached} attached, ${books.inReview} in review`,
  };
}

const Connection = z.object({ our_facility: z.string() });
const LabTests = z.tuple([z.object({ id: z.uuid(), lab: z.object({ slug: z.string() }) })], z.unknown());
const User = z.object({ user_id: z.uuid() });
const Placed = z.object({ order: z.object({ id: z.uuid() }) });
const Read = z.object({ sample_id: z.string() });

/** Places orders that the laboratory knows; returns the ids of their specimens. */
async function placeOrders(caller: RetryingClient): Promise<{ samples: string[]; lab: string }> {
  const tests = await sendUntilAnswered(caller, { path: '/v3/lab_tests?collection_method=walk_in_test' });
  const [test] = LabTests.parse(tests);
  const body = { client_user_id: 'laboratory' };
  const user = User.parse(await sendUntilAnswered(caller, { path: '/v2/user', key: 'laboratory', body }));
  const samples: string[] = [];
  for (let n = 0; n < ORDERS; n += 1) {
    const { physician } = registration('');
    const wish = { ...order(user.user_id, test.id), physician };
    const { id } = Placed.parse(
      await sendUntilAnswered(caller, { path: '/v3/order', key: `laboratory/${n}`, body: wish }),
    ).order;
    await sendUntilAnswered(caller, {
      path: `/v3/order/${id}/test?final_status=requisition_created`,
      method: 'POST',
    });
    samples.push(Read.parse(await sendUntilAnswered(caller, { path: `/v3/order/${id}` })).sample_id);
  }
  return { samples, lab: test.lab.slug };
}

interface LabClients {
  /** The control ids of messages that were acknowledged with AA. */
  readonly acknowledged: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, number>;
  readonly count: () => number;
  readonly inFlight: () => number;
  readonly stop: () => Promise<void>;
}

interface LabClientOptions {
  readonly port: number;
  readonly samples: readonly string[];
  readonly facility: string;
}

function startLabClients({ port, samples, facility }: LabClientOptions): LabClients {
  const acknowledged = new Set<string>();
  const answers = new Map<string, number>();
  let underWay = 0;
  let stopping = false;
  const target = { host: '127.0.0.1', addresses: ['127.0.0.1'], port, tls: undefined };
  const once = async (controlId: string, bytes: Buffer): Promise<string> => {
    underWay += 1;
    const answer = await sendMessage(target, { bytes, controlId }).catch(() => undefined);
    underWay -= 1;
    return answer?.code ?? 'none';
  };
  const deliver = async (controlId: string, bytes: Buffer) => {
    const until = performance.now() + GIVE_UP_AFTER_MS;
    for (;;) {
      const code = await once(controlId, bytes);
      answers.set(code, (answers.get(code) ?? 0) + 1);
      if (code === 'AA') return void acknowledged.add(controlId);
      if (code !== 'none') throw new Error(`${controlId} was answered ${code}`);
      if (performance.now() > until) throw new Error(`${controlId} was not answered`);
      await sleep(RETRY_AFTER_MS);
    }
  };
  const line = async (name: number) => {
    for (let n = 0; !stopping; n += 1) {
      const sample =
        n % UNKNOWN_EVERY === 0 ? `NOBODY${name}-${n}` : samples[(name + n * CONNECTIONS) % samples.length];
      await deliver(
        `L${name}-${n}`,
        resultOf({ facility, controlId: `L${name}-${n}`, sample: sample ?? '', value: n }),
      );
    }
  };
  const lines = Promise.all(Array.from({ length: CONNECTIONS }, (_, name) => line(name)));
  // stop() rethrows it; until then a rejection must not end the process.
  lines.catch(() => {});
  return {
    acknowledged,
    answers,
    count: () => acknowledged.size,
    inFlight: () => underWay,
    stop: async () => {
      stopping = true;
      await lines;
    },
  };
}

interface LabResult {
  readonly facility: string;
  readonly controlId: string;
  readonly sample: string;
  readonly value: number;
}

const resultOf = ({ facility, controlId, sample, value }: LabResult): Buffer =>
  Buffer.from(
    [
      `MSH|^~\\&|LIS|LAB|ALIQUOT|${facility}|20260302150000+0000||ORU^R01|${controlId}|P|2.5.1`,
      'PID|1||77||Lovelace^Ada||19851210|F',
      `OBR|1|${sample}|L-${controlId}|100^Panel^L|||20260301080000+0000|||||||||||||||20260302||LAB|F`,
      `OBX|1|NM|2345-7^Glucose^LN||${value}|mg/dL|70-99||||F`,
      '',
    ].join('\r'),
  );

interface LabRecords {
  /** The statuses of the messages with each control id, and of the reports in them. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  readonly reports: ReadonlyMap<string, readonly string[]>;
  readonly attached: number;
  readonly inReview: number;
}

interface KeyState {
  readonly key: string;
  readonly state: string;
}

const MESSAGES = "select control_id as key, status as state from lab_message where direction = 'in'";
const REPORTS = `select control_id as key, case when order_id is not null then 'attached' else status end as state
  from incoming_result`;
const POLL_INTERVAL_MS = 250;

/** Waits until every message is processed, or until the timeout, and reads the stored records. */
async function readLabRecords(stage: FaultStage): Promise<LabRecords> {
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const [messages, reports] = await stage.onDatabase(async (client) => {
      await client.query("select set_config('aliquot.team_id', $1, false)", [stage.teamId]);
      await client.query("set aliquot.environment = 'sandbox'; set role aliquot_tenant");
      return [(await client.query<KeyState>(MESSAGES)).rows, (await client.query<KeyState>(REPORTS)).rows];
    });
    const isSettled = (messages ?? []).every(({ state }) => state !== 'stored');
    if (isSettled || performance.now() > until) return toLabRecords(messages ?? [], reports ?? []);
    await sleep(POLL_INTERVAL_MS);
  }
}

const toLabRecords = (messages: readonly KeyState[], reports: readonly KeyState[]): LabRecords => ({
  messages: grouped(messages),
  reports: grouped(reports),
  attached: reports.filter(({ state }) => state === 'attached').length,
  inReview: reports.filter(({ state }) => state === 'pending_customer_review').length,
});

function grouped(rows: readonly KeyState[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { key, state } of rows) found.set(key, [...(found.get(key) ?? []), state]);
  return found;
}

/** Everything acknowledged must be one processed message with one report that is attached or in review. */
function auditMessages(
  acknowledged: ReadonlySet<string>,
  books: LabRecords,
): Pick<StandaloneResult, 'lost' | 'doubled'> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const compare = (what: string, id: string, there: readonly string[] = []) => {
    if (there.length === 0) lost.push(`lost: ${what} ${id}`);
    if (there.length > 1) doubled.push(`duplicated: ${what} ${id} ${there.join(' ')}`);
  };
  for (const id of acknowledged) {
    const messages = books.messages.get(id);
    compare('message', id, messages);
    compare('report', id, books.reports.get(id));
    if (messages?.some((state) => state !== 'taken'))
      lost.push(`lost: message ${id} is ${messages.join(' ')}`);
  }
  for (const id of books.messages.keys()) {
    if (!acknowledged.has(id)) doubled.push(`duplicated: message ${id} was never acknowledged`);
  }
  return { lost, doubled };
}
