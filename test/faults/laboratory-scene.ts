import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { send } from '../../src/adapters/lab-network/hl7/client.ts';
import { order, registration } from '../examples.ts';
import { openCaller, persist, type Caller } from './caller.ts';
import type { OwnAccount, OwnScene } from './own-scene.ts';
import { killService, strike, type Advance } from './scenes.ts';
import { freePort } from './service-process.ts';
import { onStage, type Stage } from './stage.ts';

const LINES = 6;
const ORDERS = 24;
/** One of so many messages names a specimen that nobody has ordered. */
const STRANGE_EVERY = 4;
const AGAIN_AFTER_MS = 25;
const GIVE_UP_AFTER_MS = 120_000;
const SETTLE_WITHIN_MS = 120_000;

/** A laboratory sends results, and each again until it is answered AA; the service is killed meanwhile. */
export const laboratoryScene: OwnScene = {
  name: 'laboratory',
  title: 'service process killed -9 while a laboratory sends results by MLLP',
  run: async (advance) => {
    const port = await freePort();
    const settings = { LAB_MLLP_PORT: String(port), LAB_MLLP_HOST: '127.0.0.1' };
    return onStage((stage) => play(stage, port, advance), settings);
  },
};

async function play(stage: Stage, port: number, advance: Advance): Promise<OwnAccount> {
  const caller = openCaller(stage, LINES);
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
  const sending = startLines({ port, samples, facility: connection.our_facility });
  const struck = await strike(stage, { ...sending, advance, kill: () => killService(stage) }).finally(() =>
    sending.stop(),
  );
  await caller.close();
  const books = await readBooks(stage);
  return {
    ...struck,
    ...balance(sending.acknowledged, books),
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

/** Orders that are at the laboratory, by the ids of their specimens. */
async function placeOrders(caller: Caller): Promise<{ samples: string[]; lab: string }> {
  const tests = await persist(caller, { path: '/v3/lab_tests?collection_method=walk_in_test' });
  const [test] = LabTests.parse(tests);
  const body = { client_user_id: 'laboratory' };
  const user = User.parse(await persist(caller, { path: '/v2/user', key: 'laboratory', body }));
  const samples: string[] = [];
  for (let n = 0; n < ORDERS; n += 1) {
    const { physician } = registration('');
    const wish = { ...order(user.user_id, test.id), physician };
    const { id } = Placed.parse(
      await persist(caller, { path: '/v3/order', key: `laboratory/${n}`, body: wish }),
    ).order;
    await persist(caller, { path: `/v3/order/${id}/test?final_status=requisition_created`, method: 'POST' });
    samples.push(Read.parse(await persist(caller, { path: `/v3/order/${id}` })).sample_id);
  }
  return { samples, lab: test.lab.slug };
}

interface Sending {
  /** The control ids of what was answered AA. */
  readonly acknowledged: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, number>;
  readonly count: () => number;
  readonly underWay: () => number;
  readonly stop: () => Promise<void>;
}

interface Sent {
  readonly port: number;
  readonly samples: readonly string[];
  readonly facility: string;
}

function startLines({ port, samples, facility }: Sent): Sending {
  const acknowledged = new Set<string>();
  const answers = new Map<string, number>();
  let underWay = 0;
  let stopping = false;
  const target = { host: '127.0.0.1', addresses: ['127.0.0.1'], port, tls: undefined };
  const once = async (controlId: string, bytes: Buffer): Promise<string> => {
    underWay += 1;
    const answer = await send(target, { bytes, controlId }).catch(() => undefined);
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
      await sleep(AGAIN_AFTER_MS);
    }
  };
  const line = async (name: number) => {
    for (let n = 0; !stopping; n += 1) {
      const sample =
        n % STRANGE_EVERY === 0 ? `NOBODY${name}-${n}` : samples[(name + n * LINES) % samples.length];
      await deliver(
        `L${name}-${n}`,
        resultOf({ facility, controlId: `L${name}-${n}`, sample: sample ?? '', value: n }),
      );
    }
  };
  const lines = Promise.all(Array.from({ length: LINES }, (_, name) => line(name)));
  // Told by stop(); until then a refusal must not end the process.
  lines.catch(() => {});
  return {
    acknowledged,
    answers,
    count: () => acknowledged.size,
    underWay: () => underWay,
    stop: async () => {
      stopping = true;
      await lines;
    },
  };
}

interface Result {
  readonly facility: string;
  readonly controlId: string;
  readonly sample: string;
  readonly value: number;
}

const resultOf = ({ facility, controlId, sample, value }: Result): Buffer =>
  Buffer.from(
    [
      `MSH|^~\\&|LIS|LAB|ALIQUOT|${facility}|20260302150000+0000||ORU^R01|${controlId}|P|2.5.1`,
      'PID|1||77||Lovelace^Ada||19851210|F',
      `OBR|1|${sample}|L-${controlId}|100^Panel^L|||20260301080000+0000|||||||||||||||20260302||LAB|F`,
      `OBX|1|NM|2345-7^Glucose^LN||${value}|mg/dL|70-99||||F`,
      '',
    ].join('\r'),
  );

interface Books {
  /** The statuses of the messages under each control id, and of the reports that were taken out of them. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  readonly reports: ReadonlyMap<string, readonly string[]>;
  readonly attached: number;
  readonly inReview: number;
}

interface Row {
  readonly key: string;
  readonly state: string;
}

const MESSAGES = "select control_id as key, status as state from lab_message where direction = 'in'";
const REPORTS = `select control_id as key, case when order_id is not null then 'attached' else status end as state
  from incoming_result`;
const LOOK_EVERY_MS = 250;

/** Waits until nothing is left to be taken, or for too long, and reads what is there. */
async function readBooks(stage: Stage): Promise<Books> {
  const until = performance.now() + SETTLE_WITHIN_MS;
  for (;;) {
    const [messages, reports] = await stage.onDatabase(async (client) => {
      await client.query("select set_config('aliquot.team_id', $1, false)", [stage.teamId]);
      await client.query("set aliquot.environment = 'sandbox'; set role aliquot_tenant");
      return [(await client.query<Row>(MESSAGES)).rows, (await client.query<Row>(REPORTS)).rows];
    });
    const isSettled = (messages ?? []).every(({ state }) => state !== 'stored');
    if (isSettled || performance.now() > until) return booksOf(messages ?? [], reports ?? []);
    await sleep(LOOK_EVERY_MS);
  }
}

const booksOf = (messages: readonly Row[], reports: readonly Row[]): Books => ({
  messages: grouped(messages),
  reports: grouped(reports),
  attached: reports.filter(({ state }) => state === 'attached').length,
  inReview: reports.filter(({ state }) => state === 'pending_customer_review').length,
});

function grouped(rows: readonly Row[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { key, state } of rows) found.set(key, [...(found.get(key) ?? []), state]);
  return found;
}

/** Everything that was acknowledged is one message that is taken, and one report that is attached or in review. */
function balance(acknowledged: ReadonlySet<string>, books: Books): Pick<OwnAccount, 'lost' | 'doubled'> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const compare = (what: string, id: string, there: readonly string[] = []) => {
    if (there.length === 0) lost.push(`lost: ${what} ${id}`);
    if (there.length > 1) doubled.push(`doubled: ${what} ${id} ${there.join(' ')}`);
  };
  for (const id of acknowledged) {
    const messages = books.messages.get(id);
    compare('message', id, messages);
    compare('report', id, books.reports.get(id));
    if (messages?.some((state) => state !== 'taken'))
      lost.push(`lost: message ${id} is ${messages.join(' ')}`);
  }
  for (const id of books.messages.keys()) {
    if (!acknowledged.has(id)) doubled.push(`doubled: message ${id} of nobody`);
  }
  return { lost, doubled };
}
