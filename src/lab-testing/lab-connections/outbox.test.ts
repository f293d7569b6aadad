import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connectLab, openLabLine, type ConnectionInHand } from '../../../test/laboratory.ts';
import { waitingForLocks } from '../../../test/locks.ts';
import { placerNumber } from '../../adapters/lab-network/hl7/placer.ts';
import {
  openSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../../adapters/lab-network/hl7/simulated-laboratory.ts';
import type { RequestedTest } from '../../adapters/lab-network/port.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { readTenant } from '../../app.ts';
import { getOrder, requisitionOf } from '../orders/orders.ts';
import type { Line } from './lab-connections.ts';

const physicians = [{ first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: [] }];

let house: House;
let line: Line;
let laboratory: SimulatedLaboratory;
let team: TeamInHand;
/** What the laboratory of this test does. */
let tests: readonly RequestedTest[];
beforeAll(async () => {
  house = await openHouse({ PHYSICIANS: JSON.stringify(physicians), LAB_ALLOW_PRIVATE_HOSTS: 'true' });
  Object.assign(house.app.config, { LAB_FOLDERS: join(house.app.config.DATA_DIR, 'laboratories') });
  line = await openLabLine(house.app);
  laboratory = await openSimulatedLaboratory({
    now: () => house.clock.now(),
    testOf: (code) => tests.find(({ providerId, slug }) => code === (providerId ?? slug)),
  });
});
afterAll(async () => {
  await line.stop();
  await laboratory.close();
  await house.close();
});
beforeEach(async () => {
  team = await house.team('production');
  laboratory.answerWith('AA');
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
const heardOf = (id: string) => laboratory.heard.filter((bytes) => bytes.includes(placerNumber(id))).length;
const messages = async (connection: ConnectionInHand, query = '') =>
  (await team.management.get(`${connection.path}/message${query}`)).json.data;

async function pass(milliseconds: number): Promise<void> {
  house.clock.move(milliseconds);
  house.app.bell.ring('timers');
  await house.settle();
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
    await house.settle();
    expect((await read(id)).notes).toBe(
      `No connection to the laboratory ${lab} takes this order in production`,
    );
    await connected();
    await pass(MINUTE);
    expect(await read(id)).toMatchObject({ sample_id: placerNumber(id), notes: null });
  });

  it('goes to the laboratory, and its result comes back to it', async () => {
    const connection = await connected();
    const { id } = await place();
    await house.settle();
    const placer = placerNumber(id);
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
    expect(Buffer.from(whole.body, 'base64')).toEqual(laboratory.heard.at(-1));
    expect(whole.text).toContain('OML^O21');
    expect(whole.text).toMatch(/\rORC\|NW\|\w{14}\^ALIQUOT/);

    const requisition = await readTenant(house.app, team.tenant, async (work) =>
      requisitionOf(work, await getOrder(work, id)),
    );
    ({ tests } = requisition);
    await (await laboratoryAgain(placer, id)).report(placer, target(), {});
    await house.settle();
    const [came] = await messages(connection, '?direction=in');
    expect(came).toMatchObject({ status: 'taken', order_id: id });
    expect((await read(id)).last_event.status).toBe('completed.walk_in_test.completed');
  });

  it('is withdrawn by the same name when it is cancelled', async () => {
    const connection = await connected();
    const { id } = await place();
    await house.settle();
    await team.post(`/v3/order/${id}/cancel`);
    await house.settle();
    expect(laboratory.orders.get(placerNumber(id))?.cancelled).toBe(true);
    expect((await messages(connection)).map((one: { control_id: string }) => one.control_id)).toEqual([
      `${placerNumber(id)}C`,
      `${placerNumber(id)}N`,
    ]);
  });

  it('whose cancellation the laboratory refuses says so, until one that is sent again is taken', async () => {
    const connection = await connected();
    const { id } = await place();
    await house.settle();
    laboratory.answerWith('AE');
    await team.post(`/v3/order/${id}/cancel`);
    await house.settle();
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      notes: 'The laboratory refused the cancellation: Refused as asked',
    });
    const before = heardOf(id);
    await pass(DAY);
    expect(heardOf(id)).toBe(before);
    laboratory.answerWith('AA');
    const [refused] = await messages(connection, '?status=refused');
    await team.management.post(`${connection.path}/message/${refused.id}/retry`);
    await house.settle();
    expect(await read(id)).toMatchObject({ status: 'cancelled', notes: null });
    expect(laboratory.orders.get(placerNumber(id))?.cancelled).toBe(true);
  });

  // prettier-ignore
  it.each([
    ['AA', 'accepted'],
    ['AE', 'refused'],
  ] as const)('that its cancellation overtook, answered by %s, is withdrawn again once it is there', async (code, status) => {
    const { id } = await place();
    await house.settle();
    const connection = await connected();
    const { send } = house.app.labWire;
    // The order is long on its way; its cancellation takes another line.
    const slowly: typeof send = async (to, message) => {
      if (!message.controlId.endsWith('N')) return send(to, message);
      laboratory.answerWith(code);
      await team.post(`/v3/order/${id}/cancel`);
      await expect.poll(() => messages(connection, `?status=${status}`)).toHaveLength(1);
      laboratory.answerWith('AA');
      return send(to, message);
    };
    Object.assign(house.app.labWire, { send: slowly });
    await pass(MINUTE).finally(() => Object.assign(house.app.labWire, { send }));
    expect(laboratory.orders.get(placerNumber(id))?.cancelled).toBe(true);
    expect(await messages(connection)).toMatchObject([
      { control_id: `${placerNumber(id)}C2`, status: 'accepted' },
      { control_id: `${placerNumber(id)}N`, status: 'accepted' },
    ]);
  });

  it('that the laboratory refuses waits with its words until somebody has it sent again', async () => {
    const connection = await connected();
    laboratory.answerWith('AE');
    const { id } = await place();
    await house.settle();
    expect((await read(id)).notes).toBe('The laboratory refused the requisition: Refused as asked');
    const [refused] = await messages(connection, '?status=refused');
    expect(refused).toMatchObject({ answer: 'AE', reason: 'Refused as asked' });
    laboratory.answerWith('AA');
    const before = heardOf(id);
    await pass(DAY);
    expect(heardOf(id)).toBe(before);
    expect((await team.management.post(`${connection.path}/message/${refused.id}/retry`)).json.status).toBe(
      'queued',
    );
    await house.settle();
    expect(await read(id)).toMatchObject({ sample_id: placerNumber(id), notes: null });
    expect(await messages(connection)).toMatchObject([{ id: refused.id, status: 'accepted' }]);
  });

  it('that is not answered is sent again under the same control id', async () => {
    // A port that was free a moment ago may be somebody else's by now; nobody listens on this one.
    const connection = await connected({ port: 1 });
    const { id } = await place();
    await house.settle();
    expect((await read(id)).notes).toMatch(/^The laboratory could not be reached: /);
    expect(await messages(connection)).toMatchObject([{ status: 'queued', attempts: 1 }]);
    await team.management.patch(connection.path, { port: laboratory.port });
    await pass(6 * HOUR);
    expect(await messages(connection)).toMatchObject([
      { status: 'accepted', control_id: `${placerNumber(id)}N` },
    ]);
    expect((await read(id)).sample_id).toBe(placerNumber(id));
  });

  it('of an erased user is taken back, also where nobody answers at first', async () => {
    const connection = await connected();
    const { id } = await place();
    await house.settle();
    expect(laboratory.orders.get(placerNumber(id))?.cancelled).toBe(false);
    await team.delete(`/v2/user/${(await read(id)).user_id}`);
    await pass(7 * DAY);
    expect(await messages(connection)).toEqual([]);
    const { send } = house.app.labWire;
    let failures = 2;
    Object.assign(house.app.labWire, {
      send: async (...[to, message]: Parameters<typeof send>) => {
        if (message.controlId.startsWith(placerNumber(id))) failures -= 1;
        if (failures >= 0) throw new Error('The line is dead');
        return send(to, message);
      },
    });
    await pass(5 * MINUTE);
    expect(await messages(connection)).toMatchObject([{ status: 'queued', attempts: 1 }]);
    await pass(5 * MINUTE);
    await pass(30 * MINUTE).finally(() => Object.assign(house.app.labWire, { send }));
    expect(laboratory.orders.get(placerNumber(id))?.cancelled).toBe(true);
    expect(await messages(connection)).toMatchObject([
      { control_id: `${placerNumber(id)}E`, status: 'accepted', order_id: null },
    ]);
  });

  it('of an erased user that the laboratory does not want to take back is not sent again', async () => {
    const connection = await connected();
    const { id } = await place();
    await house.settle();
    await team.delete(`/v2/user/${(await read(id)).user_id}`);
    laboratory.answerWith('AE');
    await pass(7 * DAY);
    await pass(5 * MINUTE);
    const [refused] = await messages(connection, '?status=refused');
    const answer = await team.management.post(`${connection.path}/message/${refused.id}/retry`);
    expect([answer.status, answer.json.detail]).toEqual([409, expect.stringContaining('erased')]);
    expect(await messages(connection)).toMatchObject([{ id: refused.id, status: 'refused' }]);
  });

  it('of a user who is erased in the moment in which its message is kept is taken back', async () => {
    await connected();
    const { id } = await place();
    await house.settle();
    const { user_id: userId } = await read(id);
    const { rows } = await house.owner.query(
      'delete from lab_message where order_id = $1 returning to_jsonb(lab_message) as kept',
      [id],
    );
    const keeping = new pg.Client(house.owner.options);
    await keeping.connect();
    await keeping.query('begin');
    await keeping.query(
      'insert into lab_message select * from jsonb_populate_record(null::lab_message, $1)',
      [rows[0].kept],
    );
    await team.delete(`/v2/user/${userId}`);
    house.clock.move(7 * DAY);
    await expect.poll(() => waitingForLocks(house)).toBeGreaterThan(0);
    await keeping.query('commit');
    await keeping.end();
    await house.settle();
    await pass(5 * MINUTE);
    expect(laboratory.orders.get(placerNumber(id))?.cancelled).toBe(true);
  });

  it('goes into a folder as a file', async () => {
    const connection = await connected({
      outbound: 'folder',
      host: null,
      port: null,
      order_message: 'ORM_O01',
    });
    const { id } = await place();
    await house.settle();
    const out = join(house.app.config.LAB_FOLDERS ?? '', connection.id, 'out');
    expect(await readdir(out)).toEqual([`${placerNumber(id)}N.hl7`]);
    expect(await readFile(join(out, `${placerNumber(id)}N.hl7`), 'utf8')).toContain('ORM^O01');
    expect((await read(id)).sample_id).toBe(placerNumber(id));
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
  ])('of %j is refused at %s', async (change, field) => {
    const answer = await post({ ...base, ...change });
    expect([answer.status, answer.json.detail[0].loc[1]]).toEqual([422, field]);
  });

  it('between parties that are connected already is refused, whoever asks', async () => {
    const whole = { ...base, outbound: 'none', our_facility: `F${team.tenant.teamId.slice(-8)}` };
    expect((await post(whole)).status).toBe(200);
    const [owner, stranger] = [team, await house.team('production')];
    expect((await post(whole)).status).toBe(409);
    team = stranger;
    expect((await post(whole)).status).toBe(409);
    team = owner;
    const [{ id }] = (
      await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/lab_connection`)
    ).json.data;
    const one = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/lab_connection/${id}`;
    expect((await team.management.delete(one)).status).toBe(204);
    expect((await team.management.get(one)).status).toBe(404);
    expect((await post(whole)).status).toBe(200);
  });

  it('never answers its secrets', async () => {
    const created = await connected();
    expect(Object.keys(created)).not.toContain('tls_material');
    expect(created).toMatchObject({
      has_tls_material: false,
      has_token: false,
      our_facility: expect.stringMatching(/^F\w{12}$/),
    });
  });
});

const target = () => ({ host: '127.0.0.1', addresses: ['127.0.0.1'], port: line.port, tls: undefined });

/** The laboratory knew no test when it was asked; now it does, and is asked the same once more. */
async function laboratoryAgain(placer: string, orderId: string): Promise<SimulatedLaboratory> {
  const { rows } = await house.owner.query('select 1 from lab_message where order_id = $1', [orderId]);
  if (rows.length === 0) throw new Error(`Nothing was sent for ${placer}`);
  const { send } = house.app.labWire;
  const bytes = laboratory.heard.at(-1) ?? Buffer.alloc(0);
  const to = { host: '127.0.0.1', addresses: ['127.0.0.1'], port: laboratory.port, tls: undefined };
  await send(to, { bytes, controlId: `${placer}N` });
  return laboratory;
}
