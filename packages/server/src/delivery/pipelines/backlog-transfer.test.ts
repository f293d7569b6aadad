import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { webhookFixture } from '../../../test/webhook-fixture.ts';
import { reservePositions } from '../../../test/event-positions.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { NatsSettings, RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import { createSimulatedBroker } from '../../adapters/event-destination/simulated.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { TRANSFER_BATCH } from './backlog-transfer.ts';

let say: ReturnType<typeof webhookFixture>['say'];
const [rabbit, other] = [createSimulatedBroker<RabbitMqSettings>(), createSimulatedBroker<NatsSettings>()];
const service = useTestService();
beforeAll(async () => {
  say = webhookFixture(service).say;
  Object.assign(service.app.eventDestinations, { rabbitmq: rabbit, nats: other });
});
beforeEach(() => {
  rabbit.unavailableReason = other.unavailableReason = undefined;
});

const AWAY = 'The broker is away';
const LONG = 2 * TRANSFER_BATCH + 1;

const rabbitmq = { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' };
const nats = { servers: ['nats://localhost:1'], subject_prefix: 'own' };
const only = (preferred: string) => ({ preferences: { preferred, enabled: [preferred] } });
const both = (preferred: string) => ({ preferences: { preferred, enabled: ['rabbitmq', 'nats'] } });

async function set(team: TestTeam, body: object): Promise<void> {
  const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
  const answer = await team.management.post(path, { team_ids: [team.tenant.teamId], ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

const destinations = async (
  team: TestTeam,
): Promise<{ destination: string; role: string; waiting: number }[]> =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/pipeline`)).json
    .destinations;

const waitingFor = async (team: TestTeam, broker: string) =>
  (await destinations(team)).find(({ destination }) => destination === broker)?.waiting;

/** The events of a team that a broker received, including duplicates, oldest first. */
const told = ({ tenant }: TestTeam, broker: { stored: { teamId: string; id: string }[] }) =>
  broker.stored.filter(({ teamId }) => teamId === tenant.teamId).map(({ id }) => id);

async function idsInLog({ tenant }: TestTeam): Promise<string[]> {
  const { rows } = await service.ownerPool.query<{ id: string }>(
    'select id from event where team_id = $1 order by position',
    [tenant.teamId],
  );
  return rows.map(({ id }) => `msg_${id}`);
}

/** Enqueues events of a team for its main broker, due now or each postponed to its own time. */
async function fill(team: TestTeam, { putOff = false, many = LONG } = {}): Promise<void> {
  const due = later(service.clock.now(), putOff ? 30 * SECOND : 0);
  const before = await reservePositions(service.ownerPool, team.tenant, many);
  await service.ownerPool.query(
    `with more as (
       insert into event (team_id, environment, id, event_type, data, created_at, position)
       select e.team_id, e.environment, gen_random_uuid(), 'test.something.happened', e.data, $3,
         $6::bigint + n
       from (select * from event where team_id = $1 limit 1) e, generate_series(1, $2::int) n returning *)
     insert into pipeline_delivery (team_id, environment, destination_id, event_id, position, due_wall)
     select m.team_id, m.environment, d.id, m.id, m.position,
       $4::timestamptz + case when $5 then interval '1 ms' * m.position else interval '0' end
     from more m join event_destination d on d.team_id = m.team_id and d.role = 'main'`,
    [team.tenant.teamId, many, service.clock.now(), due, putOff, before],
  );
}

/** A team whose main broker is away while very much happens. */
async function withBacklog(settings: object, filling = {}): Promise<TestTeam> {
  const team = await service.team();
  rabbit.unavailableReason = AWAY;
  await set(team, { ...settings, rabbitmq, nats });
  await say(team, 0);
  await service.settle();
  await fill(team, filling);
  return team;
}

/** Runs while the newest event of a team is locked, so that it cannot be enqueued for another destination. */
async function whileNewestIsHeld({ tenant }: TestTeam, run: () => Promise<void>): Promise<void> {
  const client = await service.ownerPool.connect();
  await client.query('begin');
  await client.query(
    'select from event where team_id = $1 and position is not null order by position desc limit 1 for update',
    [tenant.teamId],
  );
  await run().finally(async () => {
    await client.query('commit');
    client.release();
  });
}

async function drained(team: TestTeam, broker: string): Promise<void> {
  await expect
    .poll(
      async () => {
        service.clock.move(SECOND);
        return waitingFor(team, broker);
      },
      { timeout: 50_000 },
    )
    .toBe(0);
}

describe('a broker with a long backlog that is replaced as the main broker', () => {
  it('delays no other team; the new broker gets the backlog once and in order, then new events', async () => {
    const [team, stranger] = [await withBacklog(only('rabbitmq')), await service.team()];
    await set(stranger, { ...only('nats'), nats });
    await whileNewestIsHeld(team, async () => {
      await set(team, only('nats'));
      await say(team, 1);
      await say(stranger, 2);
      await expect.poll(() => told(stranger, other).length, { timeout: 50_000 }).toBe(1);
      expect(await destinations(team)).toMatchObject([
        { destination: 'nats', role: 'main', waiting: LONG + 2 },
      ]);
      // What happened since does not overtake what waited before.
      expect(told(team, other)).toEqual([]);
    });
    await service.settle();
    await drained(team, 'nats');
    expect(told(team, other)).toEqual(await idsInLog(team));
    expect(told(team, rabbit)).toEqual([]);
    const { rows } = await service.ownerPool.query(
      'select broker from event_destination where team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ broker: 'nats' }]);
  });

  it('also gets its backlog itself if it stays as the reserve', async () => {
    const team = await withBacklog(both('rabbitmq'));
    await set(team, both('nats'));
    await say(team, 1);
    await service.settle();
    rabbit.unavailableReason = undefined;
    for (const broker of ['nats', 'rabbitmq']) await drained(team, broker);
    const log = await idsInLog(team);
    expect(told(team, other)).toEqual(log);
    expect(told(team, rabbit)).toEqual(log.slice(0, -1));
  });

  it('loses and duplicates nothing if the team reverts the change during the transfer', async () => {
    const team = await withBacklog(only('rabbitmq'), { many: 3 * LONG });
    other.unavailableReason = AWAY;
    await set(team, only('nats'));
    await say(team, 1);
    await set(team, only('rabbitmq'));
    await say(team, 2);
    await service.settle();
    rabbit.unavailableReason = undefined;
    await drained(team, 'rabbitmq');
    expect(told(team, rabbit)).toEqual(await idsInLog(team));
    expect(await destinations(team)).toMatchObject([{ destination: 'rabbitmq', role: 'main', waiting: 0 }]);
  });

  it('loses nothing if the team reverts and repeats the change: returned events are handed over again', async () => {
    const team = await withBacklog(only('rabbitmq'), { many: 5 * TRANSFER_BATCH });
    other.unavailableReason = AWAY;
    for (const preferred of ['nats', 'rabbitmq', 'nats']) await set(team, only(preferred));
    await service.settle();
    expect(await waitingFor(team, 'nats')).toBe((await idsInLog(team)).length);
  });

  it('leaves nothing behind if the last broker is deleted during the transfer', async () => {
    const team = await withBacklog(only('rabbitmq'));
    await set(team, only('nats'));
    await set(team, only('svix'));
    await service.settle();
    expect(await destinations(team)).toEqual([]);
    await set(team, only('nats'));
    await say(team, 1);
    await service.settle();
    await drained(team, 'nats');
    expect(told(team, other)).toEqual((await idsInLog(team)).slice(-1));
  });

  it('does not get again what it received as the reserve', async () => {
    const team = await withBacklog(both('rabbitmq'), { many: 20 });
    await expect
      .poll(async () => (await destinations(team))[0])
      .toHaveProperty('failing_since', expect.any(String));
    service.clock.move(11 * MINUTE);
    await expect.poll(() => told(team, other).length).toBe(21);
    await set(team, only('nats'));
    await say(team, 1);
    await service.settle();
    await drained(team, 'nats');
    expect(told(team, other)).toEqual(await idsInLog(team));
  });
});

describe('a broker that has refused many events', () => {
  it('gets them again soon after a settings change, which does not wait for all of them', async () => {
    const team = await withBacklog(only('rabbitmq'), { putOff: true });
    const client = await service.ownerPool.connect();
    await client.query('begin');
    await client.query(
      'select from pipeline_delivery where team_id = $1 order by due_wall desc limit 1 for update',
      [team.tenant.teamId],
    );
    await set(team, { rabbitmq: { ...rabbitmq, exchange: 'another' } });
    await client.query('commit');
    client.release();
    rabbit.unavailableReason = undefined;
    service.clock.move(2 * MINUTE);
    await drained(team, 'rabbitmq');
    expect(told(team, rabbit).toSorted()).toEqual((await idsInLog(team)).toSorted());
  });
});
