import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hooksIn } from '../../test/hook.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import type { NatsSettings, RabbitMqSettings } from '../adapters/event-destination/port.ts';
import { simulatedBroker } from '../adapters/event-destination/simulated.ts';
import { later, MINUTE, SECOND } from '../platform/clock.ts';
import { HANDED_ON_AT_ONCE } from './hand-on.ts';

let house: House;
let say: ReturnType<typeof hooksIn>['say'];
const [rabbit, other] = [simulatedBroker<RabbitMqSettings>(), simulatedBroker<NatsSettings>()];
beforeAll(async () => {
  house = await openHouse();
  say = hooksIn(house).say;
  Object.assign(house.app.eventDestinations, { rabbitmq: rabbit, nats: other });
});
afterAll(() => house.close());
beforeEach(() => {
  rabbit.away = other.away = undefined;
});

const AWAY = 'The broker is away';
const LONG = 2 * HANDED_ON_AT_ONCE + 1;

const rabbitmq = { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' };
const nats = { servers: ['nats://localhost:1'], subject_prefix: 'own' };
const only = (preferred: string) => ({ preferences: { preferred, enabled: [preferred] } });
const both = (preferred: string) => ({ preferences: { preferred, enabled: ['rabbitmq', 'nats'] } });

async function set(team: TeamInHand, body: object): Promise<void> {
  const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
  const answer = await team.management.post(path, { team_ids: [team.tenant.teamId], ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

const destinations = async (
  team: TeamInHand,
): Promise<{ destination: string; role: string; waiting: number }[]> =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/pipeline`)).json
    .destinations;

const waitingFor = async (team: TeamInHand, broker: string) =>
  (await destinations(team)).find(({ destination }) => destination === broker)?.waiting;

/** What a broker was told of a team, as often as it was told, oldest first. */
const told = ({ tenant }: TeamInHand, broker: { kept: { teamId: string; id: string }[] }) =>
  broker.kept.filter(({ teamId }) => teamId === tenant.teamId).map(({ id }) => id);

async function idsInLog({ tenant }: TeamInHand): Promise<string[]> {
  const { rows } = await house.owner.query<{ id: string }>(
    'select id from event where team_id = $1 order by position',
    [tenant.teamId],
  );
  return rows.map(({ id }) => `msg_${id}`);
}

/** Events of a team that its main broker is owed, due from now on or, put off, at a moment of their own each. */
async function fill(team: TeamInHand, { putOff = false, many = LONG } = {}): Promise<void> {
  const due = later(house.clock.now(), putOff ? 30 * SECOND : 0);
  await house.owner.query(
    `with more as (
       insert into event (team_id, environment, id, event_type, data, created_at, position)
       select e.team_id, e.environment, gen_random_uuid(), 'test.something.happened', e.data, $3,
         nextval('event_position_seq')
       from (select * from event where team_id = $1 limit 1) e, generate_series(1, $2::int) returning *)
     insert into pipeline_delivery (team_id, environment, destination_id, event_id, position, due_wall)
     select m.team_id, m.environment, d.id, m.id, m.position,
       $4::timestamptz + case when $5 then interval '1 ms' * m.position else interval '0' end
     from more m join event_destination d on d.team_id = m.team_id and d.role = 'main'`,
    [team.tenant.teamId, many, house.clock.now(), due, putOff],
  );
}

/** A team whose main broker is away while very much happens. */
async function withBacklog(settings: object, filling = {}): Promise<TeamInHand> {
  const team = await house.team();
  rabbit.away = AWAY;
  await set(team, { ...settings, rabbitmq, nats });
  await say(team, 0);
  await house.settle();
  await fill(team, filling);
  return team;
}

/** While somebody has the newest event of a team in their hands, so that nobody can be owed it. */
async function whileNewestIsHeld({ tenant }: TeamInHand, run: () => Promise<void>): Promise<void> {
  const client = await house.owner.connect();
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

async function drained(team: TeamInHand, broker: string): Promise<void> {
  await expect
    .poll(
      async () => {
        house.clock.move(SECOND);
        return waitingFor(team, broker);
      },
      { timeout: 50_000 },
    )
    .toBe(0);
}

describe('a broker with a long backlog, in the place of which another one becomes the main one', () => {
  it('keeps no events waiting, of nobody; the new one gets all that waited, once and in order, and then the rest', async () => {
    const [team, stranger] = [await withBacklog(only('rabbitmq')), await house.team()];
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
    await house.settle();
    await drained(team, 'nats');
    expect(told(team, other)).toEqual(await idsInLog(team));
    expect(told(team, rabbit)).toEqual([]);
    const { rows } = await house.owner.query('select broker from event_destination where team_id = $1', [
      team.tenant.teamId,
    ]);
    expect(rows).toEqual([{ broker: 'nats' }]);
  });

  it('gets it all itself as well, where it stays as the reserve', async () => {
    const team = await withBacklog(both('rabbitmq'));
    await set(team, both('nats'));
    await say(team, 1);
    await house.settle();
    rabbit.away = undefined;
    for (const broker of ['nats', 'rabbitmq']) await drained(team, broker);
    const log = await idsInLog(team);
    expect(told(team, other)).toEqual(log);
    expect(told(team, rabbit)).toEqual(log.slice(0, -1));
  });

  it('loses and doubles nothing when the team changes its mind in the middle', async () => {
    const team = await withBacklog(only('rabbitmq'), { many: 3 * LONG });
    other.away = AWAY;
    await set(team, only('nats'));
    await say(team, 1);
    await set(team, only('rabbitmq'));
    await say(team, 2);
    await house.settle();
    rabbit.away = undefined;
    await drained(team, 'rabbitmq');
    expect(told(team, rabbit)).toEqual(await idsInLog(team));
    expect(await destinations(team)).toMatchObject([{ destination: 'rabbitmq', role: 'main', waiting: 0 }]);
  });

  it('loses nothing when the team changes its mind and changes it back: what came back is given again', async () => {
    const team = await withBacklog(only('rabbitmq'), { many: 5 * HANDED_ON_AT_ONCE });
    other.away = AWAY;
    for (const preferred of ['nats', 'rabbitmq', 'nats']) await set(team, only(preferred));
    await house.settle();
    expect(await waitingFor(team, 'nats')).toBe((await idsInLog(team)).length);
  });

  it('leaves nothing behind when the last broker is taken away meanwhile', async () => {
    const team = await withBacklog(only('rabbitmq'));
    await set(team, only('nats'));
    await set(team, only('svix'));
    await house.settle();
    expect(await destinations(team)).toEqual([]);
    await set(team, only('nats'));
    await say(team, 1);
    await house.settle();
    await drained(team, 'nats');
    expect(told(team, other)).toEqual((await idsInLog(team)).slice(-1));
  });

  it('is told again nothing of what it was given while it stood in', async () => {
    const team = await withBacklog(both('rabbitmq'), { many: 20 });
    await expect
      .poll(async () => (await destinations(team))[0])
      .toHaveProperty('failing_since', expect.any(String));
    house.clock.move(11 * MINUTE);
    await expect.poll(() => told(team, other).length).toBe(21);
    await set(team, only('nats'));
    await say(team, 1);
    await house.settle();
    await drained(team, 'nats');
    expect(told(team, other)).toEqual(await idsInLog(team));
  });
});

describe('a broker that has refused very much', () => {
  it('is sent it again soon after its settings are changed, and whoever changes them does not wait for all of it', async () => {
    const team = await withBacklog(only('rabbitmq'), { putOff: true });
    const client = await house.owner.connect();
    await client.query('begin');
    await client.query(
      'select from pipeline_delivery where team_id = $1 order by due_wall desc limit 1 for update',
      [team.tenant.teamId],
    );
    await set(team, { rabbitmq: { ...rabbitmq, exchange: 'another' } });
    await client.query('commit');
    client.release();
    rabbit.away = undefined;
    house.clock.move(2 * MINUTE);
    await drained(team, 'rabbitmq');
    expect(told(team, rabbit).toSorted()).toEqual((await idsInLog(team)).toSorted());
  });
});
