import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  openMllpListeners,
  type TestLabConnection,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import { createPlacerNumber } from '../../adapters/lab-network/hl7/placer.ts';
import {
  startSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../../adapters/lab-network/hl7/simulated-laboratory.ts';
import type { RequestedTest } from '../../adapters/lab-network/port.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { readTenant } from '../../app.ts';
import { getOrder, buildRequisition } from '../../ordering/orders/orders.ts';

const physicians = [{ first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: [] }];

let service: TestService;
let line: TestMllpListeners;
let laboratory: SimulatedLaboratory;
let team: TestTeam;
/** What the laboratory of this test does. */
let tests: readonly RequestedTest[];
beforeAll(async () => {
  service = await openTestService({
    PHYSICIANS: JSON.stringify(physicians),
    LAB_ALLOW_PRIVATE_HOSTS: 'true',
  });
  Object.assign(service.app.config, { LAB_FOLDERS: join(service.app.config.DATA_DIR, 'laboratories') });
  line = await openMllpListeners(service.app);
  laboratory = await startSimulatedLaboratory({
    now: () => service.clock.now(),
    findTest: (code) => tests.find(({ providerId, slug }) => code === (providerId ?? slug)),
  });
});
afterAll(async () => {
  await line.stop();
  await laboratory.close();
  await service.close();
});
beforeEach(async () => {
  team = await service.team('production');
  laboratory.setAcknowledgement('AA');
  tests = [];
});

async function place(): Promise<{ id: string; lab: string }> {
  const [test] = (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json;
  const placed = await team.post('/v3/order', order(await team.user(), test.id));
  if (placed.status !== 200) throw new Error(placed.text);
  return { id: placed.json.order.id, lab: test.lab.slug };
}

const read = async (id: string) => (await team.get(`/v3/order/${id}`)).json;
/** How often the laboratory was sent something about this order. */
const heardOf = (id: string) =>
  laboratory.receivedMessages.filter((bytes) => bytes.includes(createPlacerNumber(id))).length;
const messages = async (connection: TestLabConnection, query = '') =>
  (await team.management.get(`${connection.path}/message${query}`)).json.data;

async function pass(milliseconds: number): Promise<void> {
  service.clock.move(milliseconds);
  service.app.notifier.notify('timers');
  await service.settle();
}

const labOf = async () =>
  (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json[0].lab.slug as string;

const connected = async (change: object = {}) =>
  connectLab(team, {
    lab: await labOf(),
    outbound: 'mllp',
    host: '127.0.0.1',
    port: laboratory.port,
    uses_tls: false,
    ...change,
  });

describe('an order', () => {
  it('waits for a connection, and says so', async () => {
    const { id, lab } = await place();
    await service.settle();
    expect((await read(id)).notes).toBe(`No enabled connection to ${lab} accepts this order in production`);
    await connected();
    await pass(MINUTE);
    expect(await read(id)).toMatchObject({ sample_id: createPlacerNumber(id), notes: null });
  });

  it('is sent to the laboratory, and its result is attached to it', async () => {
    const connection = await connected();
    const { id } = await place();
    await service.settle();
    const placer = createPlacerNumber(id);
    expect(await read(id)).toMatchObject({
      sample_id: placer,
      last_event: { status: 'received.walk_in_test.requisition_created' },
    });
    const [out] = await messages(connection);
    expect(out).toMatchObject({
      direction: 'out',
      status: 'accepted',
      control_id: `${placer}N`,
      order_id: id,
    });
    const { json: whole } = await team.management.get(`${connection.path}/message/${out.id}`);
    expect(Buffer.from(whole.body, 'base64')).toEqual(laboratory.receivedMessages.at(-1));
    expect(whole.text).toContain('OML^O21');
    expect(whole.text).toMatch(/\rORC\|NW\|\w{14}\^ALIQUOT/);

    const requisition = await readTenant(service.app, team.tenant, async (work) =>
      buildRequisition(work, await getOrder(work, id)),
    );
    ({ tests } = requisition);
    await (await laboratoryAgain(placer, id)).sendReport(placer, await targetOf(connection), {});
    await service.settle();
    const [came] = await messages(connection, '?direction=in');
    expect(came).toMatchObject({ status: 'taken', order_id: id });
    expect((await read(id)).last_event.status).toBe('completed.walk_in_test.completed');
  });

  it('is withdrawn with the same placer number when it is cancelled', async () => {
    const connection = await connected();
    const { id } = await place();
    await service.settle();
    await team.post(`/v3/order/${id}/cancel`);
    await service.settle();
    expect(laboratory.orders.get(createPlacerNumber(id))?.cancelled).toBe(true);
    expect((await messages(connection)).map((one: { control_id: string }) => one.control_id)).toEqual([
      `${createPlacerNumber(id)}C`,
      `${createPlacerNumber(id)}N`,
    ]);
  });

  it('shows a refused cancellation until a retry is accepted', async () => {
    const connection = await connected();
    const { id } = await place();
    await service.settle();
    laboratory.setAcknowledgement('AE');
    await team.post(`/v3/order/${id}/cancel`);
    await service.settle();
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      notes: 'The laboratory refused the cancellation: Refused as asked',
    });
    const before = heardOf(id);
    await pass(DAY);
    expect(heardOf(id)).toBe(before);
    laboratory.setAcknowledgement('AA');
    const [refused] = await messages(connection, '?status=refused');
    await team.management.post(`${connection.path}/message/${refused.id}/retry`);
    await service.settle();
    expect(await read(id)).toMatchObject({ status: 'cancelled', notes: null });
    expect(laboratory.orders.get(createPlacerNumber(id))?.cancelled).toBe(true);
  });

  // prettier-ignore
  it.each([
    ['AA', 'accepted'],
    ['AE', 'refused'],
  ] as const)('that its cancellation overtook, answered by %s, is withdrawn again once it is there', async (code, status) => {
    const { id } = await place();
    await service.settle();
    const connection = await connected();
    const { send } = service.app.labWire;
    // The order is long on its way; its cancellation takes another line.
    const slowly: typeof send = async (to, message) => {
      if (!message.controlId.endsWith('N')) return send(to, message);
      laboratory.setAcknowledgement(code);
      await team.post(`/v3/order/${id}/cancel`);
      await expect.poll(() => messages(connection, `?status=${status}`)).toHaveLength(1);
      laboratory.setAcknowledgement('AA');
      return send(to, message);
    };
    Object.assign(service.app.labWire, { send: slowly });
    await pass(MINUTE).finally(() => Object.assign(service.app.labWire, { send }));
    expect(laboratory.orders.get(createPlacerNumber(id))?.cancelled).toBe(true);
    expect(await messages(connection)).toMatchObject([
      { control_id: `${createPlacerNumber(id)}C2`, status: 'accepted' },
      { control_id: `${createPlacerNumber(id)}N`, status: 'accepted' },
    ]);
  });

  it('that the laboratory refuses waits with the reason until it is retried', async () => {
    const connection = await connected();
    laboratory.setAcknowledgement('AE');
    const { id } = await place();
    await service.settle();
    expect((await read(id)).notes).toBe('The laboratory refused the requisition: Refused as asked');
    const [refused] = await messages(connection, '?status=refused');
    expect(refused).toMatchObject({ answer: 'AE', reason: 'Refused as asked' });
    laboratory.setAcknowledgement('AA');
    const before = heardOf(id);
    await pass(DAY);
    expect(heardOf(id)).toBe(before);
    expect((await team.management.post(`${connection.path}/message/${refused.id}/retry`)).json.status).toBe(
      'queued',
    );
    await service.settle();
    expect(await read(id)).toMatchObject({ sample_id: createPlacerNumber(id), notes: null });
    expect(await messages(connection)).toMatchObject([{ id: refused.id, status: 'accepted' }]);
  });

  it('without an answer is sent again with the same control id', async () => {
    // A port that was free a moment ago may be somebody else's by now; nobody listens on this one.
    const connection = await connected({ port: 1 });
    const { id } = await place();
    await service.settle();
    expect((await read(id)).notes).toMatch(/^The laboratory could not be reached: /);
    expect(await messages(connection)).toMatchObject([{ status: 'queued', attempts: 1 }]);
    await team.management.patch(connection.path, { port: laboratory.port });
    await pass(6 * HOUR);
    expect(await messages(connection)).toMatchObject([
      { status: 'accepted', control_id: `${createPlacerNumber(id)}N` },
    ]);
    expect((await read(id)).sample_id).toBe(createPlacerNumber(id));
  });

  it('of an erased user is cancelled, even if the laboratory does not answer at first', async () => {
    const connection = await connected();
    const { id } = await place();
    await service.settle();
    expect(laboratory.orders.get(createPlacerNumber(id))?.cancelled).toBe(false);
    await team.delete(`/v2/user/${(await read(id)).user_id}`);
    await pass(7 * DAY);
    expect(await messages(connection)).toEqual([]);
    const { send } = service.app.labWire;
    let failures = 2;
    Object.assign(service.app.labWire, {
      send: async (...[to, message]: Parameters<typeof send>) => {
        if (message.controlId.startsWith(createPlacerNumber(id))) failures -= 1;
        if (failures >= 0) throw new Error('The line is dead');
        return send(to, message);
      },
    });
    await pass(5 * MINUTE);
    expect(await messages(connection)).toMatchObject([{ status: 'queued', attempts: 1 }]);
    await pass(5 * MINUTE);
    await pass(30 * MINUTE).finally(() => Object.assign(service.app.labWire, { send }));
    expect(laboratory.orders.get(createPlacerNumber(id))?.cancelled).toBe(true);
    expect(await messages(connection)).toMatchObject([
      { control_id: `${createPlacerNumber(id)}E`, status: 'accepted', order_id: null },
    ]);
  });

  it('of an erased user is not cancelled again after a refusal', async () => {
    const connection = await connected();
    const { id } = await place();
    await service.settle();
    await team.delete(`/v2/user/${(await read(id)).user_id}`);
    laboratory.setAcknowledgement('AE');
    await pass(7 * DAY);
    await pass(5 * MINUTE);
    const [refused] = await messages(connection, '?status=refused');
    const answer = await team.management.post(`${connection.path}/message/${refused.id}/retry`);
    expect([answer.status, answer.json.detail]).toEqual([409, expect.stringContaining('erased')]);
    expect(await messages(connection)).toMatchObject([{ id: refused.id, status: 'refused' }]);
  });

  it('is cancelled if its user is erased while its message is being stored', async () => {
    await connected();
    const { id } = await place();
    await service.settle();
    const { user_id: userId } = await read(id);
    const { rows } = await service.ownerPool.query(
      'delete from lab_message where order_id = $1 returning to_jsonb(lab_message) as kept',
      [id],
    );
    const keeping = new pg.Client(service.ownerPool.options);
    await keeping.connect();
    await keeping.query('begin');
    await keeping.query(
      'insert into lab_message select * from jsonb_populate_record(null::lab_message, $1)',
      [rows[0].kept],
    );
    await team.delete(`/v2/user/${userId}`);
    service.clock.move(7 * DAY);
    await expect.poll(() => countLockWaiters(service)).toBeGreaterThan(0);
    await keeping.query('commit');
    await keeping.end();
    await service.settle();
    await pass(5 * MINUTE);
    expect(laboratory.orders.get(createPlacerNumber(id))?.cancelled).toBe(true);
  });

  it('is written to a folder as a file', async () => {
    const connection = await connected({
      outbound: 'folder',
      host: null,
      port: null,
      order_message: 'ORM_O01',
    });
    const { id } = await place();
    await service.settle();
    const out = join(service.app.config.LAB_FOLDERS ?? '', connection.id, 'out');
    expect(await readdir(out)).toEqual([`${createPlacerNumber(id)}N.hl7`]);
    expect(await readFile(join(out, `${createPlacerNumber(id)}N.hl7`), 'utf8')).toContain('ORM^O01');
    expect((await read(id)).sample_id).toBe(createPlacerNumber(id));
  });
});

describe('a connection', () => {
  const base = {
    lab: 'labcorp',
    name: 'x',
    inbound: 'mllp',
    outbound: 'mllp',
    lab_application: 'A',
    lab_facility: 'B',
  };
  const post = (body: object) =>
    team.management.post(
      `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${team.tenant.environment}/lab_connection`,
      body,
    );

  // prettier-ignore
  it.each([
    [{},                                                'host'],
    [{ host: 'lab.example.com' },                       'port'],
    [{ host: 'not a host', port: 1 },                   'host'],
    [{ host: '8.8.8.8', port: 1, uses_tls: false },     'uses_tls'],
    [{ host: '10.0.0.1', port: 1, lab_facility: 'a|b' }, 'lab_facility'],
    [{ host: '10.0.0.1', port: 1, time_zone: 'Moon' },  'time_zone'],
    [{ host: '10.0.0.1', port: 1, tls: { cert: 'x', key: 'y' } }, 'tls'],
  ])('with %j is rejected at %s', async (change, field) => {
    const answer = await post({ ...base, ...change });
    expect([answer.status, answer.json.detail[0].loc[1]]).toEqual([422, field]);
  });

  it('gets the same answer whether its names are free, its own or taken by another team', async () => {
    const whole = { ...base, outbound: 'none', our_facility: `F${team.tenant.teamId.slice(-8)}` };
    expect((await post(whole)).status).toBe(200);
    const [owner, stranger] = [team, await service.team('production')];
    expect((await post(whole)).status).toBe(200);
    team = stranger;
    expect((await post(whole)).status).toBe(200);
    team = owner;
    const [{ id }] = (
      await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/lab_connection`)
    ).json.data;
    const one = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/lab_connection/${id}`;
    expect((await team.management.delete(one)).status).toBe(204);
    expect((await team.management.get(one)).status).toBe(404);
    expect((await post(whole)).status).toBe(200);
  });

  it('never returns its secrets', async () => {
    const created = await connected();
    expect(Object.keys(created)).not.toContain('tls_material');
    expect(created).toMatchObject({
      has_tls_material: false,
      has_token: false,
      our_facility: expect.stringMatching(/^F\w{12}$/),
    });
  });
});

const targetOf = async (connection: TestLabConnection) => ({
  host: '127.0.0.1',
  addresses: ['127.0.0.1'],
  port: await line.portOf(connection),
  tls: undefined,
});

/** The laboratory knew no test when it was asked; now it does, and is asked the same once more. */
async function laboratoryAgain(placer: string, orderId: string): Promise<SimulatedLaboratory> {
  const { rows } = await service.ownerPool.query('select 1 from lab_message where order_id = $1', [orderId]);
  if (rows.length === 0) throw new Error(`Nothing was sent for ${placer}`);
  const { send } = service.app.labWire;
  const bytes = laboratory.receivedMessages.at(-1) ?? Buffer.alloc(0);
  const to = { host: '127.0.0.1', addresses: ['127.0.0.1'], port: laboratory.port, tls: undefined };
  await send(to, { bytes, controlId: `${placer}N` });
  return laboratory;
}
