import { createServer as createPlainServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../test/certificates.ts';
import { databaseUrlOf } from '../../test/database-url.ts';
import { connectLab } from '../../test/laboratory.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { createSimulatedBroker } from '../adapters/event-destination/simulated.ts';
import type { NatsSettings } from '../adapters/event-destination/port.ts';
import {
  createBackupStorage,
  createEventDestinations,
  createFileStorage,
  createMailer,
  openKeyProviders,
} from '../compose.ts';
import { DAY, systemClock } from '../platform/clock.ts';
import { readConfig } from '../platform/config.ts';
import { openLog } from '../platform/log.ts';
import { diagnose, type Finding } from './diagnosis.ts';

const PRIVATE = { LAB_ALLOW_PRIVATE_HOSTS: 'true', ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' };
const service = useTestService(PRIVATE);
const authority = createCertificateAuthority('Authority of the laboratory');
const soon = authority.issue('localhost', new Date(systemClock.now().getTime() + 10.5 * DAY));
const nats = createSimulatedBroker<NatsSettings>();

/** What the laboratories received. */
const received: Buffer[] = [];
const servers: Server[] = [];
const ports = { plain: 0, secure: 0, closed: 0 };

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  ports.plain = await listen(
    createPlainServer((socket) => void socket.on('data', (bytes) => void received.push(bytes))),
  );
  ports.secure = await listen(
    createTlsServer(soon, (socket) => void socket.on('data', (bytes) => void received.push(bytes))),
  );
  ports.closed = await listen(createPlainServer());
  await new Promise((resolve) => servers.pop()?.close(resolve));
});
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

async function examine(): Promise<Finding[]> {
  const { options } = service.ownerPool;
  const config = readConfig({
    ...PRIVATE,
    DATA_DIR: service.app.config.DATA_DIR,
    DATABASE_URL: options.connectionString ?? databaseUrlOf(options as pg.ClientConfig),
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  const findings: Finding[] = [];
  for await (const finding of diagnose({
    config,
    root: new URL('../../', import.meta.url),
    mailer: createMailer(config, openLog('silent')),
    fileStorage: createFileStorage(config),
    backupStorage: createBackupStorage(config),
    openKeyProviders: () => openKeyProviders(config),
    eventDestinations: { ...createEventDestinations(), nats },
  }))
    findings.push(finding);
  return findings.filter(({ subject }) => /^(laborator|broker)/.test(subject));
}

describe('What teams have connected', () => {
  it('is nothing to look at without connections', async () => {
    await service.team();
    expect(await examine()).toEqual([]);
  });

  it('is looked at without sending anything: laboratories that answer, that do not, and their certificates', async () => {
    const team = await service.team();
    const mllp = { outbound: 'mllp', host: 'localhost' };
    await connectLab(team, { ...mllp, lab: 'labcorp', port: ports.plain, uses_tls: false });
    await connectLab(team, {
      ...mllp,
      lab: 'quest',
      port: ports.secure,
      tls: { ca: authority.cert },
    });
    await connectLab(team, { ...mllp, lab: 'bioreference', port: ports.closed, uses_tls: false });
    const found = await examine();
    const { teamId } = team.tenant;
    expect(found.map(({ subject, state }) => [subject, state])).toEqual([
      ['laboratory labcorp', 'ok'],
      ['laboratory quest', 'ok'],
      ['laboratory quest', 'warning'],
      ['laboratory bioreference', 'problem'],
    ]);
    expect(found[0]?.detail).toMatch(
      new RegExp(`^team ${teamId}, sandbox, connection .*: localhost:${ports.plain} accepts connections$`),
    );
    expect(found[2]?.detail).toContain('its certificate ends in 10 days');
    expect(found[3]?.detail).toContain('ECONNREFUSED');
    for (const { state, advice } of found) expect(advice !== undefined).toBe(state !== 'ok');
    expect(Buffer.concat(received).length).toBe(0);
  });

  it('includes brokers, to which nothing is published, without their passwords', async () => {
    const team = await service.team();
    const path = `/v1/org/${team.orgId}/team_etl_pipelines/sandbox/us`;
    const answer = await team.management.post(path, {
      team_ids: [team.tenant.teamId],
      preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq', 'nats'] },
      rabbitmq: { uri: `amqp://ada:secret-word@localhost:${ports.closed}/vh`, exchange: 'events' },
      nats: { servers: ['nats://ada:secret-word@localhost:1'], subject_prefix: 'own' },
    });
    expect(answer.status, answer.text).toBe(200);
    const brokers = (await examine()).filter(({ subject }) => subject.startsWith('broker'));
    expect(brokers.map(({ subject, state }) => [subject, state])).toEqual([
      ['broker nats', 'ok'],
      ['broker rabbitmq', 'problem'],
    ]);
    expect(brokers[1]?.detail).toContain(team.tenant.teamId);
    expect(JSON.stringify(brokers)).not.toContain('secret-word');
    expect(nats.stored).toEqual([]);
  });
});
