import { expect } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { oruOf } from './laboratory-text.ts';
import { askedOf, change, checked, manage, type Clinic } from './clinic.ts';
import type { Dice } from '../dice.ts';
import { anyOrder, anyone, type Deed } from './order-deeds.ts';

const deleteUser: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
  if (!user) return;
  const { status } = await change(clinic, roll, { method: 'delete', path: `/v2/user/${user.id}` });
  if (status === 200) user.deleted = true;
};

const restoreUser: Deed = async (clinic, roll) => {
  const gone = [...clinic.people.values()].filter(({ deleted }) => deleted);
  const user = gone.length > 0 && !roll.once(5) ? roll.pick(gone) : anyone(clinic, roll);
  if (!user) return;
  const named = roll.once(2) ? `user_id=${user.id}` : `client_user_id=${user.clientUserId}`;
  const { status } = await change(clinic, roll, { method: 'post', path: `/v2/user/undo_delete?${named}` });
  if (status !== 200) return;
  for (const one of clinic.people.values()) {
    if (one.id === user.id || named.startsWith('client')) {
      one.deleted = (await clinic.team.get(`/v2/user/${one.id}`)).status === 404;
    }
  }
};

/** A laboratory reports on an order, rightly or not. */
const report: Deed = async (clinic, roll) => {
  const laboratory = roll.pick(clinic.laboratories);
  const again = clinic.sent.filter(({ lab }) => lab === laboratory.lab);
  let one = again.length > 0 && roll.once(6) ? roll.pick(again) : undefined;
  if (!one) {
    const meant = anyOrder(clinic, roll);
    const ordered = meant && (await askedOf(clinic, meant.id).catch(() => clinic.asked.get(meant.id)));
    if (!ordered) return;
    const right = clinic.laboratories.find(({ lab }) => lab === ordered.order.lab_slug) ?? laboratory;
    const by = roll.once(10) ? laboratory : right;
    clinic.controlIds += 1;
    const text = oruOf({ ordered, laboratory: by, roll, controlId: `W${clinic.controlIds}` });
    one = { lab: by.lab, text };
    clinic.sent.push(one);
  }
  await bring(clinic, one);
};

async function bring(clinic: Clinic, { lab, text }: { lab: string; text: string }): Promise<void> {
  const laboratory = clinic.laboratories.find((each) => each.lab === lab);
  if (!laboratory) return;
  const { statusCode, body } = await clinic.house.http.server.inject({
    method: 'POST',
    url: '/v1/inbound/laboratory/message',
    headers: { authorization: `Bearer ${laboratory.token}`, 'content-type': 'application/hl7-v2' },
    payload: text,
  });
  clinic.diary.push(
    `${clinic.team.tenant.teamId.slice(-4)} lab ${lab} ${text.replaceAll('\r', '\n      ')} -> ${statusCode} ${/MSA.*/.exec(body)?.[0]}`,
  );
  expect([text, statusCode]).toEqual([text, 200]);
  if (/MSA\|A[AE]/.test(body)) laboratory.kept.add(text);
}

const review: Deed = async (clinic, roll) => {
  const { json } = checked('reviews', await clinic.team.get('/v3/unmatched_result'));
  if (json.data.length === 0) return;
  const one = roll.pick<{ id: string }>(json.data);
  const path = `/v3/unmatched_result/${one.id}`;
  if (roll.once(3)) {
    const body = { action: roll.pick(['reject', 'unsure']) };
    await change(clinic, roll, { method: 'post', path: `${path}/resolve`, body });
    return;
  }
  const ownOrder = anyOrder(clinic, roll)?.id;
  const body = roll.pick([
    {},
    { order_id: ownOrder },
    { acceptance_type: 'not_one_of_suggested_outcomes', order_id: ownOrder },
    { acceptance_type: 'not_one_of_suggested_outcomes', user_id: anyone(clinic, roll)?.id },
  ]);
  const { status, json: order } = await change(clinic, roll, {
    method: 'post',
    path: `${path}/accept`,
    body,
  });
  if (status !== 200) return;
  clinic.orders.set(order.id, { id: order.id, userId: order.user_id, modality: order.lab_test.method });
};

const tellOfCritical: Deed = async (clinic, roll) => {
  const { json } = checked('critical', await clinic.team.get('/v3/critical_result'));
  if (json.data.length === 0) return;
  const path = `/v3/critical_result/${roll.pick<{ id: string }>(json.data).id}`;
  const notification = { recipient_name: 'Dr. Who', channel: 'phone' };
  await change(clinic, roll, { method: 'post', path: `${path}/notification`, body: notification });
  if (roll.once(2))
    await change(clinic, roll, { method: 'post', path: `${path}/read_back`, body: { read_back: true } });
};

/** The endpoint that is not steady falls ill, gets well, is turned off and on, and gets other secrets. */
const upset: Deed = async (clinic, roll) => {
  const hook = clinic.hooks.find(({ isSteady }) => !isSteady);
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
  clinic.diary.push(
    `${clinic.team.tenant.teamId.slice(-4)} endpoint answers ${JSON.stringify(answers[mood])}`,
  );
  hook.receiver.answer = () => answers[mood] ?? { status: 200 };
};

const rotate: Deed = async (clinic, roll) => {
  const hook = roll.pick(clinic.hooks);
  await manage(clinic, 'webhook.secret', { method: 'post', path: `${hook.path}/secret/rotate`, body: {} });
  const { key } = (await clinic.team.management.get(`${hook.path}/secret`)).json;
  hook.secrets.push(key);
};

const turn: Deed = async (clinic, roll) => {
  const hook = clinic.hooks.find(({ isSteady }) => !isSteady);
  const body = { disabled: roll.once(2), description: `${roll.below(100)}` };
  if (hook) await manage(clinic, 'webhook.change', { method: 'patch', path: hook.path, body });
};

const resend: Deed = async (clinic, roll) => {
  const hook = clinic.hooks.find(({ isSteady }) => !isSteady);
  if (!hook) return;
  const since = new Date(clinic.house.clock.now().getTime() - roll.below(3) * HOUR).toISOString();
  const what = roll.pick(['recover', 'replay-missing']);
  await manage(clinic, `webhook.${what}`, { method: 'post', path: `${hook.path}/${what}`, body: { since } });
};

const resendOrders: Deed = async (clinic, roll) => {
  const one = anyOrder(clinic, roll);
  const body = { order_ids: [one?.id] };
  if (one) await change(clinic, roll, { method: 'post', path: '/v3/order/resend_events', body });
};

const push: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
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
  await change(clinic, roll, roll.once(2) ? samples : summary);
};

const demo: Deed = async (clinic, roll) => {
  const user = anyone(clinic, roll);
  if (!user) return;
  const body = { user_id: user.id, provider: 'freestyle_libre' };
  await change(
    clinic,
    roll,
    roll.once(2)
      ? { method: 'post', path: '/v2/link/connect/demo', body }
      : { method: 'delete', path: `/v2/user/${user.id}/freestyle_libre` },
  );
};

/** A key is made, used and revoked; from then on it opens nothing. */
const keyLife: Deed = async (clinic) => {
  const { team, house } = clinic;
  const keys = `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;
  const body = { team_id: team.tenant.teamId, label: 'walk' };
  const { json } = await manage(clinic, 'key.create', { method: 'post', path: keys, body });
  const caller = house.caller({ 'x-service-api-key': json.api_key ?? json.key ?? json.value });
  expect((await caller.get('/v2/user')).status).toBe(200);
  await manage(clinic, 'key.revoke', { method: 'delete', path: `${keys}?api_key_id=${json.id}` });
  expect((await caller.get('/v2/user')).status).toBe(401);
};

const moveSandbox: Deed = async (clinic, roll) => {
  const path = `/v1/org/${clinic.team.orgId}/team/${clinic.team.tenant.teamId}/sandbox/clock`;
  const advance_seconds = (roll.pick([30, 600, 7200, 86_400]) * (roll.below(9) + 1)) / 4;
  await manage(clinic, 'clock', {
    method: 'post',
    path,
    body: { advance_seconds: Math.round(advance_seconds) },
  });
};

/** The wall goes on, and sometimes back, as where a machine is set right. */
const moveWall: Deed = async (clinic, roll) => {
  const ms = roll.pick([SECOND, MINUTE, HOUR, 5 * HOUR, DAY, -SECOND, -MINUTE, -HOUR]);
  clinic.diary.push(`the wall moves by ${ms} ms`);
  clinic.house.clock.move(ms);
};

// prettier-ignore
const READS = [
  '/v3/orders?size=500', '/v3/orders?order_direction=asc&order_key=updated_at', '/v3/orders?is_critical=true', '/v3/orders?status=completed',
  '/v3/orders?patient_name=lovelace', '/orders?interpretation=abnormal&page=2&size=3', '/v2/user?limit=3', '/v2/user/metrics',
  '/v3/unmatched_result?status=matched', '/v3/critical_result?limit=2', '/v2/introspect/resources', '/v2/introspect/historical_pull',
];
// prettier-ignore
const OF_AN_ORDER = [
  '', '/result', '/result/metadata', '/result/fhir', '/result/pdf', '/requisition/pdf', '/abn_pdf', '/labels/pdf?collection_date=2026-03-02T15:00:00Z',
  '/psc/appointment', '/phlebotomy/appointment', '/critical_results', '/communication_settings', '/collection_instruction_pdf', '/psc/info',
];

const read: Deed = async ({ team, orders }, roll: Dice) => {
  const one = orders.size > 0 && roll.once(2) ? roll.pick([...orders.keys()]) : undefined;
  const path = one === undefined ? roll.pick(READS) : `/v3/order/${one}${roll.pick(OF_AN_ORDER)}`;
  checked(path, await team.get(path));
};

// prettier-ignore
export const otherDeeds: Readonly<Record<string, Deed>> = {
  'delete a user':     deleteUser,
  'restore a user':    restoreUser,
  'report':            report,
  'report again':      report,
  'report more':       report,
  'decide':            review,
  'decide more':       review,
  'tell of a critical result': tellOfCritical,
  'upset an endpoint': upset,
  'rotate a secret':   rotate,
  'turn an endpoint':  turn,
  'send again':        resend,
  'send orders again': resendOrders,
  'push':              push,
  'demo':              demo,
  'a key':             keyLife,
  'move the sandbox':  moveSandbox,
  'move the wall':     moveWall,
  'read':              read,
};
