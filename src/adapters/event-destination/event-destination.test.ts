import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasNats,
  hasRabbit,
  openNats,
  openRabbit,
  openWire,
  type NatsInHand,
  type RabbitInHand,
} from '../../../test/brokers.ts';
import { nats } from './nats.ts';
import type { Line, Message } from './port.ts';
import { rabbitMq } from './rabbitmq.ts';
import { simulatedBroker } from './simulated.ts';

const here = async () => ['127.0.0.1'];
/** Where nobody's time is to run out. */
const PATIENT = { connectMs: 60_000, answerMs: 60_000 };

let messages = 0;
const message = (type = 'labtest.order.created', body = '{"a":"ü"}'): Message => ({
  id: `msg_${(messages += 1)}_${Math.random()}`,
  type,
  teamId: '0190aaaa-0000-7000-8000-000000000000',
  userId: '0190bbbb-0000-7000-8000-000000000000',
  body,
});
const large = (type?: string) => message(type, JSON.stringify({ text: 'x'.repeat(2000) }));

/** What a body is tried with: a place that takes `labtest.*` and nothing else, and what was found there. */
interface Trial {
  connect(): Promise<Line>;
  /** The ids and types that arrived since the last look. */
  arrived(): Promise<{ id: string; type: string; body: string }[]>;
  close(): Promise<void>;
}

const bodies: [string, boolean, () => Promise<Trial>][] = [
  ['the simulated broker', true, simulatedTrial],
  ['RabbitMQ', hasRabbit, rabbitTrial],
  ['NATS JetStream', hasNats, natsTrial],
];

async function simulatedTrial(): Promise<Trial> {
  const broker = simulatedBroker<object>();
  broker.unroutable.add('other.thing');
  return {
    connect: () => broker.connect({}, here),
    arrived: async () => broker.kept.splice(0),
    close: async () => {},
  };
}

async function rabbitTrial(): Promise<Trial> {
  const rabbit = await openRabbit();
  const exchange = await rabbit.exchange('labtest.#');
  const uri = `amqp://guest:guest@localhost:${rabbit.port}`;
  return {
    connect: () => rabbitMq(PATIENT).connect({ uri, exchange }, here),
    arrived: async () => (await rabbit.take(exchange)).map(({ id, key, body }) => ({ id, type: key, body })),
    close: () => rabbit.close(),
  };
}

async function natsTrial(): Promise<Trial> {
  const server = await openNats();
  const manager = await server.manager();
  await manager.streams.add({ name: 'EVENTS', subjects: ['own.labtest.>'] });
  const settings = { servers: [`nats://localhost:${server.port}`], stream: 'EVENTS', subjectPrefix: 'own' };
  return {
    connect: () => nats(PATIENT).connect(settings, here),
    arrived: async () => {
      const found = await server.read('EVENTS');
      await manager.streams.purge('EVENTS');
      return found.map(({ id, key, body }) => ({ id, type: key.replace(/^own\./, ''), body }));
    },
    close: () => server.close(),
  };
}

describe.each(bodies)('%s', (_name, there, open) => {
  let trial: Trial;
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
  let rabbit: RabbitInHand;
  beforeAll(async () => {
    rabbit = await openRabbit();
  });
  afterAll(() => rabbit?.close());
  const uriOf = (port: number, account = 'guest:guest') => `amqp://${account}@localhost:${port}`;

  it('is told the type as routing key, the id, the encoding, and whose event it is', async () => {
    const exchange = await rabbit.exchange();
    const line = await rabbitMq(PATIENT).connect({ uri: uriOf(rabbit.port), exchange }, here);
    const [small, big] = [message(), large()];
    const nobody = { ...message(), userId: null };
    await line.publish([small, big, nobody]);
    await line.close();
    const common = { key: 'labtest.order.created', contentType: 'application/json', persistent: true };
    const whose = { team_id: small.teamId, user_id: small.userId };
    expect(await rabbit.take(exchange)).toEqual([
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
    const to = (uri: string, name = exchange) => rabbitMq(PATIENT).connect({ uri, exchange: name }, here);
    await expect(to(uriOf(rabbit.port), 'nobody-made-this')).rejects.toThrow(
      /no exchange 'nobody-made-this'/,
    );
    await expect(to(uriOf(rabbit.port, 'guest:wrong'))).rejects.toThrow(/ACCESS.REFUSED/);
    await expect(to(`${uriOf(rabbit.port)}/nowhere`)).rejects.toThrow(/virtual host/);
    await expect(to(uriOf(1))).rejects.toThrow(/ECONNREFUSED/);
  });

  it('connects to no address but the one that it was given', async () => {
    const exchange = await rabbit.exchange();
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    const uri = `amqp://guest:guest@no-such-name.invalid:${rabbit.port}`;
    const line = await rabbitMq(PATIENT).connect({ uri, exchange }, resolve);
    await line.close();
    expect(asked).toEqual(['no-such-name.invalid']);
    const none = rabbitMq(PATIENT).connect({ uri, exchange }, async () => {
      throw new Error('leads to a private address');
    });
    await expect(none).rejects.toThrow(/private/);
  });

  it('answers for nothing that it did not confirm before the line was cut', async () => {
    const wire = await openWire(rabbit.port);
    const exchange = await rabbit.exchange();
    const line = await rabbitMq(PATIENT).connect({ uri: uriOf(wire.port), exchange }, here);
    wire.cutAfter(20_000);
    const sent = Array.from({ length: 100 }, () => message('labtest.x', JSON.stringify('y'.repeat(900))));
    const { confirmed, refused, broken } = await line.publish(sent);
    expect(broken).toEqual(expect.any(String));
    expect(refused).toEqual([]);
    expect(confirmed.length).toBeLessThan(100);
    expect(line.isOpen).toBe(false);
    const arrived = new Set((await rabbit.take(exchange)).map(({ id }) => id));
    expect(confirmed.filter((id) => !arrived.has(id))).toEqual([]);
    await wire.close();
  });

  it('is left alone while it blocks publishers', async () => {
    const wire = await openWire(rabbit.port);
    const exchange = await rabbit.exchange();
    const line = await rabbitMq(PATIENT).connect({ uri: uriOf(wire.port), exchange }, here);
    wire.inject(connectionMethod(60, 'low on memory'));
    await expect
      .poll(async () => (await line.publish([message()])).broken)
      .toMatch(/blocks publishers: low on memory/);
    await rabbit.take(exchange);
    wire.inject(connectionMethod(61));
    await expect.poll(async () => (await line.publish([message()])).broken).toBe(null);
    expect(await rabbit.take(exchange)).toHaveLength(1);
    await line.close();
    await wire.close();
  });

  it('is given up when it does not answer in time', async () => {
    const exchange = await rabbit.exchange();
    const wire = await openWire(rabbit.port);
    const deaf = await rabbitMq({ ...PATIENT, answerMs: 300 }).connect(
      { uri: uriOf(wire.port), exchange },
      here,
    );
    wire.silence();
    expect((await deaf.publish([message()])).broken).toMatch(/No confirmation within 0.3 s/);
    expect(deaf.isOpen).toBe(false);
    await expect.poll(() => wire.held()).toBe(0);
    await wire.close();
  });

  it('keeps no connection that was not made in time', async () => {
    const [wire, exchange] = [await openWire(rabbit.port), await rabbit.exchange()];
    wire.silence();
    await expect(
      rabbitMq({ connectMs: 300 }).connect({ uri: uriOf(wire.port), exchange }, here),
    ).rejects.toThrow(`localhost:${wire.port}: `);
    await expect.poll(() => [wire.accepted(), wire.held()]).toEqual([1, 0]);
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
  let server: NatsInHand;
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

  it('is told the type as subject, the id, the encoding, and whose event it is; it keeps one of two', async () => {
    const line = await nats(PATIENT).connect(settings(), here);
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
    const line = await nats(PATIENT).connect({ ...settings(), stream: 'OTHER' }, here);
    const { refused, broken } = await line.publish([message()]);
    expect(refused).toEqual([{ id: expect.any(String), reason: expect.stringMatching(/stream/) }]);
    expect(broken).toBe(null);
    await line.close();
    await expect(nats(PATIENT).connect(settings('ada:wrong@'), here)).rejects.toThrow(/Authorization/i);
    const gone = { ...settings(), servers: ['nats://localhost:1'] };
    await expect(nats(PATIENT).connect(gone, here)).rejects.toThrow(/refused/);
  });

  it('is looked for at all its servers, at the addresses that are given', async () => {
    const [server1] = settings().servers;
    const two = {
      ...settings(),
      servers: ['nats://localhost:1', (server1 ?? '').replace('localhost', 'other.invalid')],
    };
    const line = await nats(PATIENT).connect(two, here);
    expect((await line.publish([message()])).broken).toBe(null);
    await line.close();
  });

  it('names the servers that cannot be connected to', async () => {
    const two = { ...settings(), servers: ['nats://localhost:1', 'nats://localhost:2'] };
    await expect(nats(PATIENT).connect(two, here)).rejects.toThrow(
      'localhost:1: connection refused; localhost:2: connection refused',
    );
  });

  it('keeps no connection that was not made in time', async () => {
    const wire = await openWire(server.port);
    wire.silence();
    const mute = { ...settings(), servers: [`nats://localhost:${wire.port}`] };
    await expect(nats({ connectMs: 300 }).connect(mute, here)).rejects.toThrow(
      `localhost:${wire.port}: timeout`,
    );
    await expect.poll(() => [wire.accepted(), wire.held()]).toEqual([1, 0]);
    await wire.close();
  });

  it('is given up when it does not answer in time', async () => {
    const wire = await openWire(server.port);
    const servers = settings().servers.map((each) => each.replace(/\d+$/, String(wire.port)));
    const deaf = await nats({ ...PATIENT, answerMs: 300 }).connect({ ...settings(), servers }, here);
    wire.silence();
    expect((await deaf.publish([message()])).broken).toBe('No acknowledgement within 0.3 s');
    expect(deaf.isOpen).toBe(false);
    await expect.poll(() => wire.held()).toBe(0);
    await wire.close();
  });

  it('is not open any more when the server is gone', async () => {
    const line = await nats(PATIENT).connect(settings(), here);
    await server.stop();
    await expect.poll(() => line.isOpen).toBe(false);
    expect((await line.publish([message()])).broken).toEqual(expect.any(String));
    await line.close();
    await server.start();
  });
});
