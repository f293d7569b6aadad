import { expect } from 'vitest';
import { patient } from '../examples.ts';
import type { ApiResponse, TestService, TestTeam } from '../service.ts';
import { readOrderWithTests, type OrderWithTests } from '../received-reports.ts';
import type { Receiver } from '../receiver.ts';
import { openReceiver } from '../receiver.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** A webhook endpoint of a clinic with its receiver. */
export interface ClinicEndpoint {
  readonly id: string;
  readonly path: string;
  readonly receiver: Receiver;
  /** All its secrets, the newest last. */
  readonly secrets: string[];
  /** Whether it always answers 200, so that it must receive everything. */
  readonly isSteady: boolean;
}

/** A laboratory that posts results by HTTPS. */
export interface ClinicLaboratory {
  readonly lab: string;
  readonly facility: string;
  readonly ourFacility: string;
  readonly path: string;
  readonly token: string;
  /** Texts of the messages that the service acknowledged. */
  readonly acknowledged: Set<string>;
}

export interface ClinicUser {
  readonly id: string;
  readonly clientUserId: string;
  deleted: boolean;
}

export interface PlacedOrder {
  readonly id: string;
  readonly userId: string;
  readonly modality: string;
}

/** A team with the state that its actions produced so far. */
export interface Clinic {
  readonly service: TestService;
  readonly team: TestTeam;
  readonly base: string;
  readonly users: Map<string, ClinicUser>;
  readonly orders: Map<string, PlacedOrder>;
  readonly tests: readonly { id: string; method: string; lab: string }[];
  readonly endpoints: readonly ClinicEndpoint[];
  readonly laboratories: readonly ClinicLaboratory[];
  /** Sample ids of ordered kits, by order id. */
  readonly kits: Map<string, string>;
  /** Changes that the management key made, by name. */
  readonly managedActions: string[];
  /** The tests that were requested from the laboratory, by order id. */
  readonly orderedTests: Map<string, OrderWithTests>;
  readonly sentMessages: { lab: string; text: string }[];
  /** A log of everything that happened, for debugging. */
  readonly trace: string[];
  controlIds: number;
  idempotencyKeys: number;
}

/** Creates a team with endpoints and laboratories. */
export async function openClinic(service: TestService, diary: string[]): Promise<Clinic> {
  const team = await service.team();
  const { orgId, tenant } = team;
  const base = `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}`;
  const tests = (await team.get('/v3/lab_tests')).json.map(
    (test: { id: string; method: string; lab: { slug: string } }) => ({
      id: test.id,
      method: test.method,
      lab: test.lab.slug,
    }),
  );
  const quest = await createQuestLabTest(team);
  const slugs = [...new Set<string>(tests.map(({ lab }: { lab: string }) => lab))];
  return {
    service,
    team,
    base,
    users: new Map(),
    orders: new Map(),
    tests: [...tests, { id: quest, method: 'walk_in_test', lab: 'quest' }],
    endpoints: [await createEndpoint(team, base, true), await createEndpoint(team, base, false)],
    laboratories: await Promise.all(
      [...new Set([...slugs, 'quest'])].map((lab) => connectLaboratory(team, base, lab)),
    ),
    kits: new Map(),
    managedActions: [],
    orderedTests: new Map(),
    sentMessages: [],
    trace: diary,
    controlIds: 0,
    idempotencyKeys: 0,
  };
}

/** A lab test of Quest, where appointments at centers can be booked. */
async function createQuestLabTest(team: TestTeam): Promise<string> {
  const markers = (await team.get('/v3/lab_tests/markers?lab_slug=quest&size=3')).json.markers;
  const marker_ids = markers.map(({ id }: { id: number }) => id);
  const body = { name: 'At Quest', method: 'walk_in_test', description: '', marker_ids };
  return expectSuccess(await team.post('/v3/lab_tests', body)).json.id;
}

async function createEndpoint(team: TestTeam, base: string, isSteady: boolean): Promise<ClinicEndpoint> {
  const receiver = await openReceiver();
  const { id } = expectSuccess(await team.management.post(`${base}/webhook`, { url: receiver.url })).json;
  const path = `${base}/webhook/${id}`;
  const { key } = expectSuccess(await team.management.get(`${path}/secret`)).json;
  return { id, path, receiver, secrets: [key], isSteady };
}

async function connectLaboratory(team: TestTeam, base: string, lab: string): Promise<ClinicLaboratory> {
  const facility = `LAB-${lab}`;
  const made = expectSuccess(
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
  const { token } = expectSuccess(await team.management.post(`${path}/token`)).json;
  return { lab, facility, ourFacility: made.our_facility, path, token, acknowledged: new Set() };
}

export function expectSuccess(answer: ApiResponse): ApiResponse {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** Reads and remembers the requested tests of an order. */
export async function readOrderedTests(clinic: Clinic, orderId: string): Promise<OrderWithTests> {
  const ordered = await readOrderWithTests(clinic.service, clinic.team, orderId);
  clinic.orderedTests.set(orderId, ordered);
  return ordered;
}

// prettier-ignore
const NAMES = [['Ada', 'Lovelace'], ['Ada', 'Lovelace'], ['Mary', 'Putnam'], ['Marie', 'Putnam'], ['Alan', 'Turing']];

/** Few different patients, so that some have the same name. */
export function randomPatient({ pick, below }: SeededRandom): typeof patient {
  const [first_name = '', last_name = ''] = pick(NAMES);
  return {
    ...patient,
    first_name,
    last_name,
    dob: `1985-12-1${below(3)}`,
    email: `${first_name}@example.com`.toLowerCase(),
  };
}

/** Fails the test on a server error; returns the response. */
export function expectNoServerError(what: string, answer: ApiResponse): ApiResponse {
  if (answer.status >= 500) expect.fail(`${what}: ${answer.status} ${answer.text}`);
  return answer;
}

interface ChangeRequest {
  readonly method: 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly body?: unknown;
}

/** Sends a change as unreliable callers do: once, concurrently with one key, or disconnecting before the response. */
export async function sendChange(
  clinic: Clinic,
  roll: SeededRandom,
  { method, path, body }: ChangeRequest,
): Promise<ApiResponse> {
  const what = `${method} ${path} ${JSON.stringify(body)}`;
  const send = async (headers: Record<string, string>) => {
    const { team } = clinic;
    return expectNoServerError(
      what,
      method === 'delete' ? await team.delete(path, headers) : await team[method](path, body, headers),
    );
  };
  const way = roll.below(10);
  clinic.trace.push(`${clinic.team.tenant.teamId.slice(-4)} ${what}`);
  if (way < 5) return recordAnswer(clinic, await send({}));
  const headers = { 'x-idempotency-key': `walk-${(clinic.idempotencyKeys += 1)}` };
  if (way === 9) await abortRequest(clinic, { method, path, body, headers });
  const answers = await Promise.all(Array.from({ length: roll.below(3) + 1 }, () => send(headers)));
  const last = await sendUntilAnswered(() => send(headers));
  // Errors before the work began are not stored and may differ later; a successful response is repeated.
  const done = [...answers, last].filter(({ status }) => status < 300).map(({ text }) => text);
  expect([what, new Set(done).size]).toEqual([what, Math.min(done.length, 1)]);
  if (done.length > 0) expect([what, last.status < 300]).toEqual([what, true]);
  return recordAnswer(clinic, last);
}

function recordAnswer(clinic: Clinic, answer: ApiResponse): ApiResponse {
  clinic.trace.push(`  -> ${answer.status} ${answer.status === 200 ? '' : answer.text.slice(0, 160)}`);
  return answer;
}

async function sendUntilAnswered(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409 || answer.headers['retry-after'] === undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Sends a request and disconnects before the response; a retry with the key gets the outcome. */
async function abortRequest(
  clinic: Clinic,
  { method, path, body, headers }: ChangeRequest & { headers: Record<string, string> },
) {
  const leaving = new AbortController();
  const asking = clinic.service.http.server.inject({
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

/** Sends a change with the management key, which must then be in the audit log. */
export async function manageClinic(
  clinic: Clinic,
  action: string,
  { method, path, body }: ChangeRequest,
): Promise<ApiResponse> {
  const { management } = clinic.team;
  clinic.trace.push(
    `${clinic.team.tenant.teamId.slice(-4)} manage ${method} ${path.slice(-60)} ${JSON.stringify(body)}`,
  );
  const answer = expectNoServerError(
    path,
    method === 'delete' ? await management.delete(path) : await management[method](path, body),
  );
  if (answer.status < 300) clinic.managedActions.push(action);
  return recordAnswer(clinic, answer);
}
