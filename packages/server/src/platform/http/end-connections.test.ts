import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../test/certificates.ts';
import { openTestService, type TestService } from '../../../test/service.ts';

const authority = createCertificateAuthority('Tests');
const localhost = authority.issue('localhost');
let folder: string;
let tls: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-stop-'));
  tls = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };
  await writeFile(join(folder, 'tls.crt'), localhost.cert);
  await writeFile(join(folder, 'tls.key'), localhost.key);
});
afterAll(() => rm(folder, { recursive: true }));

async function listen(settings: Record<string, string>): Promise<{ service: TestService; port: number }> {
  const service = await openTestService(settings);
  await service.http.server.listen({ host: '127.0.0.1', port: 0 });
  return { service, port: (service.http.server.server.address() as AddressInfo).port };
}

async function openSocket(port: number): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function openSecure(port: number): Promise<Socket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.cert, servername: 'localhost' });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** A server that stops waits for none of these: without its own limit, Node waits for the client. */
const CLIENTS: readonly [string, () => Record<string, string>, (port: number) => Promise<Socket>, string][] =
  [
    ['that sends nothing', () => ({}), openSocket, ''],
    ['that sends half a request', () => ({}), openSocket, 'GET /healthz HTTP/1.1\r\nhost'],
    ['that begins no TLS', () => tls, openSocket, ''],
    ['that sends nothing over TLS', () => tls, openSecure, ''],
  ];

describe('A stop', () => {
  it.each(CLIENTS)('does not wait for a client %s', async (_what, settings, open, bytes) => {
    const { service, port } = await listen(settings());
    const socket = await open(port);
    if (bytes !== '') socket.write(bytes);
    await service.close();
    if (!socket.closed) await once(socket.resume(), 'close');
    expect(socket.closed).toBe(true);
  });

  it('still answers the first request of a connection that was there before', async () => {
    const { service, port } = await listen({});
    const socket = await openSocket(port);
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    const stopping = service.http.server.close();
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await Promise.all([once(socket, 'close'), stopping]);
    expect(answer).toMatch(/^HTTP\/1\.1 (?:200|503) [^]*\r\nconnection: close\r\n/i);
    await service.close();
  });

  it('forgets a connection once it has sent a request', async () => {
    const { service, port } = await listen({});
    const agentLike = await openSocket(port);
    agentLike.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const [first] = await once(agentLike, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
    await service.close();
    if (!agentLike.closed) await once(agentLike.resume(), 'close');
    expect(agentLike.closed).toBe(true);
  });
});
