import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasNats,
  hasRabbit,
  openNats,
  openRabbit,
  openWire,
  type NatsInHand,
  type RabbitInHand,
  type Wire,
} from '../../../test/brokers.ts';
import { openAuthority } from '../../../test/certificates.ts';
import { nats } from './nats.ts';
import type { Line, Message } from './port.ts';
import { rabbitMq } from './rabbitmq.ts';

const here = async () => ['127.0.0.1'];
/** What is refused is refused at once: nobody's time is to run out. */
const PATIENT = { connectMs: 60_000, answerMs: 60_000 };
const authority = openAuthority('Own authority');
const certificate = authority.issue('broker.example');

let messages = 0;
const message = (): Message => ({
  id: `msg_tls_${(messages += 1)}`,
  type: 'labtest.order.created',
  teamId: '0190aaaa-0000-7000-8000-000000000000',
  userId: null,
  body: '{}',
});

async function tell(line: Line): Promise<{ sent: string[]; confirmed: readonly string[] }> {
  const sent = [message(), message()];
  const { confirmed } = await line.publish(sent);
  await line.close();
  return { sent: sent.map(({ id }) => id), confirmed };
}

describe.skipIf(!hasRabbit)('RabbitMQ by TLS', () => {
  let rabbit: RabbitInHand;
  let wire: Wire;
  let exchange: string;
  beforeAll(async () => {
    rabbit = await openRabbit();
    exchange = await rabbit.exchange();
    wire = await openWire(rabbit.port, certificate);
  });
  afterAll(async () => {
    await wire?.close();
    await rabbit?.close();
  });
  const to = (place: string, ca?: string) =>
    rabbitMq({ ...PATIENT, ca }).connect({ uri: `amqps://guest:guest@${place}`, exchange }, here);

  it('is told what happens when its certificate is that of its name', async () => {
    const { sent, confirmed } = await tell(await to(`broker.example:${wire.port}`, authority.cert));
    expect(confirmed).toEqual(sent);
    expect((await rabbit.take(exchange)).map(({ id }) => id)).toEqual(sent);
    await expect.poll(() => wire.held()).toBe(0);
  });

  it('is told nothing when it is somebody else, or vouched for by nobody who is known', async () => {
    const places = ['other.example', '127.0.0.1'].map((host) => `${host}:${wire.port}`);
    for (const place of places) {
      const other = `${place}: Hostname/IP does not match certificate's altnames`;
      await expect(to(place, authority.cert)).rejects.toThrow(other);
    }
    const known = `broker.example:${wire.port}`;
    await expect(to(known)).rejects.toThrow(`${known}: unable to verify the first certificate`);
    await expect.poll(() => wire.held()).toBe(0);
  });

  it('says so where no TLS is spoken', async () => {
    const place = `broker.example:${rabbit.port}`;
    await expect(to(place, authority.cert)).rejects.toThrow(`${place}: No TLS is spoken there`);
  });
});

describe.skipIf(!hasNats)('NATS JetStream by TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aliquot-tls-'));
  let secure: NatsInHand;
  let open: NatsInHand;
  beforeAll(async () => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key);
    secure = await openNats('--tls', '--tlscert', cert, '--tlskey', key);
    await (await secure.manager()).streams.add({ name: 'EVENTS', subjects: ['own.>'] });
    open = await openNats();
  });
  afterAll(async () => {
    await secure?.close();
    await open?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const settingsOf = (server: string) => ({ servers: [server], stream: null, subjectPrefix: 'own' });
  const to = (server: string, ca?: string) => nats({ ...PATIENT, ca }).connect(settingsOf(server), here);

  it.each(['tls', 'nats'])(
    'is told what happens by %s when its certificate is that of its name',
    async (as) => {
      const { sent, confirmed } = await tell(
        await to(`${as}://broker.example:${secure.port}`, authority.cert),
      );
      expect(confirmed.toSorted()).toEqual(sent);
      expect((await secure.read('EVENTS')).map(({ id }) => id)).toEqual(expect.arrayContaining(sent));
    },
  );

  it.each(['tls', 'nats'])('is told nothing by %s when it is somebody else, or unknown', async (as) => {
    const places = ['other.example', '127.0.0.1'].map((host) => `${host}:${secure.port}`);
    for (const place of places) {
      const other = `${place}: Hostname/IP does not match certificate's altnames`;
      await expect(to(`${as}://${place}`, authority.cert)).rejects.toThrow(other);
    }
    const known = `broker.example:${secure.port}`;
    await expect(to(`${as}://${known}`)).rejects.toThrow(`${known}: unable to verify the first certificate`);
  });

  it('is told nothing in the open when it was set with TLS', async () => {
    const server = `broker.example:${open.port}`;
    await expect(to(`tls://${server}`)).rejects.toThrow(`${server}: server does not support 'tls'`);
  });
});
