import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { createCertificateAuthority } from '../../../test/certificates.ts';
import { createNatsDestination } from './nats.ts';
import type { BrokerConnection, BrokerMessage } from './port.ts';
import { createRabbitMqDestination } from './rabbitmq.ts';

const here = async () => ['127.0.0.1'];
/** Long timeouts: refusals must come at once, not by timeout. */
const PATIENT = { connectMs: 60_000, acknowledgeMs: 60_000 };
const authority = createCertificateAuthority('Own authority');
const certificate = authority.issue('broker.example');

let messages = 0;
const message = (): BrokerMessage => ({
  id: `msg_tls_${(messages += 1)}`,
  type: 'labtest.order.created',
  teamId: '0190aaaa-0000-7000-8000-000000000000',
  userId: null,
  body: '{}',
});

async function tell(line: BrokerConnection): Promise<{ sent: string[]; confirmed: readonly string[] }> {
  const sent = [message(), message()];
  const { confirmed } = await line.publish(sent);
  await line.close();
  return { sent: sent.map(({ id }) => id), confirmed };
}

describe.skipIf(!hasRabbit)('RabbitMQ by TLS', () => {
  let rabbit: TestRabbitMq;
  let wire: TcpProxy;
  let exchange: string;
  beforeAll(async () => {
    rabbit = await openRabbit();
    exchange = await rabbit.exchange();
    wire = await openTcpProxy(rabbit.port, certificate);
  });
  afterAll(async () => {
    await wire?.close();
    await rabbit?.close();
  });
  const to = (place: string, ca?: string) =>
    createRabbitMqDestination({ ...PATIENT, ca }).connect(
      { uri: `amqps://guest:guest@${place}`, exchange },
      here,
    );

  it('receives events if its certificate matches its name', async () => {
    const { sent, confirmed } = await tell(await to(`broker.example:${wire.port}`, authority.cert));
    expect(confirmed).toEqual(sent);
    expect((await rabbit.drain(exchange)).map(({ id }) => id)).toEqual(sent);
    await expect.poll(() => wire.openClientCount()).toBe(0);
  });

  it('receives nothing if its certificate is for another name or from an unknown CA', async () => {
    const places = ['other.example', '127.0.0.1'].map((host) => `${host}:${wire.port}`);
    for (const place of places) {
      const other = `${place}: Hostname/IP does not match certificate's altnames`;
      await expect(to(place, authority.cert)).rejects.toThrow(other);
    }
    const known = `broker.example:${wire.port}`;
    await expect(to(known)).rejects.toThrow(`${known}: unable to verify the first certificate`);
    await expect.poll(() => wire.openClientCount()).toBe(0);
  });

  it('reports a server without TLS', async () => {
    const place = `broker.example:${rabbit.port}`;
    await expect(to(place, authority.cert)).rejects.toThrow(
      `${place}: The server does not support TLS on this port`,
    );
  });
});

describe.skipIf(!hasNats)('NATS JetStream by TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aliquot-tls-'));
  let secure: TestNats;
  let open: TestNats;
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
  const to = (server: string, ca?: string) =>
    createNatsDestination({ ...PATIENT, ca }).connect(settingsOf(server), here);

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

  it.each(['tls', 'nats'])(
    'receives nothing over %s if its certificate is for another name or from an unknown CA',
    async (as) => {
      const places = ['other.example', '127.0.0.1'].map((host) => `${host}:${secure.port}`);
      for (const place of places) {
        const other = `${place}: Hostname/IP does not match certificate's altnames`;
        await expect(to(`${as}://${place}`, authority.cert)).rejects.toThrow(other);
      }
      const known = `broker.example:${secure.port}`;
      await expect(to(`${as}://${known}`)).rejects.toThrow(
        `${known}: unable to verify the first certificate`,
      );
    },
  );

  it('receives nothing in plain text if TLS is configured', async () => {
    const server = `broker.example:${open.port}`;
    await expect(to(`tls://${server}`)).rejects.toThrow(`${server}: server does not support 'tls'`);
  });
});
