import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasNats,
  hasRabbit,
  openNats,
  openRabbit,
  openTcpProxy,
  type TestNats,
  type TestRabbitMq,
  type TcpProxy,
} from '../../../test/brokers.ts';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

// Without a broker on the machine these are skipped, and the counts of the run say so.
let service: TestService;
beforeAll(async () => {
  if (hasRabbit || hasNats) service = await openTestService();
});
afterAll(() => service?.close());

async function set(team: TestTeam, broker: string, settings: object): Promise<void> {
  const answer = await team.management.post(`/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`, {
    team_ids: [team.tenant.teamId],
    preferences: { preferred: broker, enabled: [broker] },
    [broker]: settings,
  });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

/** What is sure to come, on whichever machine. */
const SURE = { timeout: 50_000 };

const stateOf = async (team: TestTeam) =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/pipeline`)).json
    .destinations[0];

async function happen(team: TestTeam, times: number): Promise<void> {
  const testId = await findLabTestId(team, 'testkit');
  for (let time = 0; time < times; time += 1) await team.post('/v3/order', order(await team.user(), testId));
  await service.settle();
}

const log = async (team: TestTeam): Promise<{ id: string; event_type: string; body: object }[]> =>
  (await team.management.get(`/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/event?limit=500`)).json
    .data;

const idsOf = async (team: TestTeam) => (await log(team)).map(({ id }) => `msg_${id}`);

const drained = async (team: TestTeam) => {
  await expect
    .poll(
      async () => {
        service.clock.move(5 * SECOND);
        return (await stateOf(team)).waiting;
      },
      { timeout: 50_000 },
    )
    .toBe(0);
};

describe.skipIf(!hasRabbit)('RabbitMQ', () => {
  let rabbit: TestRabbitMq;
  let wire: TcpProxy;
  beforeAll(async () => {
    rabbit = await openRabbit();
    wire = await openTcpProxy(rabbit.port);
  });
  afterAll(async () => {
    await wire?.close();
    await rabbit?.close();
  });
  const uri = () => `amqp://guest:guest@127.0.0.1:${wire.port}`;

  it('gets a complete event: routing key, webhook message id, gzip above 1 KiB', async () => {
    const team = await service.team();
    const receiver = await team.endpoint();
    const exchange = await rabbit.exchange('labtest.#');
    await team.management.post(`/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`, {
      team_ids: [team.tenant.teamId],
      preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq', 'svix'] },
      rabbitmq: { uri: uri(), exchange },
    });
    await happen(team, 1);
    await drained(team);
    const [found] = await rabbit.drain(exchange);
    const [posted] = receiver.received;
    expect(found).toMatchObject({
      id: posted?.headers['webhook-id'],
      key: 'labtest.order.created',
      contentType: 'application/json',
      encoding: 'gzip',
      persistent: true,
      headers: { team_id: team.tenant.teamId, user_id: posted?.body.user_id },
    });
    expect(JSON.parse(found?.body ?? '')).toEqual(posted?.body);
  });

  it('loses nothing if it is disconnected during a batch and comes back', async () => {
    const team = await service.team();
    const exchange = await rabbit.exchange();
    await set(team, 'rabbitmq', { uri: uri(), exchange });
    await happen(team, 1);
    await drained(team);
    wire.cut();
    await happen(team, 30);
    await expect.poll(async () => (await stateOf(team)).last_error, SURE).toMatch(/./);
    expect((await stateOf(team)).waiting).toBe(30);
    wire.restore();
    wire.cutAfter(30_000);
    await expect
      .poll(async () => {
        service.clock.move(5 * SECOND);
        return wire.isDown();
      })
      .toBe(true);
    const waiting = (await stateOf(team)).waiting;
    expect(waiting).toBeGreaterThan(0);
    for (let minute = 0; minute < 3; minute += 1) service.clock.move(MINUTE);
    wire.restore();
    await drained(team);
    const arrived = (await rabbit.drain(exchange)).map(({ id }) => id);
    expect([...new Set(arrived)].toSorted()).toEqual((await idsOf(team)).toSorted());
    expect(await stateOf(team)).toMatchObject({ failing_since: null, last_success_at: expect.any(String) });
  });

  it('keeps events for a queue that is not bound yet, and for an exchange that does not exist yet', async () => {
    const team = await service.team();
    const exchange = await rabbit.exchange('nothing.else');
    await set(team, 'rabbitmq', { uri: uri(), exchange });
    await happen(team, 2);
    await expect.poll(async () => (await stateOf(team)).last_error, SURE).toMatch(/NO_ROUTE/);
    expect((await stateOf(team)).waiting).toBe(2);
    const missing = `${exchange}-later`;
    await set(team, 'rabbitmq', { uri: uri(), exchange: missing });
    await expect.poll(async () => (await stateOf(team)).last_error, SURE).toMatch(/no exchange/);
    expect(await rabbit.drain(exchange)).toEqual([]);
    await rabbit.channel.assertExchange(missing, 'topic', { durable: false, autoDelete: true });
    await rabbit.channel.bindQueue(exchange, missing, '#');
    await drained(team);
    expect((await rabbit.drain(exchange)).map(({ id }) => id).toSorted()).toEqual(
      (await idsOf(team)).toSorted(),
    );
  });

  it('takes hundreds of events over one connection', async () => {
    const team = await service.team();
    const exchange = await rabbit.exchange();
    const own = await openTcpProxy(rabbit.port);
    own.cut();
    await set(team, 'rabbitmq', { uri: `amqp://guest:guest@127.0.0.1:${own.port}`, exchange });
    await happen(team, 120);
    own.restore();
    await drained(team);
    expect((await rabbit.drain(exchange)).map(({ id }) => id)).toEqual(await idsOf(team));
    expect(own.acceptedCount()).toBe(1);
    await own.close();
  });
});

describe.skipIf(!hasNats)('NATS JetStream', () => {
  let server: TestNats;
  beforeAll(async () => {
    server = await openNats();
    await (await server.manager()).streams.add({ name: 'EVENTS', subjects: ['own.>'] });
  });
  afterAll(() => server?.close());

  it('gets events that occurred while it was down, each once, with subject and id', async () => {
    const team = await service.team();
    await set(team, 'nats', {
      servers: [`nats://127.0.0.1:${server.port}`],
      stream: 'EVENTS',
      subject_prefix: 'own.aliquot',
    });
    await happen(team, 2);
    await drained(team);
    await server.stop();
    await happen(team, 5);
    await expect.poll(async () => (await stateOf(team)).failing_since, SURE).toEqual(expect.any(String));
    expect((await stateOf(team)).waiting).toBe(5);
    service.clock.move(MINUTE);
    await server.start();
    await drained(team);
    const found = (await server.read('EVENTS')).filter(({ key }) => key.startsWith('own.aliquot.'));
    const events = await log(team);
    expect(found.map(({ id, key }) => [id, key])).toEqual(
      events.map(({ id, event_type }) => [`msg_${id}`, `own.aliquot.${event_type}`]),
    );
    expect(found.map(({ body }) => JSON.parse(body))).toEqual(events.map(({ body }) => body));
  });

  it('has each event once, in order, if it goes down during a batch and comes back', async () => {
    const wire = await openTcpProxy(server.port);
    const team = await service.team();
    wire.cut();
    const servers = [`nats://127.0.0.1:${wire.port}`];
    await set(team, 'nats', { servers, stream: 'EVENTS', subject_prefix: 'own.restarted' });
    await happen(team, 40);
    wire.restore();
    wire.cutAfter(20_000);
    await expect
      .poll(async () => {
        service.clock.move(5 * SECOND);
        return wire.isDown();
      }, SURE)
      .toBe(true);
    await server.stop();
    await server.start();
    wire.restore();
    await drained(team);
    const found = (await server.read('EVENTS')).filter(({ key }) => key.startsWith('own.restarted.'));
    expect(found.map(({ id }) => id)).toEqual(await idsOf(team));
    await expect.poll(() => wire.openClientCount()).toBe(1);
    await wire.close();
  });
});
