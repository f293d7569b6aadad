import { beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../test/webhook-fixture.ts';
import { reservePositions } from '../../../test/event-positions.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import type { NatsSettings, RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import { createSimulatedBroker } from '../../adapters/event-destination/simulated.ts';
import type { SequencedEvent } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { newId } from '../../platform/ids.ts';
import { webhookEventHandler } from '../webhooks/webhooks.ts';
import { pipelineEventHandler } from './pipelines.ts';
import { listMainDestinations, enqueueDeliveries } from './queue-store.ts';

const [rabbit, other] = [createSimulatedBroker<RabbitMqSettings>(), createSimulatedBroker<NatsSettings>()];
const service = useTestService();
beforeAll(async () => {
  Object.assign(service.app.eventDestinations, { rabbitmq: rabbit, nats: other });
  rabbit.unavailableReason = other.unavailableReason = 'The broker is away';
});

const rabbitmq = { uri: 'amqp://ada:secret@localhost:1/vh', exchange: 'events' };
const nats = { servers: ['nats://localhost:1'], subject_prefix: 'own' };
const both = (preferred: string) => ({ preferences: { preferred, enabled: ['rabbitmq', 'nats'] } });
const only = (preferred: string) => ({ preferences: { preferred, enabled: [preferred] } });

async function set(team: TestTeam, body: object): Promise<void> {
  const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
  const answer = await team.management.post(path, { team_ids: [team.tenant.teamId], ...body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

/** An event that has its place in the log and is about to be handed out. */
async function placed(team: TestTeam): Promise<SequencedEvent> {
  const event = { tenant: team.tenant, id: newId(), type: 'a', userId: null, createdAt: service.clock.now() };
  const position = 1 + (await reservePositions(service.ownerPool, team.tenant, 1));
  await service.ownerPool.query(
    `insert into event (team_id, environment, id, event_type, data, created_at, position)
     values ($1, $2, $3, 'a', '', $4, $5)`,
    [team.tenant.teamId, team.tenant.environment, event.id, event.createdAt, position],
  );
  return { ...event, position };
}

/** Somebody has done what they do, or waits for us. */
async function doneOrWaiting(doing: Promise<unknown>): Promise<void> {
  let isDone = false;
  void doing.then(() => (isDone = true));
  await waitUntil(async () => isDone || (await countLockWaiters(service, '%event_pipeline%')) > 0);
}

/** The roles of the brokers that a team's events are owed to. */
const owedTo = async (tx: Tx, { tenant }: TestTeam) => {
  const rows = await tx
    .selectFrom('pipeline_delivery')
    .innerJoin('event_destination', 'event_destination.id', 'pipeline_delivery.destination_id')
    .select(['broker', 'role'])
    .where('pipeline_delivery.team_id', '=', tenant.teamId)
    .orderBy('broker')
    .execute();
  return rows.map(({ broker, role }) => `${broker} ${role}`);
};

describe('settings that change while an event is fanned out', () => {
  it('are the same for webhooks and for the broker', async () => {
    const team = await service.team();
    await set(team, { ...only('rabbitmq'), rabbitmq });
    await team.endpoint();
    const event = await placed(team);
    let changing: Promise<void> | undefined;
    await asSystem(service.app.db, async (tx) => {
      await webhookEventHandler.handle(service.app, tx, [event]);
      changing = set(team, only('svix'));
      await doneOrWaiting(changing);
      await pipelineEventHandler.handle(service.app, tx, [event]);
      // The webhooks have left it to the broker.
      expect(await owedTo(tx, team)).toEqual(['rabbitmq main']);
    });
    await changing;
  });

  it('deliver the event to the newly preferred broker', async () => {
    const team = await service.team();
    await set(team, { ...both('rabbitmq'), rabbitmq, nats });
    const event = await placed(team);
    let changing: Promise<void> | undefined;
    await asSystem(service.app.db, async (tx) => {
      const [main] = await listMainDestinations(tx, [team.tenant]);
      changing = set(team, both('nats'));
      await doneOrWaiting(changing);
      await enqueueDeliveries(tx, [{ event, destinationId: main?.id ?? '' }], service.clock.now());
    });
    await changing;
    expect(await asSystem(service.app.db, (tx) => owedTo(tx, team))).toContain('nats main');
  });

  it('are awaited, and the event goes to the broker that they name', async () => {
    const team = await service.team();
    await set(team, { ...both('rabbitmq'), rabbitmq, nats });
    const event = await placed(team);
    const changing = await service.ownerPool.connect();
    await changing.query('begin');
    const { teamId } = team.tenant;
    await changing.query(`update event_pipeline set preferred = 'nats' where team_id = $1`, [teamId]);
    await changing.query(
      `update event_destination set role = case broker when 'nats' then 'main' else 'reserve' end where team_id = $1`,
      [teamId],
    );
    const handing = asSystem(service.app.db, (tx) => pipelineEventHandler.handle(service.app, tx, [event]));
    await doneOrWaiting(handing);
    await changing.query('commit');
    changing.release();
    await handing;
    expect(await asSystem(service.app.db, (tx) => owedTo(tx, team))).toEqual(['nats main']);
  });
});
