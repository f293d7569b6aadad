import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasNats,
  hasRabbit,
  openNats,
  openRabbit,
  openTcpProxy,
  type TestNats,
  type TestRabbitMq,
} from '../../../test/brokers.ts';
import { createNatsDestination } from './nats.ts';
import type { BrokerConnection, BrokerMessage } from './port.ts';
import { createRabbitMqDestination } from './rabbitmq.ts';
import { createSimulatedBroker } from './simulated.ts';

const here = async () => ['127.0.0.1'];
/** Timeouts for tests that must not time out. */
const PATIENT = { connectMs: 60_000, acknowledgeMs: 60_000 };

let messages = 0;
const message = (type = 'labtest.order.created', body = '{"a":"ü"}'): BrokerMessage => ({
  id: `msg_${(messages += 1)}_${Math.random()}`,
  type,
  teamId: '0190aaaa-0000-7000-8000-000000000000',
  userId: '0190bbbb-0000-7000-8000-000000000000',
  body,
});
const large = (type?: string) => message(type, JSON.stringify({ text: 'x'.repeat(2000) }));

/** What a body is tried with: a place that takes `labtest.*` and nothing else, and what was found there. */
interface BrokerTrial {
  connect(): Promise<BrokerConnection>;
  /** The ids and types that arrived since the last look. */
  arrived(): Promise<{ id: string; type: string; body: string }[]>;
  close(): Promise<void>;
}

const bodies: [string, boolean, () => Promise<BrokerTrial>][] = [
  ['the simulated broker', true, simulatedTrial],
  ['RabbitMQ', hasRabbit, rabbitTrial],
  ['NATS JetStream', hasNats, natsTrial],
];

async function simulatedTrial(): Promise<BrokerTrial> {
  const broker = createSimulatedBroker<object>();
  broker.unroutable.add('other.thing');
  return {
    connect: () => broker.connect({}, here),
    arrived: async () => broker.stored.splice(0),
    close: async () => {},
  };
}

async function rabbitTrial(): Promise<BrokerTrial> {
  const rabbit = await openRabbit();
  const exchange = await rabbit.exchange('labtest.#');
  const uri = `amqp://guest:guest@localhost:${rabbit.port}`;
  return {
    connect: () => createRabbitMqDestination(PATIENT).connect({ uri, exchange }, here),
    arrived: async () => (await rabbit.drain(exchange)).map(({ id, key, body }) => ({ id, type: key, body })),
    close: () => rabbit.close(),
  };
}

async function natsTrial(): Promise<BrokerTrial> {
  const server = await openNats();
  const manager = await server.manager();
  await manager.streams.add({ name: 'EVENTS', subjects: ['own.labtest.>'] });
  const settings = { servers: [`nats://localhost:${server.port}`], stream: 'EVENTS', subjectPrefix: 'own' };
  return {
    connect: () => createNatsDestination(PATIENT).connect(settings, here),
    arrived: async () => {
      const found = await server.read('EVENTS');
      await manager.streams.purge('EVENTS');
      return found.map(({ id, key, body }) => ({ id, type: key.replace(/^own\./, ''), body }));
    },
    close: () => server.close(),
  };
}

describe.each(bodies)('%s', (_name, there, open) => {
  let trial: BrokerTrial;
  beforeAll(async () => {
    if (there) trial = await open();
  });
  afterAll(() => trial?.close());

  it.skipIf(!there)('keeps what it confirms, whole and in order', async () => {
    const line = await trial.connect();
    const sent = [message(), large(), message('labtest.order.updated'), message()];
    expect(await line.publish(sent)).toEqual({ confirmed: expect.anything(), refused: [], broken: null });
    expect((await trial.arrived()).map(({ id, type, body }) => ({ id, type, body }))).toEqual(
      sent.map(({ id, type, body }) => ({ id, type, body })),
    );
    expect(line.isOpen).toBe(true);
    await line.close();
  });

  it.skipIf(!there)('refuses what goes nowhere, and takes the rest of the batch', async () => {
    const line = await trial.connect();
    const [good, bad, more] = [message(), message('other.thing'), message()];
    const { confirmed, refused, broken } = await line.publish([good, bad, more]);
    expect(confirmed.toSorted()).toEqual([good.id, more.id].toSorted());
    expect(refused).toEqual([{ id: bad.id, reason: expect.stringMatching(/NO_ROUTE|No stream/) }]);
    expect([broken, line.isOpen]).toEqual([null, true]);
    expect((await trial.arrived()).map(({ id }) => id)).toEqual([good.id, more.id]);
    await line.close();
  });

  it.skipIf(!there)('is not open any more once it was closed', async () => {
    const line = await trial.connect();
    await line.close();
    expect(line.isOpen).toBe(false);
    const { confirmed, broken } = await line.publish([message()]);
    expect(confirmed).toEqual([]);
    expect(broken).toEqual(expect.any(String));
    expect(await trial.arrived()).toEqual([]);
  });
});

describe.skipIf(!hasRabbit)('RabbitMQ itself', () => {
  let rabbit: TestRabbitMq;
  beforeAll(async () => {
    rabbit = await openRabbit();
  });
  afterAll(() => rabbit?.close());
  const uriOf = (port: number, account = 'guest:guest') => `amqp://${account}@localhost:${port}`;

  it('receives the type as routing key, the id, the encoding and the owner', async () => {
    const exchange = await rabbit.exchange();
    const line = await createRabbitMqDestination(PATIENT).connect(
      { uri: uriOf(rabbit.port), exchange },
      here,
    );
    const [small, big] = [message(), large()];
    const nobody = { ...message(), userId: null };
    await line.publish([small, big, nobody]);
    await line.close();
    const common = { key: 'labtest.order.created', contentType: 'application/json', persistent: true };
    const whose = { team_id: small.teamId, user_id: small.userId };
    expect(await rabbit.drain(exchange)).toEqual([
      { ...common, id: small.id, encoding: undefined, headers: whose, body: small.body },
      { ...common, id: big.id, encoding: 'gzip', headers: whose, body: big.body },
      {
        ...common,
        id: nobody.id,
        encoding: undefined,
        headers: { team_id: small.teamId },
        body: nobody.body,
      },
    ]);
  });

  it('says why it cannot be connected to', async () => {
    const exchange = await rabbit.exchange();
    const to = (uri: string, name = exchange) =>
      createRabbitMqDestination(PATIENT).connect({ uri, exchange: name }, here);
    await expect(to(uriOf(rabbit.port), 'nobody-made-this')).rejects.toThrow(
      /no exchange 'nobody-made-this'/,
    );
    await expect(to(uriOf(rabbit.port, 'guest:wrong'))).rejects.toThrow(/ACCESS.REFUSED/);
    await expect(to(`${uriOf(rabbit.port)}/nowhere`)).rejects.toThrow(/virtual host/);
    await expect(to(uriOf(1))).rejects.toThrow(/ECONNREFUSED/);
  });

  it('connects only to the resolved address', async () => {
    const exchange = await rabbit.exchange();
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    const uri = `amqp://guest:guest@no-such-name.invalid:${rabbit.port}`;
    const line = await createRabbitMqDestination(PATIENT).connect({ uri, exchange }, resolve);
    await line.close();
    expect(asked).toEqual(['no-such-name.invalid']);
    const none = createRabbitMqDestination(PATIENT).connect({ uri, exchange }, async () => {
      throw new Error('leads to a private address');
    });
    await expect(none).rejects.toThrow(/private/);
  });

  it('reports only messages that were confirmed before the connection was cut', async () => {
    const wire = await openTcpProxy(rabbit.port);
    const exchange = await rabbit.exchange();
    const line = await createRabbitMqDestination(PATIENT).connect({ uri: uriOf(wire.port), exchange }, here);
    wire.cutAfter(20_000);
    const sent = Array.from({ length: 100 }, () => message('labtest.x', JSON.stringify('y'.repeat(900))));
    const { confirmed, refused, broken } = await line.publish(sent);
    expect(broken).toEqual(expect.any(String));
    expect(refused).toEqual([]);
    expect(confirmed.length).toBeLessThan(100);
    expect(line.isOpen).toBe(false);
    const arrived = new Set((await rabbit.drain(exchange)).map(({ id }) => id));
    expect(confirmed.filter((id) => !arrived.has(id))).toEqual([]);
    await wire.close();
  });

  it('receives nothing while it blocks publishers', async () => {
    const wire = await openTcpProxy(rabbit.port);
    const exchange = await rabbit.exchange();
    const line = await createRabbitMqDestination(PATIENT).connect({ uri: uriOf(wire.port), exchange }, here);
    wire.inject(connectionMethod(60, 'low on memory'));
    await expect
      .poll(async () => (await line.publish([message()])).broken)
      .toMatch(/blocks publishers: low on memory/);
    await rabbit.drain(exchange);
    wire.inject(connectionMethod(61));
    await expect.poll(async () => (await line.publish([message()])).broken).toBe(null);
    expect(await rabbit.drain(exchange)).toHaveLength(1);
    await line.close();
    await wire.close();
  });

  it('is abandoned when it does not respond in time', async () => {
    const exchange = await rabbit.exchange();
    const wire = await openTcpProxy(rabbit.port);
    const deaf = await createRabbitMqDestination({ ...PATIENT, acknowledgeMs: 300 }).connect(
      { uri: uriOf(wire.port), exchange },
      here,
    );
    wire.blackhole();
    expect((await deaf.publish([message()])).broken).toMatch(/No confirmation within 0.3 s/);
    expect(deaf.isOpen).toBe(false);
    await expect.poll(() => wire.openClientCount()).toBe(0);
    await wire.close();
  });

  it('closes a connection attempt that timed out', async () => {
    const [wire, exchange] = [await openTcpProxy(rabbit.port), await rabbit.exchange()];
    wire.blackhole();
    await expect(
      createRabbitMqDestination({ connectMs: 300 }).connect({ uri: uriOf(wire.port), exchange }, here),
    ).rejects.toThrow(`localhost:${wire.port}: `);
    await expect.poll(() => [wire.acceptedCount(), wire.openClientCount()]).toEqual([1, 0]);
    await wire.close();
  });
});

/** A method of the class connection on channel 0: 60 is blocked, 61 unblocked. */
function connectionMethod(method: number, reason?: string): Buffer {
  const text =
    reason === undefined ? Buffer.alloc(0) : Buffer.concat([Buffer.of(reason.length), Buffer.from(reason)]);
  const payload = Buffer.concat([Buffer.of(0, 10, 0, method), text]);
  const head = Buffer.alloc(7);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.of(0xce)]);
}

describe.skipIf(!hasNats)('NATS JetStream itself', () => {
  let server: TestNats;
  beforeAll(async () => {
    server = await openNats('--user', 'ada', '--pass', 'p@ss');
    await (await server.manager()).streams.add({ name: 'EVENTS', subjects: ['own.>'] });
  });
  afterAll(() => server?.close());
  const settings = (account = 'ada:p%40ss@') => ({
    servers: [`nats://${account}localhost:${server.port}`],
    stream: null as string | null,
    subjectPrefix: 'own',
  });

  it('receives the type as subject, the id, the encoding and the owner; drops a duplicate', async () => {
    const line = await createNatsDestination(PATIENT).connect(settings(), here);
    const [small, big] = [message(), large()];
    await line.publish([small, big]);
    expect((await line.publish([small])).confirmed).toEqual([small.id]);
    await line.close();
    const ours = new Set([small.id, big.id]);
    const found = (await server.read('EVENTS')).filter(({ id }) => ours.has(id));
    expect(found).toMatchObject([
      {
        id: small.id,
        key: 'own.labtest.order.created',
        contentType: 'application/json',
        encoding: undefined,
      },
      { id: big.id, encoding: 'gzip', body: big.body, headers: { team_id: big.teamId, user_id: big.userId } },
    ]);
  });

  it('refuses when another stream keeps the subject, and says why it cannot be connected to', async () => {
    const line = await createNatsDestination(PATIENT).connect({ ...settings(), stream: 'OTHER' }, here);
    const { refused, broken } = await line.publish([message()]);
    expect(refused).toEqual([{ id: expect.any(String), reason: expect.stringMatching(/stream/) }]);
    expect(broken).toBe(null);
    await line.close();
    await expect(createNatsDestination(PATIENT).connect(settings('ada:wrong@'), here)).rejects.toThrow(
      /Authorization/i,
    );
    const gone = { ...settings(), servers: ['nats://localhost:1'] };
    await expect(createNatsDestination(PATIENT).connect(gone, here)).rejects.toThrow(/refused/);
  });

  it('is tried at all its servers, at the resolved addresses', async () => {
    const [server1] = settings().servers;
    const two = {
      ...settings(),
      servers: ['nats://localhost:1', (server1 ?? '').replace('localhost', 'other.invalid')],
    };
    const line = await createNatsDestination(PATIENT).connect(two, here);
    expect((await line.publish([message()])).broken).toBe(null);
    await line.close();
  });

  it('names the servers that cannot be connected to', async () => {
    const two = { ...settings(), servers: ['nats://localhost:1', 'nats://localhost:2'] };
    await expect(createNatsDestination(PATIENT).connect(two, here)).rejects.toThrow(
      'localhost:1: connection refused; localhost:2: connection refused',
    );
  });

  it('closes a connection attempt that timed out', async () => {
    const wire = await openTcpProxy(server.port);
    wire.blackhole();
    const mute = { ...settings(), servers: [`nats://localhost:${wire.port}`] };
    await expect(createNatsDestination({ connectMs: 300 }).connect(mute, here)).rejects.toThrow(
      `localhost:${wire.port}: timeout`,
    );
    await expect.poll(() => [wire.acceptedCount(), wire.openClientCount()]).toEqual([1, 0]);
    await wire.close();
  });

  it('is abandoned when it does not respond in time', async () => {
    const wire = await openTcpProxy(server.port);
    const servers = settings().servers.map((each) => each.replace(/\d+$/, String(wire.port)));
    const deaf = await createNatsDestination({ ...PATIENT, acknowledgeMs: 300 }).connect(
      { ...settings(), servers },
      here,
    );
    wire.blackhole();
    expect((await deaf.publish([message()])).broken).toBe('No acknowledgement within 0.3 s');
    expect(deaf.isOpen).toBe(false);
    await expect.poll(() => wire.openClientCount()).toBe(0);
    await wire.close();
  });

  it('is closed when the server is gone', async () => {
    const line = await createNatsDestination(PATIENT).connect(settings(), here);
    await server.stop();
    await expect.poll(() => line.isOpen).toBe(false);
    expect((await line.publish([message()])).broken).toEqual(expect.any(String));
    await line.close();
    await server.start();
  });
});
