import { expect } from 'vitest';
import { patient } from '../examples.ts';
import type { Answer, House, TeamInHand } from '../house.ts';
import { asOrdered, type Ordered } from '../received.ts';
import type { Receiver } from '../receiver.ts';
import { openReceiver } from '../receiver.ts';
import type { Dice } from '../dice.ts';

/** An endpoint of a clinic: what it was sent, and how it is disposed. */
export interface Hook {
  readonly id: string;
  readonly path: string;
  readonly receiver: Receiver;
  /** Every secret that it ever had, the newest last. */
  readonly secrets: string[];
  /** Whether it answers 200 all the time, so that everything has to come to it. */
  readonly isSteady: boolean;
}

/** A laboratory that posts its results. */
export interface Laboratory {
  readonly lab: string;
  readonly facility: string;
  readonly ourFacility: string;
  readonly path: string;
  readonly token: string;
  /** What it was told is kept, by control id and text. */
  readonly kept: Set<string>;
}

export interface Person {
  readonly id: string;
  readonly clientUserId: string;
  deleted: boolean;
}

export interface Placed {
  readonly id: string;
  readonly userId: string;
  readonly modality: string;
}

/** A team with what it and those about it did so far. */
export interface Clinic {
  readonly house: House;
  readonly team: TeamInHand;
  readonly base: string;
  readonly people: Map<string, Person>;
  readonly orders: Map<string, Placed>;
  readonly tests: readonly { id: string; method: string; lab: string }[];
  readonly hooks: readonly Hook[];
  readonly laboratories: readonly Laboratory[];
  /** Sample ids of kits that were sent to nobody known. */
  readonly kits: Map<string, string>;
  /** Changes that a management key made, by the name of the deed. */
  readonly managed: string[];
  /** What a laboratory may send of an order, by the order's id. */
  readonly asked: Map<string, Ordered>;
  readonly sent: { lab: string; text: string }[];
  /** What happened, for whoever has to find out why. */
  readonly diary: string[];
  controlIds: number;
  idempotencyKeys: number;
}

/** A team with endpoints, laboratories and an account of everything. */
export async function openClinic(house: House, diary: string[]): Promise<Clinic> {
  const team = await house.team();
  const { orgId, tenant } = team;
  const base = `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}`;
  const tests = (await team.get('/v3/lab_tests')).json.map(
    (test: { id: string; method: string; lab: { slug: string } }) => ({
      id: test.id,
      method: test.method,
      lab: test.lab.slug,
    }),
  );
  const quest = await atQuest(team);
  const slugs = [...new Set<string>(tests.map(({ lab }: { lab: string }) => lab))];
  return {
    house,
    team,
    base,
    people: new Map(),
    orders: new Map(),
    tests: [...tests, { id: quest, method: 'walk_in_test', lab: 'quest' }],
    hooks: [await openHook(team, base, true), await openHook(team, base, false)],
    laboratories: await Promise.all([...slugs, 'quest'].map((lab) => connect(team, base, lab))),
    kits: new Map(),
    managed: [],
    asked: new Map(),
    sent: [],
    diary,
    controlIds: 0,
    idempotencyKeys: 0,
  };
}

/** Appointments at centers are made at Quest. */
async function atQuest(team: TeamInHand): Promise<string> {
  const markers = (await team.get('/v3/lab_tests/markers?lab_slug=quest&size=3')).json.markers;
  const marker_ids = markers.map(({ id }: { id: number }) => id);
  const body = { name: 'At Quest', method: 'walk_in_test', description: '', marker_ids };
  return good(await team.post('/v3/lab_tests', body)).json.id;
}

async function openHook(team: TeamInHand, base: string, isSteady: boolean): Promise<Hook> {
  const receiver = await openReceiver();
  const { id } = good(await team.management.post(`${base}/webhook`, { url: receiver.url })).json;
  const path = `${base}/webhook/${id}`;
  const { key } = good(await team.management.get(`${path}/secret`)).json;
  return { id, path, receiver, secrets: [key], isSteady };
}

async function connect(team: TeamInHand, base: string, lab: string): Promise<Laboratory> {
  const facility = `LAB-${lab}`;
  const made = good(
    await team.management.post(`${base}/lab_connection`, {
      lab,
      name: lab,
      inbound: 'https',
      outbound: 'none',
      lab_application: 'LIS',
      lab_facility: facility,
    }),
  ).json;
  const path = `${base}/lab_connection/${made.id}`;
  const { token } = good(await team.management.post(`${path}/token`)).json;
  return { lab, facility, ourFacility: made.our_facility, path, token, kept: new Set() };
}

export function good(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** What a laboratory was asked for an order, found out once. */
export async function askedOf(clinic: Clinic, orderId: string): Promise<Ordered> {
  const ordered = await asOrdered(clinic.house, clinic.team, orderId);
  clinic.asked.set(orderId, ordered);
  return ordered;
}

// prettier-ignore
const NAMES = [['Ada', 'Lovelace'], ['Ada', 'Lovelace'], ['Mary', 'Putnam'], ['Marie', 'Putnam'], ['Alan', 'Turing']];

/** Few people, so that some are each other's namesakes. */
export function somebody({ pick, below }: Dice): typeof patient {
  const [first_name = '', last_name = ''] = pick(NAMES);
  return {
    ...patient,
    first_name,
    last_name,
    dob: `1985-12-1${below(3)}`,
    email: `${first_name}@example.com`.toLowerCase(),
  };
}

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** Nothing that a caller does makes the service stumble; what is not there for a while says when to come again. */
export function checked(what: string, answer: Answer): Answer {
  if (answer.status >= 500) expect.fail(`${what}: ${answer.status} ${answer.text}`);
  return answer;
}

interface Wish {
  readonly method: 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly body?: unknown;
}

/** A change as an uncertain caller asks for it: once, several times at once with one key, or hanging up before the answer. */
export async function change(clinic: Clinic, roll: Dice, { method, path, body }: Wish): Promise<Answer> {
  const what = `${method} ${path} ${JSON.stringify(body)}`;
  const send = async (headers: Record<string, string>) => {
    const { team } = clinic;
    return checked(
      what,
      method === 'delete' ? await team.delete(path, headers) : await team[method](path, body, headers),
    );
  };
  const way = roll.below(10);
  clinic.diary.push(`${clinic.team.tenant.teamId.slice(-4)} ${what}`);
  if (way < 5) return noted(clinic, await send({}));
  const headers = { 'x-idempotency-key': `walk-${(clinic.idempotencyKeys += 1)}` };
  if (way === 9) await hangUp(clinic, { method, path, body, headers });
  const answers = await Promise.all(Array.from({ length: roll.below(3) + 1 }, () => send(headers)));
  const last = await untilAnswered(() => send(headers));
  // What was refused before anything began is not kept, and may be refused otherwise later; what was done stays done.
  const done = [...answers, last].filter(({ status }) => status < 300).map(({ text }) => text);
  expect([what, new Set(done).size]).toEqual([what, Math.min(done.length, 1)]);
  if (done.length > 0) expect([what, last.status < 300]).toEqual([what, true]);
  return noted(clinic, last);
}

function noted(clinic: Clinic, answer: Answer): Answer {
  clinic.diary.push(`  -> ${answer.status} ${answer.status === 200 ? '' : answer.text.slice(0, 160)}`);
  return answer;
}

async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409 || answer.headers['retry-after'] === undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Asks, and is gone before the answer. What becomes of it is told to whoever asks again with the key. */
async function hangUp(
  clinic: Clinic,
  { method, path, body, headers }: Wish & { headers: Record<string, string> },
) {
  const leaving = new AbortController();
  const asking = clinic.house.http.server.inject({
    method: method.toUpperCase() as 'POST',
    url: path,
    headers: {
      ...headers,
      'x-service-api-key': clinic.team.key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    signal: leaving.signal,
  });
  setTimeout(() => leaving.abort(), 3);
  await asking.catch(() => undefined);
}

/** A change with the management key. What was done is to be in the audit log. */
export async function manage(clinic: Clinic, action: string, { method, path, body }: Wish): Promise<Answer> {
  const { management } = clinic.team;
  clinic.diary.push(
    `${clinic.team.tenant.teamId.slice(-4)} manage ${method} ${path.slice(-60)} ${JSON.stringify(body)}`,
  );
  const answer = checked(
    path,
    method === 'delete' ? await management.delete(path) : await management[method](path, body),
  );
  if (answer.status < 300) clinic.managed.push(action);
  return noted(clinic, answer);
}
