import { expect } from 'vitest';
import { machines, stepNamed, type Step } from '../../src/lab-testing/orders/status.ts';
import { HOUR } from '../../src/platform/clock.ts';
import type { House } from '../house.ts';
import { checked, good, type Clinic } from './clinic.ts';
import { listOrders, readLog, type OrderSeen } from './reads.ts';
import { deliveredAsPromised } from './delivery-books.ts';
import { reportsAreKept } from './report-books.ts';

/** Longer than the longest wait of what is tried again. */
const A_WHILE_MS = 12 * HOUR;

/** Lets everything come to rest, and looks whether all that can be read tells the same. */
export async function balance(house: House, clinics: readonly Clinic[]): Promise<void> {
  for (const { hooks } of clinics) {
    for (const hook of hooks) hook.receiver.answer = () => ({ status: 200 });
  }
  await house.settle();
  const heard = clinics.map(({ hooks }) => hooks.map(({ receiver }) => receiver.received.length));
  for (let n = 0; n < 9; n += 1) {
    house.clock.move(A_WHILE_MS);
    await house.settle();
  }
  for (const [at, clinic] of clinics.entries()) nothingIsToldOfTheDeleted(clinic, heard[at] ?? []);
  await nothingWaitsForEver(house, clinics);
  for (const clinic of clinics) {
    await ordersTellTheSame(clinic);
    await deletedUsersAreGone(clinic);
    await deliveredAsPromised(clinic);
    await reportsAreKept(clinic);
    await changesAreInTheLog(clinic);
  }
  const [one, other] = clinics;
  if (one && other) {
    await nothingIsShared(one, other);
    await nothingIsShared(other, one);
  }
}

function nothingIsToldOfTheDeleted({ hooks, people }: Clinic, heard: readonly number[]): void {
  for (const [at, { receiver }] of hooks.entries()) {
    const about = receiver.received.slice(heard[at]).map(({ body }) => String(body['user_id']));
    expect(about.filter((id) => people.get(id)?.deleted)).toEqual([]);
  }
}

async function nothingWaitsForEver({ owner, app }: House, clinics: readonly Clinic[]): Promise<void> {
  const { rows: failed } = await owner.query(
    `select t.identifier, j.attempts, j.last_error from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id where j.attempts > 0`,
  );
  expect(failed).toEqual([]);
  const { rows: overdue } = await owner.query('select * from timer where due_wall <= $1', [app.clock.now()]);
  expect(overdue).toEqual([]);
  const teams = clinics.map(({ team }) => team.tenant.teamId);
  const { rows: owed } = await owner.query(
    `select d.* from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id
     join event v on v.team_id = d.team_id and v.id = d.event_id
     left join app_user u on u.id = v.user_id
     where d.status = 'pending' and e.disabled_at is null and u.deleted_at is null and d.team_id = any($1)`,
    [teams],
  );
  expect(owed).toEqual([]);
}

async function ordersTellTheSame(clinic: Clinic): Promise<void> {
  const listed = new Map((await listOrders(clinic)).map((one) => [one.id, one]));
  const log = await readLog(clinic);
  const told = new Map<string, OrderSeen[]>();
  for (const { event_type: type, body } of log) {
    if (type.startsWith('labtest.order.'))
      told.set(body.data.id, [...(told.get(body.data.id) ?? []), body.data]);
  }
  for (const { id, userId } of clinic.orders.values()) {
    const read = await clinic.team.get(`/v3/order/${id}`);
    const owner = clinic.people.get(userId);
    if (owner?.deleted) {
      expect([id, read.status, listed.has(id), told.has(id)]).toEqual([id, 404, false, false]);
      continue;
    }
    expect([id, read.status]).toEqual([id, 200]);
    expect(listed.get(id)).toEqual(read.json);
    expectJourney(read.json);
    await visitsFollow(clinic, read.json);
    const tellings = told.get(id) ?? [];
    const events = tellings.map(({ last_event: last }) => last.id);
    expect([id, events]).toEqual([id, events.toSorted((a, b) => a - b)]);
    const steps = (read.json as OrderSeen).events.filter(({ status }) => !status.endsWith('partial_results'));
    const missing = steps.filter((event) => !events.includes(event.id));
    expect([id, missing]).toEqual([id, []]);
    const { last_event: last } = read.json;
    if (!last.status.endsWith('partial_results')) expect(tellings.at(-1)?.last_event).toEqual(last);
  }
  // Whoever asked several times with one key has one order; what nobody asked for comes in the place of another.
  const besides = [...listed.values()].filter(
    ({ id, origin }) => !clinic.orders.has(id) && origin === 'initial',
  );
  expect(besides.map(({ id }) => id)).toEqual([]);
}

/** A visit has a history of its own; nobody comes to the door for an order that was cancelled. */
async function visitsFollow({ team }: Clinic, order: OrderSeen): Promise<void> {
  const kind = { walk_in_test: 'psc', at_home_phlebotomy: 'phlebotomy' }[order.lab_test.method as string];
  if (kind === undefined) return;
  const { status, json } = await team.get(`/v3/order/${order.id}/${kind}/appointment`);
  if (status === 404) return;
  expect(status).toBe(200);
  const moments = json.events.map((event: { created_at: string }) => event.created_at);
  expect([order.id, moments]).toEqual([order.id, moments.toSorted()]);
  const events = json.events.map((event: { status: string }) => event.status);
  expect([order.id, json.event_status]).toEqual([order.id, events.at(-1)]);
  expect([order.id, kind, order.status, json.status]).not.toEqual([
    order.id,
    'phlebotomy',
    'cancelled',
    expect.toBeOneOf(['pending', 'reserved', 'confirmed']),
  ]);
  const step = order.last_event.status.split('.')[2];
  const isOn = ['confirmed', 'in_progress', 'completed'].includes(json.status);
  if (step === 'appointment_scheduled')
    expect([order.id, json.status, isOn]).toEqual([order.id, json.status, true]);
  if (step === 'appointment_cancelled') expect([order.id, json.status]).toEqual([order.id, 'cancelled']);
}

const stepOf = (status: string): Step => {
  const step = stepNamed(status.split('.')[2] ?? '');
  if (!step) throw new Error(status);
  return step;
};

function expectJourney(order: OrderSeen): void {
  const { events } = order;
  const rows = machines[order.lab_test.method];
  expect(order.last_event).toEqual(events.at(-1));
  expect(order.status).toBe(order.last_event.status.split('.')[0]);
  for (const [index, event] of events.entries()) {
    const before = events[index - 1];
    if (!before) continue;
    const way = `${order.id}: ${before.status} > ${event.status}`;
    expect(rows[stepOf(before.status)]?.next, way).toContain(stepOf(event.status));
    expect(event.id, way).toBeGreaterThan(before.id);
    expect(event.created_at >= before.created_at, `${way} ${before.created_at} ${event.created_at}`).toBe(
      true,
    );
  }
}

/** Whatever a caller may read names none of those who are deleted. */
async function deletedUsersAreGone(clinic: Clinic): Promise<void> {
  const { team, base } = clinic;
  const gone = [...clinic.people.values()].filter(({ deleted }) => deleted);
  const theirs = [...clinic.orders.values()].filter(({ userId }) => gone.some(({ id }) => id === userId));
  const reads = await readsOf(clinic);
  const log = await readLog(clinic);
  const said = [...reads, [`${base}/event`, JSON.stringify(log)] as const];
  for (const [path, text] of said) {
    for (const { id } of [...gone, ...theirs])
      expect(text.includes(id), `${path} tells of ${id}`).toBe(false);
  }
  for (const { id } of gone) expect((await team.get(`/v2/user/${id}`)).status).toBe(404);
  for (const { id } of theirs) {
    for (const what of [
      '/result',
      '/result/pdf',
      '/result/fhir',
      '/requisition/pdf',
      '/critical_results',
      '/communication_settings',
    ]) {
      expect([what, (await team.get(`/v3/order/${id}${what}`)).status]).toEqual([what, 404]);
    }
  }
}

// prettier-ignore
const LISTS = [
  '/v2/user?limit=500', '/v3/orders?size=500', '/v3/unmatched_result?limit=500', '/v3/unmatched_result?limit=500&status=matched', '/v3/unmatched_result?limit=500&status=resolved',
  '/v3/critical_result?limit=100', '/v2/introspect/resources?user_limit=100', '/v2/introspect/historical_pull?user_limit=100', '/v2/link/bulk_op',
];

async function readsOf({ team, hooks, orders }: Clinic): Promise<(readonly [string, string])[]> {
  const reads: (readonly [string, string])[] = [];
  for (const path of LISTS) reads.push([path, checked(path, await team.get(path)).text]);
  for (const { path } of hooks) {
    const attempts = `${path}/attempt?limit=100`;
    reads.push([attempts, checked(attempts, await team.management.get(attempts)).text]);
  }
  for (const id of orders.keys()) {
    const read = await team.get(`/v3/order/${id}`);
    if (read.status === 200) reads.push([`/v3/order/${id}`, read.text]);
  }
  return reads;
}

/** Neither reads nor changes anything of the other. */
async function nothingIsShared(one: Clinic, other: Clinic): Promise<void> {
  const ids = [...one.people.keys(), ...one.orders.keys(), one.team.tenant.teamId];
  for (const [path, text] of await readsOf(other)) {
    for (const id of ids) expect(text.includes(id), `${path} tells of ${id}`).toBe(false);
  }
  for (const id of [...one.orders.keys()].slice(-5)) {
    expect((await other.team.get(`/v3/order/${id}`)).status).toBe(404);
    expect((await other.team.post(`/v3/order/${id}/cancel`)).status).toBe(404);
  }
  for (const { received } of other.hooks.map(({ receiver }) => receiver)) {
    for (const { body } of received) expect(body['team_id']).toBe(other.team.tenant.teamId);
  }
}

async function changesAreInTheLog({ team, managed }: Clinic): Promise<void> {
  const key = (await team.management.get(`/v1/org/${team.orgId}/management_key`)).json.data[0].id;
  let cursor: string | null = null;
  const actions: string[] = [];
  do {
    const next: string = cursor === null ? '' : `&next_cursor=${cursor}`;
    const { json } = good(
      await team.management.get(`/v1/org/${team.orgId}/audit_log?actor=${key}&limit=100${next}`),
    );
    actions.push(...json.data.map(({ action }: { action: string }) => action));
    cursor = json.next_cursor;
  } while (cursor !== null);
  const count = (list: string[], begins: string) => list.filter((name) => name.startsWith(begins)).length;
  for (const [name, action] of [
    ['clock', 'sandbox_clock.move'],
    ['key.create', 'team_api_key.create'],
    ['key.revoke', 'team_api_key.delete'],
  ] as const) {
    expect([name, count(actions, action)]).toEqual([name, count(managed, name)]);
  }
}
