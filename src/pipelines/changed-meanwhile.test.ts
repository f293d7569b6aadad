import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../test/hook.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { waitingForLocks } from '../../test/locks.ts';
import type { NatsSettings, RabbitMqSettings } from '../adapters/event-destination/port.ts';
import { simulatedBroker } from '../adapters/event-destination/simulated.ts';
import type { PlacedEvent } from '../events/events.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { webhookReaction } from '../webhooks/webhooks.ts';
import { pipelineReaction } from './pipelines.ts';
import { listMain, owe } from './queue-store.ts';

let house: House;
const [rabbit, other] = [simulatedBroker<RabbitMqSettings>(), simulatedBroker<NatsSettings>()];
beforeAll(async () => {
  house = await openHouse();
  Object.assign(house.app.eventDestinations, { rabbitmq: rabbit, nats: other });
  rabbit.away = other.away = 'The broker is away';
});
afterAll(() => house.close());

const rabbitmq = { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' };
const nats = { servers: ['nats://localhost:1'], subject_prefix: 'own' };
const both = (preferred: string) => ({ preferences: { preferred, enabled: ['rabbitmq', 'nats'] } });
const only = (preferred: string) => ({ preferences: { preferred, enabled: [preferred] } });

async function set(team: TeamInHand, body: object): Promise<void> {
  const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
  const answer = await team.management.post(path, { team_ids: [team.tenant.teamId], ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

/** An event that has its place in the log and is about to be handed out. */
async function placed(team: TeamInHand): Promise<PlacedEvent> {
  const event = { tenant: team.tenant, id: newId(), type: 'a', userId: null, createdAt: house.clock.now() };
  const { rows } = await house.owner.query(
    `insert into event (team_id, environment, id, event_type, data, created_at, position)
     values ($1, $2, $3, 'a', '', $4, nextval('event_position_seq')) returning position`,
    [team.tenant.teamId, team.tenant.environment, event.id, event.createdAt],
  );
  return { ...event, position: rows[0].position };
}

/** Somebody has done what they do, or waits for us. */
async function doneOrWaiting(doing: Promise<unknown>): Promise<void> {
  let isDone = false;
  void doing.then(() => (isDone = true));
  await until(async () => isDone || (await waitingForLocks(house, '%event_pipeline%')) > 0);
}

/** The roles of the brokers that a team's events are owed to. */
const owedTo = async (tx: Tx, { tenant }: TeamInHand) => {
  const rows = await tx
    .selectFrom('pipeline_delivery')
    .innerJoin('event_destination', 'event_destination.id', 'pipeline_delivery.destination_id')
    .select(['broker', 'role'])
    .where('pipeline_delivery.team_id', '=', tenant.teamId)
    .orderBy('broker')
    .execute();
  return rows.map(({ broker, role }) => `${broker} ${role}`);
};

describe('settings that are changed while an event is handed out', () => {
  it('are for webhooks and for the broker the same ones', async () => {
    const team = await house.team();
    await set(team, { ...only('rabbitmq'), rabbitmq });
    await team.endpoint();
    const event = await placed(team);
    let changing: Promise<void> | undefined;
    await asSystem(house.app.db, async (tx) => {
      await webhookReaction.take(house.app, tx, [event]);
      changing = set(team, only('svix'));
      await doneOrWaiting(changing);
      await pipelineReaction.take(house.app, tx, [event]);
      // The webhooks have left it to the broker.
      expect(await owedTo(tx, team)).toEqual(['rabbitmq main']);
    });
    await changing;
  });

  it('pass the event on to the broker that is preferred from then on', async () => {
    const team = await house.team();
    await set(team, { ...both('rabbitmq'), rabbitmq, nats });
    const event = await placed(team);
    let changing: Promise<void> | undefined;
    await asSystem(house.app.db, async (tx) => {
      const [main] = await listMain(tx, [team.tenant]);
      changing = set(team, both('nats'));
      await doneOrWaiting(changing);
      await owe(tx, [{ event, destinationId: main?.id ?? '' }], house.clock.now());
    });
    await changing;
    expect(await asSystem(house.app.db, (tx) => owedTo(tx, team))).toContain('nats main');
  });

  it('are waited for, and the event goes to the broker that they name', async () => {
    const team = await house.team();
    await set(team, { ...both('rabbitmq'), rabbitmq, nats });
    const event = await placed(team);
    const changing = await house.owner.connect();
    await changing.query('begin');
    const { teamId } = team.tenant;
    await changing.query(`update event_pipeline set preferred = 'nats' where team_id = $1`, [teamId]);
    await changing.query(
      `update event_destination set role = case broker when 'nats' then 'main' else 'reserve' end where team_id = $1`,
      [teamId],
    );
    const handing = asSystem(house.app.db, (tx) => pipelineReaction.take(house.app, tx, [event]));
    await doneOrWaiting(handing);
    await changing.query('commit');
    changing.release();
    await handing;
    expect(await asSystem(house.app.db, (tx) => owedTo(tx, team))).toEqual(['nats main']);
  });
});
