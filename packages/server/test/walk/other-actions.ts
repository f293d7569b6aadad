import { expect } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { randomOru } from './laboratory-text.ts';
import { readOrderedTests, sendChange, expectNoServerError, manageClinic, type Clinic } from './clinic.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { pickOrder, pickUser, type WalkAction } from './order-actions.ts';

const deleteUser: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  if (!user) return;
  const { status } = await sendChange(clinic, roll, { method: 'delete', path: `/v2/user/${user.id}` });
  if (status === 200) user.deleted = true;
};

const restoreUser: WalkAction = async (clinic, roll) => {
  const gone = [...clinic.users.values()].filter(({ deleted }) => deleted);
  const user = gone.length > 0 && !roll.oneIn(5) ? roll.pick(gone) : pickUser(clinic, roll);
  if (!user) return;
  const named = roll.oneIn(2) ? `user_id=${user.id}` : `client_user_id=${user.clientUserId}`;
  const { status } = await sendChange(clinic, roll, {
    method: 'post',
    path: `/v2/user/undo_delete?${named}`,
  });
  if (status !== 200) return;
  for (const one of clinic.users.values()) {
    if (one.id === user.id || named.startsWith('client')) {
      one.deleted = (await clinic.team.get(`/v2/user/${one.id}`)).status === 404;
    }
  }
};

/** A laboratory sends a report for an order, correct or not. */
const reportResult: WalkAction = async (clinic, roll) => {
  const laboratory = roll.pick(clinic.laboratories);
  const again = clinic.sentMessages.filter(({ lab }) => lab === laboratory.lab);
  let one = again.length > 0 && roll.oneIn(6) ? roll.pick(again) : undefined;
  if (!one) {
    const meant = pickOrder(clinic, roll);
    const ordered =
      meant && (await readOrderedTests(clinic, meant.id).catch(() => clinic.orderedTests.get(meant.id)));
    if (!ordered) return;
    const right = clinic.laboratories.find(({ lab }) => lab === ordered.order.lab_slug) ?? laboratory;
    const by = roll.oneIn(10) ? laboratory : right;
    clinic.controlIds += 1;
    const text = randomOru({ ordered, laboratory: by, roll, controlId: `W${clinic.controlIds}` });
    one = { lab: by.lab, text };
    clinic.sentMessages.push(one);
  }
  await deliverMessage(clinic, one);
};

async function deliverMessage(clinic: Clinic, { lab, text }: { lab: string; text: string }): Promise<void> {
  const laboratory = clinic.laboratories.find((each) => each.lab === lab);
  if (!laboratory) return;
  const { statusCode, body } = await clinic.service.http.server.inject({
    method: 'POST',
    url: '/v1/inbound/laboratory/message',
    headers: { authorization: `Bearer ${laboratory.token}`, 'content-type': 'application/hl7-v2' },
    payload: text,
  });
  clinic.trace.push(
    `${clinic.team.tenant.teamId.slice(-4)} lab ${lab} ${text.replaceAll('\r', '\n      ')} -> ${statusCode} ${/MSA.*/.exec(body)?.[0]}`,
  );
  expect([text, statusCode]).toEqual([text, 200]);
  if (/MSA\|A[AE]/.test(body)) laboratory.acknowledged.add(text);
}

const reviewResult: WalkAction = async (clinic, roll) => {
  const { json } = expectNoServerError('reviews', await clinic.team.get('/v3/unmatched_result'));
  if (json.data.length === 0) return;
  const one = roll.pick<{ id: string }>(json.data);
  const path = `/v3/unmatched_result/${one.id}`;
  if (roll.oneIn(3)) {
    const body = { action: roll.pick(['reject', 'unsure']) };
    await sendChange(clinic, roll, { method: 'post', path: `${path}/resolve`, body });
    return;
  }
  const ownOrder = pickOrder(clinic, roll)?.id;
  const body = roll.pick([
    {},
    { order_id: ownOrder },
    { acceptance_type: 'not_one_of_suggested_outcomes', order_id: ownOrder },
    { acceptance_type: 'not_one_of_suggested_outcomes', user_id: pickUser(clinic, roll)?.id },
  ]);
  const { status, json: order } = await sendChange(clinic, roll, {
    method: 'post',
    path: `${path}/accept`,
    body,
  });
  if (status !== 200) return;
  clinic.orders.set(order.id, { id: order.id, userId: order.user_id, modality: order.lab_test.method });
};

const notifyCriticalResult: WalkAction = async (clinic, roll) => {
  const { json } = expectNoServerError('critical', await clinic.team.get('/v3/critical_result'));
  if (json.data.length === 0) return;
  const path = `/v3/critical_result/${roll.pick<{ id: string }>(json.data).id}`;
  const notification = { recipient_name: 'Dr. Who', channel: 'phone' };
  await sendChange(clinic, roll, { method: 'post', path: `${path}/notification`, body: notification });
  if (roll.oneIn(2))
    await sendChange(clinic, roll, { method: 'post', path: `${path}/read_back`, body: { read_back: true } });
};

/** Changes how the unsteady endpoint responds. */
const changeEndpointBehavior: WalkAction = async (clinic, roll) => {
  const hook = clinic.endpoints.find(({ isSteady }) => !isSteady);
  if (!hook) return;
  const mood = roll.below(6);
  const answers = [
    { status: 200 },
    { status: 200 },
    { status: 500 },
    { status: 503, headers: { 'retry-after': '600' } },
    { status: 200, afterMs: 120 },
    { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
  ];
  clinic.trace.push(
    `${clinic.team.tenant.teamId.slice(-4)} endpoint answers ${JSON.stringify(answers[mood])}`,
  );
  hook.receiver.respond = () => answers[mood] ?? { status: 200 };
};

const rotateSecret: WalkAction = async (clinic, roll) => {
  const hook = roll.pick(clinic.endpoints);
  await manageClinic(clinic, 'webhook.secret', {
    method: 'post',
    path: `${hook.path}/secret/rotate`,
    body: {},
  });
  const { key } = (await clinic.team.management.get(`${hook.path}/secret`)).json;
  hook.secrets.push(key);
};

const toggleEndpoint: WalkAction = async (clinic, roll) => {
  const hook = clinic.endpoints.find(({ isSteady }) => !isSteady);
  const body = { disabled: roll.oneIn(2), description: `${roll.below(100)}` };
  if (hook) await manageClinic(clinic, 'webhook.change', { method: 'patch', path: hook.path, body });
};

const resendMessages: WalkAction = async (clinic, roll) => {
  const hook = clinic.endpoints.find(({ isSteady }) => !isSteady);
  if (!hook) return;
  const since = new Date(clinic.service.clock.now().getTime() - roll.below(3) * HOUR).toISOString();
  const what = roll.pick(['recover', 'replay-missing']);
  await manageClinic(clinic, `webhook.${what}`, {
    method: 'post',
    path: `${hook.path}/${what}`,
    body: { since },
  });
};

const resendOrders: WalkAction = async (clinic, roll) => {
  const one = pickOrder(clinic, roll);
  const body = { order_ids: [one?.id] };
  if (one) await sendChange(clinic, roll, { method: 'post', path: '/v3/order/resend_events', body });
};

const pushWearableData: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  if (!user) return;
  const at = (n: number) => new Date(Date.parse('2026-03-01T08:00:00Z') + n * MINUTE).toISOString();
  const data = Array.from({ length: roll.below(20) + 1 }, () => ({
    timestamp: at(roll.below(60)),
    value: 50 + roll.below(60),
  }));
  const samples = { method: 'post', path: `/v2/timeseries/${user.id}/heartrate`, body: { data } } as const;
  const summary = {
    method: 'post',
    path: `/v2/summary/activity/${user.id}`,
    body: { data: [{ calendar_date: '2026-03-01', steps: roll.below(9000) }] },
  } as const;
  await sendChange(clinic, roll, roll.oneIn(2) ? samples : summary);
};

const toggleDemoConnection: WalkAction = async (clinic, roll) => {
  const user = pickUser(clinic, roll);
  if (!user) return;
  const body = { user_id: user.id, provider: 'freestyle_libre' };
  await sendChange(
    clinic,
    roll,
    roll.oneIn(2)
      ? { method: 'post', path: '/v2/link/connect/demo', body }
      : { method: 'delete', path: `/v2/user/${user.id}/freestyle_libre` },
  );
};

/** Creates, uses and revokes a key; afterwards it is rejected. */
const createAndRevokeKey: WalkAction = async (clinic) => {
  const { team, service } = clinic;
  const keys = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
  const body = { team_id: team.tenant.teamId, label: 'walk' };
  const { json } = await manageClinic(clinic, 'key.create', { method: 'post', path: keys, body });
  const caller = service.client({ 'x-service-api-key': json.api_key ?? json.key ?? json.value });
  expect((await caller.get('/v2/user')).status).toBe(200);
  await manageClinic(clinic, 'key.revoke', { method: 'delete', path: `${keys}?api_key_id=${json.id}` });
  expect((await caller.get('/v2/user')).status).toBe(401);
};

const moveSandboxClock: WalkAction = async (clinic, roll) => {
  const path = `/v1/org/${clinic.team.orgId}/team/${clinic.team.tenant.teamId}/sandbox/clock`;
  const advance_seconds = (roll.pick([30, 600, 7200, 86_400]) * (roll.below(9) + 1)) / 4;
  await manageClinic(clinic, 'clock', {
    method: 'post',
    path,
    body: { advance_seconds: Math.round(advance_seconds) },
  });
};

/** Moves the system clock forward, and sometimes back, as when a machine's clock is corrected. */
const moveSystemClock: WalkAction = async (clinic, roll) => {
  const ms = roll.pick([SECOND, MINUTE, HOUR, 5 * HOUR, DAY, -SECOND, -MINUTE, -HOUR]);
  clinic.trace.push(`the system clock moves by ${ms} ms`);
  clinic.service.clock.move(ms);
};

// prettier-ignore
const READ_PATHS = [
  '/v3/orders?size=500', '/v3/orders?order_direction=asc&order_key=updated_at', '/v3/orders?is_critical=true', '/v3/orders?status=completed',
  '/v3/orders?patient_name=lovelace', '/orders?interpretation=abnormal&page=2&size=3', '/v2/user?limit=3', '/v2/user/metrics',
  '/v3/unmatched_result?status=matched', '/v3/critical_result?limit=2', '/v2/introspect/resources', '/v2/introspect/historical_pull',
];
// prettier-ignore
const ORDER_SUBPATHS = [
  '', '/result', '/result/metadata', '/result/fhir', '/result/pdf', '/requisition/pdf', '/abn_pdf', '/labels/pdf?collection_date=2026-03-02T15:00:00Z',
  '/psc/appointment', '/phlebotomy/appointment', '/critical_results', '/communication_settings', '/collection_instruction_pdf', '/psc/info',
];

const readSomething: WalkAction = async ({ team, orders }, roll: SeededRandom) => {
  const one = orders.size > 0 && roll.oneIn(2) ? roll.pick([...orders.keys()]) : undefined;
  const path = one === undefined ? roll.pick(READ_PATHS) : `/v3/order/${one}${roll.pick(ORDER_SUBPATHS)}`;
  expectNoServerError(path, await team.get(path));
};

// prettier-ignore
export const otherActions: Readonly<Record<string, WalkAction>> = {
  'delete a user':     deleteUser,
  'restore a user':    restoreUser,
  'report':            reportResult,
  'report again':      reportResult,
  'report more':       reportResult,
  'decide':            reviewResult,
  'decide more':       reviewResult,
  'tell of a critical result': notifyCriticalResult,
  'upset an endpoint': changeEndpointBehavior,
  'rotate a secret':   rotateSecret,
  'turn an endpoint':  toggleEndpoint,
  'send again':        resendMessages,
  'send orders again': resendOrders,
  'push':              pushWearableData,
  'demo':              toggleDemoConnection,
  'a key':             createAndRevokeKey,
  'move the sandbox':  moveSandboxClock,
  'move the wall':     moveSystemClock,
  'read':              readSomething,
};
