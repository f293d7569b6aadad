import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { order as orderOf } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { NatsSettings, RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import { createSimulatedBroker } from '../../adapters/event-destination/simulated.ts';
import { DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import { cleanDestination } from './cleaner.ts';
import { startPipelineSender } from './pipelines.ts';

const rabbit = createSimulatedBroker<RabbitMqSettings>();
const other = createSimulatedBroker<NatsSettings>();

const service = useTestService();
beforeAll(async () => {
  Object.assign(service.app.eventDestinations, { rabbitmq: rabbit, nats: other });
});
beforeEach(() => {
  for (const broker of [rabbit, other]) {
    broker.unavailableReason = undefined;
    broker.breakAfterConfirming = undefined;
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

type TestPreferences = { preferred: string; enabled: string[] };
const only = (broker: string): TestPreferences => ({ preferred: broker, enabled: [broker] });

async function set(team: TestTeam, body: object) {
  const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
  const answer = await team.management.post(path, { team_ids: [team.tenant.teamId], ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

const health = async (team: TestTeam) =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/pipeline`)).json;

const stateOf = async (team: TestTeam, broker = 'rabbitmq') =>
  (await health(team)).destinations.find((one: { destination: string }) => one.destination === broker);

/** The event types that a broker keeps of a team, oldest first. */
const stored = (
  team: TestTeam,
  broker: { stored: { teamId: string; type: string; id: string; userId: string | null }[] } = rabbit,
) => broker.stored.filter(({ teamId }) => teamId === team.tenant.teamId);

const idsInLog = async (team: TestTeam): Promise<string[]> => {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event?limit=500`;
  return (await team.management.get(path)).json.data.map(({ id }: { id: string }) => `msg_${id}`);
};

/** Moves the clock until nothing waits for the broker. */
const drained = async (team: TestTeam, broker = 'rabbitmq') => {
  await expect
    .poll(
      async () => {
        service.clock.move(SECOND);
        return (await stateOf(team, broker)).waiting;
      },
      { timeout: 50_000 },
    )
    .toBe(0);
};

/** How many events are waiting for a retry. */
const putOff = async (team: TestTeam): Promise<number> => {
  const { rows } = await service.ownerPool.query<{ n: number }>(
    'select count(*)::int as n from pipeline_delivery where team_id = $1 and due_wall > $2',
    [team.tenant.teamId, service.clock.now()],
  );
  return rows[0]?.n ?? 0;
};

/** Emits one event for a team. */
async function happen(team: TestTeam, times = 1): Promise<void> {
  const testId = await findLabTestId(team, 'testkit');
  for (let time = 0; time < times; time += 1) {
    const order = await team.post('/v3/order', orderOf(await team.user(), testId));
    expect(order.status).toBe(200);
  }
}

describe('a team with a broker', () => {
  it('has its events published under the ids of the log, in order', async () => {
    const team = await service.team();
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 3);
    await service.settle();
    await drained(team);
    expect(stored(team).map(({ id }) => id)).toEqual(await idsInLog(team));
    expect(stored(team)[0]).toMatchObject({ type: 'labtest.order.created', userId: expect.any(String) });
    expect(await stateOf(team)).toMatchObject({
      role: 'main',
      waiting: 0,
      failing_since: null,
      last_success_at: expect.any(String),
      last_error: null,
    });
  });

  it('gets only event types that begin with one of its prefixes', async () => {
    const team = await service.team();
    await set(team, {
      preferences: only('rabbitmq'),
      rabbitmq,
      event_type_prefixes: ['nothing.', 'labtest.appointment'],
    });
    await happen(team);
    await service.settle();
    expect((await stateOf(team)).waiting).toBe(0);
    await set(team, { event_type_prefixes: ['labtest.order.c'] });
    await happen(team);
    await service.settle();
    await drained(team);
    expect(stored(team).map(({ type }) => type)).toEqual(['labtest.order.created']);
  });

  it('gets its backlog once its broker is back, after the backoff', async () => {
    const team = await service.team();
    rabbit.unavailableReason = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 4);
    await service.settle();
    await expect.poll(async () => (await stateOf(team)).last_error).toBe('The broker is away');
    expect(await stateOf(team)).toMatchObject({
      waiting: 4,
      failing_since: expect.any(String),
      next_try_at: expect.any(String),
      last_success_at: null,
      oldest_waiting_at: expect.any(String),
    });
    for (let minute = 0; minute < 5; minute += 1) service.clock.move(MINUTE);
    rabbit.unavailableReason = undefined;
    await drained(team);
    expect(stored(team).map(({ id }) => id)).toEqual(await idsInLog(team));
    expect(await stateOf(team)).toMatchObject({ failing_since: null, next_try_at: null });
  });

  it('loses nothing if the connection breaks during a batch; duplicates have the same id', async () => {
    const team = await service.team();
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team);
    await service.settle();
    await drained(team);
    rabbit.unavailableReason = 'The broker is away';
    await happen(team, 12);
    await service.settle();
    rabbit.breakAfterConfirming = 0;
    rabbit.unavailableReason = undefined;
    await drained(team);
    const ids = stored(team).map(({ id }) => id);
    expect([...new Set(ids)].toSorted()).toEqual((await idsInLog(team)).toSorted());
    expect(ids.length).toBeGreaterThan(13);
  });

  it('uses new settings at once, regardless of batches in progress with the old ones', async () => {
    const team = await service.team();
    const held = holdConnecting();
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 3);
    await vi.waitUntil(() => held.asked(), 50_000);
    await set(team, { rabbitmq: { ...rabbitmq, exchange: 'another' } });
    held.refuse();
    await expect.poll(async () => (await stateOf(team)).waiting).toBe(0);
    expect(stored(team).map(({ id }) => id)).toEqual(await idsInLog(team));
  });

  it('does not get events about a deleted user, unless the user is restored', async () => {
    const team = await service.team();
    rabbit.unavailableReason = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    const testId = await findLabTestId(team, 'testkit');
    const users = [await team.user(), await team.user(), await team.user()] as const;
    for (const user of users) await team.post('/v3/order', orderOf(user, testId));
    await service.settle();
    const [back, gone, here] = users;
    for (const user of [back, gone]) await team.delete(`/v2/user/${user}`);
    rabbit.unavailableReason = undefined;
    const toldOf = () => stored(team).map(({ userId }) => userId);
    const waiting = async () => (await stateOf(team)).waiting;
    service.clock.move(MINUTE);
    await expect.poll(waiting).toBe(2);
    expect(toldOf()).toEqual([here]);
    await team.post(`/v2/user/undo_delete?user_id=${back}`);
    await expect.poll(waiting).toBe(1);
    expect(toldOf()).toEqual([here, back]);
    service.clock.move(7 * DAY);
    await expect.poll(waiting).toBe(0);
    expect(toldOf()).toEqual([here, back]);
  });

  it('retries events that the broker returns, without delaying others', async () => {
    const team = await service.team();
    rabbit.unroutable.add('labtest.order.created');
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 2);
    await service.settle();
    await expect.poll(async () => (await stateOf(team)).last_error).toMatch(/NO_ROUTE/);
    expect(await stateOf(team)).toMatchObject({ waiting: 2, next_try_at: null });
    const orders = await team.get('/v3/orders');
    await team.post(`/v3/order/${orders.json.orders[0].id}/cancel`);
    await service.settle();
    await expect.poll(() => stored(team).length).toBeGreaterThan(0);
    expect(stored(team).every(({ type }) => type === 'labtest.order.updated')).toBe(true);
    // The broker has the event shortly before its confirmation is recorded.
    await expect.poll(async () => (await stateOf(team)).waiting).toBe(2);
    rabbit.unroutable.clear();
    await drained(team);
    expect(
      stored(team)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual((await idsInLog(team)).toSorted());
  });

  it('does not wait for the broker of another team', async () => {
    const slow = await service.team();
    const quick = await service.team();
    const held = holdConnecting();
    await set(slow, { preferences: only('rabbitmq'), rabbitmq });
    await set(quick, { preferences: only('nats'), nats });
    await happen(slow);
    await happen(quick);
    await service.settle();
    await drained(quick, 'nats');
    expect((await stateOf(slow)).waiting).toBe(1);
    held.refuse();
    await drained(slow);
    expect(stored(slow)).toHaveLength(1);
    expect(stored(quick)).toEqual([]);
  });

  it('is served by one sender at a time, and by another one after the first has died', async () => {
    const team = await service.team();
    const second = startPipelineSender(service.app);
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 30);
    await service.settle();
    await drained(team);
    expect(
      stored(team)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual((await idsInLog(team)).toSorted());
    await second.stop();
    // What the house's own sender holds, it lets go of.
    const free = 'select from event_destination where team_id = $1 and leased_until is null';
    await expect
      .poll(async () => (await service.ownerPool.query(free, [team.tenant.teamId])).rowCount)
      .toBe(1);
    const lease = `update event_destination set leased_until = $2 where team_id = $1`;
    const inMinutes = new Date(service.clock.now().getTime() + 3 * MINUTE);
    await service.ownerPool.query(lease, [team.tenant.teamId, inMinutes]);
    await happen(team);
    await service.settle();
    // The sender that has sent what came later has passed this one over.
    const later = await service.team();
    await set(later, { preferences: only('rabbitmq'), rabbitmq });
    await happen(later);
    await expect.poll(() => stored(later).length).toBe(1);
    expect((await stateOf(team)).waiting).toBe(1);
    service.clock.move(4 * MINUTE);
    await drained(team);
    expect(stored(team)).toHaveLength(31);
  });

  it('gets events that were postponed before the clock was set back by days', async () => {
    const team = await service.team();
    rabbit.unroutable.add('labtest.order.created');
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 2);
    // Both have been returned, and are put off.
    await expect.poll(() => putOff(team)).toBe(2);
    service.clock.move(-3 * DAY);
    rabbit.unroutable.clear();
    service.clock.move(2 * MINUTE);
    await service.settle();
    expect(stored(team)).toEqual([]);
    const { rows } = await service.ownerPool.query<{ id: string }>(
      'select id from event_destination where team_id = $1',
      [team.tenant.teamId],
    );
    for (const { id } of rows) await cleanDestination(service.app, id);
    await expect.poll(() => stored(team).length).toBe(2);
  });

  it('ignores a pause that was set by a clock far ahead', async () => {
    const team = await service.team();
    rabbit.unavailableReason = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    const aYearAhead = new Date(service.clock.now().getTime() + 365 * DAY);
    await service.ownerPool.query(
      `update event_destination set retry_at = $2, leased_until = $2, failing_since = $2 where team_id = $1`,
      [team.tenant.teamId, aYearAhead],
    );
    await happen(team);
    await service.settle();
    await expect.poll(async () => (await stateOf(team)).last_error).toBe('The broker is away');
    expect(new Date((await stateOf(team)).failing_since) < aYearAhead).toBe(true);
    rabbit.unavailableReason = undefined;
    await drained(team);
    expect(stored(team)).toHaveLength(1);
  });

  it('does not get events of another team', async () => {
    const one = await service.team();
    const stranger = await service.team();
    await set(one, { preferences: only('rabbitmq'), rabbitmq });
    await happen(stranger);
    await happen(one);
    await service.settle();
    await drained(one);
    expect(stored(stranger)).toEqual([]);
    expect((await health(stranger)).destinations).toEqual([]);
  });
});

describe('with two brokers', () => {
  it('the preferred one gets every event and the other one none, while it is healthy', async () => {
    const team = await service.team();
    await set(team, { preferences: { preferred: 'nats', enabled: ['rabbitmq', 'nats'] }, rabbitmq, nats });
    await happen(team, 2);
    await service.settle();
    await drained(team, 'nats');
    expect([stored(team, other).length, stored(team).length]).toEqual([2, 0]);
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

  it('the reserve gets events after the first has failed for ten minutes, and the first misses nothing', async () => {
    const team = await service.team();
    rabbit.unavailableReason = 'The broker is away';
    await set(team, {
      preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq', 'nats'] },
      rabbitmq,
      nats,
    });
    await happen(team, 2);
    await service.settle();
    await expect.poll(async () => (await stateOf(team)).failing_since).toEqual(expect.any(String));
    service.clock.move(9 * MINUTE);
    await happen(team);
    await service.settle();
    expect(stored(team, other)).toEqual([]);
    service.clock.move(2 * MINUTE);
    await expect.poll(() => stored(team, other).length).toBe(3);
    await happen(team);
    await service.settle();
    await expect.poll(() => stored(team, other).length).toBe(4);
    rabbit.unavailableReason = undefined;
    await drained(team);
    await happen(team);
    await service.settle();
    await drained(team);
    const log = await idsInLog(team);
    expect(stored(team).map(({ id }) => id)).toEqual(log);
    expect(stored(team, other).map(({ id }) => id)).toEqual(log.slice(0, 4));
  });

  it('the new one gets the backlog of the old one when a team switches', async () => {
    const team = await service.team();
    rabbit.unavailableReason = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team, 3);
    await service.settle();
    await set(team, { preferences: only('nats'), nats });
    await happen(team);
    await service.settle();
    await drained(team, 'nats');
    expect(stored(team, other).map(({ id }) => id)).toEqual(await idsInLog(team));
    expect((await health(team)).destinations).toHaveLength(1);
  });
});

describe('webhooks next to a broker', () => {
  it('get every event as well while they are enabled', async () => {
    const team = await service.team();
    const receiver = await team.endpoint();
    await set(team, { preferences: { preferred: 'svix', enabled: ['svix', 'rabbitmq'] }, rabbitmq });
    await happen(team, 2);
    await service.settle();
    await drained(team);
    expect(receiver.events()).toHaveLength(2);
    expect(stored(team)).toHaveLength(2);
  });

  it('are the only destination of a team without settings, and again after it has deleted them', async () => {
    const team = await service.team();
    const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us?team_id=${team.tenant.teamId}`;
    expect(await health(team)).toEqual({
      preferences: { preferred: 'svix', enabled: ['svix'] },
      destinations: [],
    });
    rabbit.unavailableReason = 'The broker is away';
    await set(team, { preferences: only('rabbitmq'), rabbitmq });
    await happen(team);
    await service.settle();
    expect((await team.management.delete(path)).json).toHaveLength(1);
    expect((await team.management.delete(path)).json).toEqual([]);
    expect((await health(team)).preferences).toEqual({ preferred: 'svix', enabled: ['svix'] });
    const { rows } = await service.ownerPool.query('select from pipeline_delivery where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect(rows).toEqual([]);
  });
});
