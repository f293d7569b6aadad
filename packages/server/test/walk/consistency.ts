import { expect } from 'vitest';
import { machines, parseStep, type OrderStep } from '../../src/ordering/orders/status.ts';
import { HOUR } from '../../src/platform/clock.ts';
import type { TestService } from '../service.ts';
import { expectNoServerError, expectSuccess, type Clinic } from './clinic.ts';
import { listOrders, readLog, type OrderView } from './reads.ts';
import { expectDelivered } from './delivery-consistency.ts';
import { expectReportsKept } from './report-consistency.ts';

/** Longer than the longest retry delay. */
const SETTLE_STEP_MS = 12 * HOUR;

/** Waits until everything has settled, and checks that all readable data is consistent. */
export async function expectConsistent(service: TestService, clinics: readonly Clinic[]): Promise<void> {
  for (const { endpoints } of clinics) {
    for (const hook of endpoints) hook.receiver.respond = () => ({ status: 200 });
  }
  await service.settle();
  const heard = clinics.map(({ endpoints }) => endpoints.map(({ receiver }) => receiver.received.length));
  for (let n = 0; n < 9; n += 1) {
    service.clock.move(SETTLE_STEP_MS);
    await service.settle();
  }
  for (const [at, clinic] of clinics.entries()) expectNoEventsOfDeletedUsers(clinic, heard[at] ?? []);
  await expectNothingOverdue(service, clinics);
  for (const clinic of clinics) {
    await expectOrdersAgree(clinic);
    await expectDeletedUsersGone(clinic);
    await expectDelivered(clinic);
    await expectReportsKept(clinic);
    await expectChangesAudited(clinic);
  }
  const [one, other] = clinics;
  if (one && other) {
    await expectNothingShared(one, other);
    await expectNothingShared(other, one);
  }
}

function expectNoEventsOfDeletedUsers({ endpoints, users }: Clinic, heard: readonly number[]): void {
  for (const [at, { receiver }] of endpoints.entries()) {
    const about = receiver.received.slice(heard[at]).map(({ body }) => String(body['user_id']));
    expect(about.filter((id) => users.get(id)?.deleted)).toEqual([]);
  }
}

async function expectNothingOverdue(
  { ownerPool, app }: TestService,
  clinics: readonly Clinic[],
): Promise<void> {
  const { rows: failed } = await ownerPool.query(
    'select task_identifier, attempts, last_error from graphile_worker.jobs where attempts > 0',
  );
  expect(failed).toEqual([]);
  const { rows: overdue } = await ownerPool.query('select * from timer where due_wall <= $1', [
    app.clock.now(),
  ]);
  expect(overdue).toEqual([]);
  const teams = clinics.map(({ team }) => team.tenant.teamId);
  const { rows: owed } = await ownerPool.query(
    `select d.* from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id
     join event v on v.team_id = d.team_id and v.id = d.event_id
     left join app_user u on u.id = v.user_id
     where d.status = 'pending' and e.disabled_at is null and u.deleted_at is null and d.team_id = any($1)`,
    [teams],
  );
  expect(owed).toEqual([]);
}

async function expectOrdersAgree(clinic: Clinic): Promise<void> {
  const listed = new Map((await listOrders(clinic)).map((one) => [one.id, one]));
  const log = await readLog(clinic);
  const told = new Map<string, OrderView[]>();
  for (const { event_type: type, body } of log) {
    if (type.startsWith('labtest.order.'))
      told.set(body.data.id, [...(told.get(body.data.id) ?? []), body.data]);
  }
  for (const { id, userId } of clinic.orders.values()) {
    const read = await clinic.team.get(`/v3/order/${id}`);
    const owner = clinic.users.get(userId);
    if (owner?.deleted) {
      expect([id, read.status, listed.has(id), told.has(id)]).toEqual([id, 404, false, false]);
      continue;
    }
    expect([id, read.status]).toEqual([id, 200]);
    expect(listed.get(id)).toEqual(read.json);
    expectJourney(read.json);
    await expectVisitAgrees(clinic, read.json);
    const tellings = told.get(id) ?? [];
    const events = tellings.map(({ last_event: last }) => last.id);
    expect([id, events]).toEqual([id, events.toSorted((a, b) => a - b)]);
    const steps = (read.json as OrderView).events.filter(({ status }) => !status.endsWith('partial_results'));
    const missing = steps.filter((event) => !events.includes(event.id));
    expect([id, missing]).toEqual([id, []]);
    const { last_event: last } = read.json;
    if (!last.status.endsWith('partial_results')) expect(tellings.at(-1)?.last_event).toEqual(last);
  }
  // Repeated requests with one key create one order; other orders must be replacements.
  const besides = [...listed.values()].filter(
    ({ id, origin }) => !clinic.orders.has(id) && origin === 'initial',
  );
  expect(besides.map(({ id }) => id)).toEqual([]);
}

/** A visit has its own history, and must not stay active after its order was cancelled. */
async function expectVisitAgrees({ team }: Clinic, order: OrderView): Promise<void> {
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

const stepOfStatus = (status: string): OrderStep => {
  const step = parseStep(status.split('.')[2] ?? '');
  if (!step) throw new Error(status);
  return step;
};

function expectJourney(order: OrderView): void {
  const { events } = order;
  const rows = machines[order.lab_test.method];
  expect(order.last_event).toEqual(events.at(-1));
  expect(order.status).toBe(order.last_event.status.split('.')[0]);
  for (const [index, event] of events.entries()) {
    const before = events[index - 1];
    if (!before) continue;
    const way = `${order.id}: ${before.status} > ${event.status}`;
    expect(rows[stepOfStatus(before.status)]?.next, way).toContain(stepOfStatus(event.status));
    expect(event.id, way).toBeGreaterThan(before.id);
    expect(event.created_at >= before.created_at, `${way} ${before.created_at} ${event.created_at}`).toBe(
      true,
    );
  }
}

/** No readable data contains ids of deleted users or their orders. */
async function expectDeletedUsersGone(clinic: Clinic): Promise<void> {
  const { team, base } = clinic;
  const gone = [...clinic.users.values()].filter(({ deleted }) => deleted);
  const theirs = [...clinic.orders.values()].filter(({ userId }) => gone.some(({ id }) => id === userId));
  const reads = await readEverything(clinic);
  const log = await readLog(clinic);
  const said = [...reads, [`${base}/event`, JSON.stringify(log)] as const];
  for (const [path, text] of said) {
    for (const { id } of [...gone, ...theirs])
      expect(text.includes(id), `${path} contains ${id}`).toBe(false);
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
const LIST_PATHS = [
  '/v2/user?limit=500', '/v3/orders?size=500', '/v3/unmatched_result?limit=500', '/v3/unmatched_result?limit=500&status=matched', '/v3/unmatched_result?limit=500&status=resolved',
  '/v3/critical_result?limit=100', '/v2/introspect/resources?user_limit=100', '/v2/introspect/historical_pull?user_limit=100', '/v2/link/bulk_op',
];

async function readEverything({ team, endpoints, orders }: Clinic): Promise<(readonly [string, string])[]> {
  const reads: (readonly [string, string])[] = [];
  for (const path of LIST_PATHS) reads.push([path, expectNoServerError(path, await team.get(path)).text]);
  for (const { path } of endpoints) {
    const attempts = `${path}/attempt?limit=100`;
    reads.push([attempts, expectNoServerError(attempts, await team.management.get(attempts)).text]);
  }
  for (const id of orders.keys()) {
    const read = await team.get(`/v3/order/${id}`);
    if (read.status === 200) reads.push([`/v3/order/${id}`, read.text]);
  }
  return reads;
}

/** One team cannot read or change data of the other. */
async function expectNothingShared(one: Clinic, other: Clinic): Promise<void> {
  const ids = [...one.users.keys(), ...one.orders.keys(), one.team.tenant.teamId];
  for (const [path, text] of await readEverything(other)) {
    for (const id of ids) expect(text.includes(id), `${path} tells of ${id}`).toBe(false);
  }
  for (const id of [...one.orders.keys()].slice(-5)) {
    expect((await other.team.get(`/v3/order/${id}`)).status).toBe(404);
    expect((await other.team.post(`/v3/order/${id}/cancel`)).status).toBe(404);
  }
  for (const { received } of other.endpoints.map(({ receiver }) => receiver)) {
    for (const { body } of received) expect(body['team_id']).toBe(other.team.tenant.teamId);
  }
}

async function expectChangesAudited({ team, managedActions }: Clinic): Promise<void> {
  const key = (await team.management.get(`/v1/org/${team.orgId}/management_key`)).json.data[0].id;
  let cursor: string | null = null;
  const actions: string[] = [];
  do {
    const next: string = cursor === null ? '' : `&next_cursor=${cursor}`;
    const { json } = expectSuccess(
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
    expect([name, count(actions, action)]).toEqual([name, count(managedActions, name)]);
  }
}
