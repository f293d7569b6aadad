import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { order as orderOf } from '../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import type { NatsSettings, RabbitMqSettings } from '../adapters/event-destination/port.ts';
import { simulatedBroker } from '../adapters/event-destination/simulated.ts';
import { DAY, MINUTE, SECOND } from '../platform/clock.ts';
import { cleanDestination } from './cleaner.ts';
import { startPipelineSender } from './pipelines.ts';

let house: House;
const rabbit = simulatedBroker<RabbitMqSettings>();
const other = simulatedBroker<NatsSettings>();

beforeAll(async () => {
  house = await openHouse();
  Object.assign(house.app.eventDestinations, { rabbitmq: rabbit, nats: other });
});
afterAll(() => house.close());
beforeEach(() => {
  for (const broker of [rabbit, other]) {
    broker.away = undefined;
    broker.breakAfter = undefined;
    broker.unroutable.clear();
  }
});

/** Whoever connects to the broker waits until it is refused; who comes after that is let in. */
function holdConnecting(): { asked(): boolean; refuse(): void } {
  const connect = rabbit.connect;
  let release: (() => void) | undefined;
  rabbit.connect = () =>
    new Promise((_resolve, reject) => {
      release = () => reject(new Error('too slow'));
    });
  return {
    asked: () => release !== undefined,
    refuse: () => {
      rabbit.connect = connect;
      release?.();
    },
  };
}

const rabbitmq = { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' };
const nats = { servers: ['nats://localhost:1'], subject_prefix: 'own' };

type Preferences = { preferred: string; enabled: string[] };
const only = (broker: string): Preferences => ({ preferred: broker, enabled: [broker] });

async function set(team: TeamInHand, body: object) {
  const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
  const answer = await team.management.post(path, { team_ids: [team.tenant.teamId], ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

const health = async (team: TeamInHand) =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/pipeline`)).json;

const stateOf = async (team: TeamInHand, broker = 'rabbitmq') =>
  (await health(team)).destinations.find((one: { destination: string }) => one.destination === broker);

/** The event types that a broker keeps of a team, oldest first. */
const kept = (
  team: TeamInHand,
  broker: { kept: { teamId: string; type: string; id: string; userId: string | null }[] } = rabbit,
) => broker.kept.filter(({ teamId }) => teamId === team.tenant.teamId);

const idsInLog = async (team: TeamInHand): Promise<string[]> => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event?limit=500`;
  return (await team.management.get(path)).json.data.map(({ id }: { id: string }) => `msg_${id}`);
};

/** Lets the clock go on until nothing waits for the broker any more. */
const drained = async (team: TeamInHand, broker = 'rabbitmq') => {
  await expect
    .poll(
      async () => {
        house.clock.move(SECOND);
        return (await stateOf(team, broker)).waiting;
      },
      { timeout: 50_000 },
    )
    .toBe(0);
};

/** How many events have been tried in vain and wait for a later moment. */
const putOff = async (team: TeamInHand): Promise<number> => {
  const { rows } = await house.owner.query<{ n: number }>(
    'select count(*)::int as n from pipeline_delivery where team_id = $1 and due_wall > $2',
    [team.tenant.teamId, house.clock.now()],
  );
  return rows[0]?.n ?? 0;
};

/** Something happens to a team that is told in one event. */
async function happen(team: TeamInHand, times = 1): Promise<void> {
  const tests = await team.get('/v3/lab_tests?collection_method=testkit');
  for (let time = 0; time < times; time += 1) {
    const order = await team.post('/v3/order', orderOf(await team.user(), tests.json[0].id));
    expect(order.status).toBe(200);
  }
}

describe('a team with a broker', () => {
  it('has its events published under the ids of the log, in order', async () => {
    const team = await house.team();
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 3);
    await house.settle();
    await drained(team);
    expect(kept(team).map(({ id }) => id)).toEqual(await idsInLog(team));
    expect(kept(team)[0]).toMatchObject({ type: 'labtest.order.created', userId: expect.any(String) });
    expect(await stateOf(team)).toMatchObject({
      role: 'main',
      waiting: 0,
      failing_since: null,
      last_success_at: expect.any(String),
      last_error: null,
    });
  });

  it('gets the types that begin with one of its prefixes, and no others', async () => {
    const team = await house.team();
    await set(team, {
      preferences: only('rabbitmq'),
      rabbitmq,
      event_type_prefixes: ['nothing.', 'labtest.appointment'],
    });
    await happen(team);
    await house.settle();
    expect((await stateOf(team)).waiting).toBe(0);
    await set(team, { event_type_prefixes: ['labtest.order.c'] });
    await happen(team);
    await house.settle();
    await drained(team);
    expect(kept(team).map(({ type }) => type)).toEqual(['labtest.order.created']);
  });

  it('is sent what waited once its broker is back, and nobody asks before a while has passed', async () => {
    const team = await house.team();
    rabbit.away = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 4);
    await house.settle();
    await expect.poll(async () => (await stateOf(team)).last_error).toBe('The broker is away');
    expect(await stateOf(team)).toMatchObject({
      waiting: 4,
      failing_since: expect.any(String),
      next_try_at: expect.any(String),
      last_success_at: null,
      oldest_waiting_at: expect.any(String),
    });
    for (let minute = 0; minute < 5; minute += 1) house.clock.move(MINUTE);
    rabbit.away = undefined;
    await drained(team);
    expect(kept(team).map(({ id }) => id)).toEqual(await idsInLog(team));
    expect(await stateOf(team)).toMatchObject({ failing_since: null, next_try_at: null });
  });

  it('loses nothing when the connection breaks in the middle of a batch; what comes twice has the same id', async () => {
    const team = await house.team();
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team);
    await house.settle();
    await drained(team);
    rabbit.away = 'The broker is away';
    await happen(team, 12);
    await house.settle();
    rabbit.breakAfter = 0;
    rabbit.away = undefined;
    await drained(team);
    const ids = kept(team).map(({ id }) => id);
    expect([...new Set(ids)].toSorted()).toEqual((await idsInLog(team)).toSorted());
    expect(ids.length).toBeGreaterThan(13);
  });

  it('is sent by its new settings at once, whatever comes of what is under way by the old ones', async () => {
    const team = await house.team();
    const held = holdConnecting();
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 3);
    await vi.waitUntil(() => held.asked(), 50_000);
    await set(team, { rabbitmq: { ...rabbitmq, exchange: 'another' } });
    held.refuse();
    await expect.poll(async () => (await stateOf(team)).waiting).toBe(0);
    expect(kept(team).map(({ id }) => id)).toEqual(await idsInLog(team));
  });

  it('is not sent what is about a deleted user, unless the user comes back', async () => {
    const team = await house.team();
    rabbit.away = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    const [test] = (await team.get('/v3/lab_tests?collection_method=testkit')).json;
    const users = [await team.user(), await team.user(), await team.user()] as const;
    for (const user of users) await team.post('/v3/order', orderOf(user, test.id));
    await house.settle();
    const [back, gone, here] = users;
    for (const user of [back, gone]) await team.delete(`/v2/user/${user}`);
    rabbit.away = undefined;
    const toldOf = () => kept(team).map(({ userId }) => userId);
    const waiting = async () => (await stateOf(team)).waiting;
    house.clock.move(MINUTE);
    await expect.poll(waiting).toBe(2);
    expect(toldOf()).toEqual([here]);
    await team.post(`/v2/user/undo_delete?user_id=${back}`);
    await expect.poll(waiting).toBe(1);
    expect(toldOf()).toEqual([here, back]);
    house.clock.move(7 * DAY);
    await expect.poll(waiting).toBe(0);
    expect(toldOf()).toEqual([here, back]);
  });

  it('keeps what the broker returns and tries it again, without holding up the rest', async () => {
    const team = await house.team();
    rabbit.unroutable.add('labtest.order.created');
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 2);
    await house.settle();
    await expect.poll(async () => (await stateOf(team)).last_error).toMatch(/NO_ROUTE/);
    expect(await stateOf(team)).toMatchObject({ waiting: 2, next_try_at: null });
    const orders = await team.get('/v3/orders');
    await team.post(`/v3/order/${orders.json.orders[0].id}/cancel`);
    await house.settle();
    await expect.poll(() => kept(team).length).toBeGreaterThan(0);
    expect(kept(team).every(({ type }) => type === 'labtest.order.updated')).toBe(true);
    // The broker has an event a moment before it is written down that it has.
    await expect.poll(async () => (await stateOf(team)).waiting).toBe(2);
    rabbit.unroutable.clear();
    await drained(team);
    expect(
      kept(team)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual((await idsInLog(team)).toSorted());
  });

  it('does not wait for the broker of another one', async () => {
    const slow = await house.team();
    const quick = await house.team();
    const held = holdConnecting();
    await set(slow, { preferences: only('rabbitmq'), rabbitmq });
    await set(quick, { preferences: only('nats'), nats });
    await happen(slow);
    await happen(quick);
    await house.settle();
    await drained(quick, 'nats');
    expect((await stateOf(slow)).waiting).toBe(1);
    held.refuse();
    await drained(slow);
    expect(kept(slow)).toHaveLength(1);
    expect(kept(quick)).toEqual([]);
  });

  it('is worked on by one sender at a time, and by another one when the first has died', async () => {
    const team = await house.team();
    const second = startPipelineSender(house.app);
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 30);
    await house.settle();
    await drained(team);
    expect(
      kept(team)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual((await idsInLog(team)).toSorted());
    await second.stop();
    // What the house's own sender holds, it lets go of.
    const free = 'select from event_destination where team_id = $1 and leased_until is null';
    await expect.poll(async () => (await house.owner.query(free, [team.tenant.teamId])).rowCount).toBe(1);
    const lease = `update event_destination set leased_until = $2 where team_id = $1`;
    const inMinutes = new Date(house.clock.now().getTime() + 3 * MINUTE);
    await house.owner.query(lease, [team.tenant.teamId, inMinutes]);
    await happen(team);
    await house.settle();
    // The sender that has sent what came later has passed this one over.
    const later = await house.team();
    await set(later, { preferences: only('rabbitmq'), rabbitmq });
    await happen(later);
    await expect.poll(() => kept(later).length).toBe(1);
    expect((await stateOf(team)).waiting).toBe(1);
    house.clock.move(4 * MINUTE);
    await drained(team);
    expect(kept(team)).toHaveLength(31);
  });

  it('gets what was put off before the clock was set back by days', async () => {
    const team = await house.team();
    rabbit.unroutable.add('labtest.order.created');
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 2);
    // Both have been returned, and are put off.
    await expect.poll(() => putOff(team)).toBe(2);
    house.clock.move(-3 * DAY);
    rabbit.unroutable.clear();
    house.clock.move(2 * MINUTE);
    await house.settle();
    expect(kept(team)).toEqual([]);
    const { rows } = await house.owner.query<{ id: string }>(
      'select id from event_destination where team_id = $1',
      [team.tenant.teamId],
    );
    for (const { id } of rows) await cleanDestination(house.app, id);
    await expect.poll(() => kept(team).length).toBe(2);
  });

  it('is not left alone until a moment that only a clock far ahead could name', async () => {
    const team = await house.team();
    rabbit.away = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    const aYearAhead = new Date(house.clock.now().getTime() + 365 * DAY);
    await house.owner.query(
      `update event_destination set retry_at = $2, leased_until = $2, failing_since = $2 where team_id = $1`,
      [team.tenant.teamId, aYearAhead],
    );
    await happen(team);
    await house.settle();
    await expect.poll(async () => (await stateOf(team)).last_error).toBe('The broker is away');
    expect(new Date((await stateOf(team)).failing_since) < aYearAhead).toBe(true);
    rabbit.away = undefined;
    await drained(team);
    expect(kept(team)).toHaveLength(1);
  });

  it('has nothing published for another team', async () => {
    const one = await house.team();
    const stranger = await house.team();
    await set(one, { preferences: only('rabbitmq'), rabbitmq });
    await happen(stranger);
    await happen(one);
    await house.settle();
    await drained(one);
    expect(kept(stranger)).toEqual([]);
    expect((await health(stranger)).destinations).toEqual([]);
  });
});

describe('of two brokers', () => {
  it('the preferred one gets every event and the other one none, while it does well', async () => {
    const team = await house.team();
    await set(team, { preferences: { preferred: 'nats', enabled: ['rabbitmq', 'nats'] }, rabbitmq, nats });
    await happen(team, 2);
    await house.settle();
    await drained(team, 'nats');
    expect([kept(team, other).length, kept(team).length]).toEqual([2, 0]);
    expect(
      (await health(team)).destinations.map((one: { destination: string; role: string }) => [
        one.destination,
        one.role,
      ]),
    ).toEqual([
      ['nats', 'main'],
      ['rabbitmq', 'reserve'],
    ]);
  });

  it('the other one stands in once the first has failed for ten minutes, and the first misses nothing', async () => {
    const team = await house.team();
    rabbit.away = 'The broker is away';
    await set(team, {
      preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq', 'nats'] },
      rabbitmq,
      nats,
    });
    await happen(team, 2);
    await house.settle();
    await expect.poll(async () => (await stateOf(team)).failing_since).toEqual(expect.any(String));
    house.clock.move(9 * MINUTE);
    await happen(team);
    await house.settle();
    expect(kept(team, other)).toEqual([]);
    house.clock.move(2 * MINUTE);
    await expect.poll(() => kept(team, other).length).toBe(3);
    await happen(team);
    await house.settle();
    await expect.poll(() => kept(team, other).length).toBe(4);
    rabbit.away = undefined;
    await drained(team);
    await happen(team);
    await house.settle();
    await drained(team);
    const log = await idsInLog(team);
    expect(kept(team).map(({ id }) => id)).toEqual(log);
    expect(kept(team, other).map(({ id }) => id)).toEqual(log.slice(0, 4));
  });

  it('the new one gets what still waits for the old one when a team goes over', async () => {
    const team = await house.team();
    rabbit.away = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 3);
    await house.settle();
    await set(team, { preferences: only('nats'), nats });
    await happen(team);
    await house.settle();
    await drained(team, 'nats');
    expect(kept(team, other).map(({ id }) => id)).toEqual(await idsInLog(team));
    expect((await health(team)).destinations).toHaveLength(1);
  });
});

describe('webhooks beside a broker', () => {
  it('get every event as well while they are enabled', async () => {
    const team = await house.team();
    const receiver = await team.endpoint();
    await set(team, { preferences: { preferred: 'svix', enabled: ['svix', 'rabbitmq'] }, rabbitmq });
    await happen(team, 2);
    await house.settle();
    await drained(team);
    expect(receiver.events()).toHaveLength(2);
    expect(kept(team)).toHaveLength(2);
  });

  it('alone are what a team has that has set nothing, and again once it has taken its settings away', async () => {
    const team = await house.team();
    const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us?team_id=${team.tenant.teamId}`;
    expect(await health(team)).toEqual({
      preferences: { preferred: 'svix', enabled: ['svix'] },
      destinations: [],
    });
    rabbit.away = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team);
    await house.settle();
    expect((await team.management.delete(path)).json).toHaveLength(1);
    expect((await team.management.delete(path)).json).toEqual([]);
    expect((await health(team)).preferences).toEqual({ preferred: 'svix', enabled: ['svix'] });
    const { rows } = await house.owner.query('select from pipeline_delivery where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect(rows).toEqual([]);
  });
});
