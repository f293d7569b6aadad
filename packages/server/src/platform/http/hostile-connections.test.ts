import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';

const MEGABYTE = 1024 * 1024;

let service: TestService;
let team: TestTeam;
let port: number;
const sockets: Socket[] = [];

async function open(settings: Record<string, string>): Promise<void> {
  service = await openTestService(settings);
  team = await service.team();
  await service.http.server.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = service.http.server.server.address() as AddressInfo);
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

interface Dialogue {
  readonly socket: Socket;
  /** What the service has sent so far. */
  text(): string;
  /** The status of the first response; undefined if the connection ends without one. */
  readonly status: Promise<number | undefined>;
  readonly closed: Promise<unknown>;
}

async function dial(): Promise<Dialogue> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  const status = Promise.race([once(socket, 'data'), closed]).then(() => {
    const [, code] = /^HTTP\/1\.1 (\d+) /.exec(text) ?? [];
    return code === undefined ? undefined : Number(code);
  });
  await once(socket, 'connect');
  return { socket, text: () => text, status, closed };
}

const head = (lines: readonly string[], path = '/v2/user') =>
  [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...lines].join('\r\n') + '\r\n\r\n';

async function say(bytes: string): Promise<Dialogue> {
  const dialogue = await dial();
  dialogue.socket.write(bytes);
  return dialogue;
}

const keyed = () => `x-service-api-key: ${team.key}`;

describe('a body', () => {
  it('without a key is not read: the response comes at once, and the connection ends', async () => {
    await open({});
    const paths = ['/v2/user', '/v2/timeseries/import', '/v1/org', '/lab_report/v1/parser/job'];
    const known = new Set(service.http.routes.map(({ path }) => path));
    for (const path of paths.filter((one) => known.has(one))) {
      const dialogue = await say(`${head(['content-length: 1000000'], path)}{"client_user_id": "`);
      expect([path, await dialogue.status]).toEqual([path, 401]);
      await dialogue.closed;
    }
  });

  it('that stalls is a 408, and the connection ends', async () => {
    await open({ HTTP_BODY_SECONDS: '1' });
    const dialogue = await say(`${head([keyed(), 'content-length: 1000'])}{"client_user_id": "`);
    expect(await dialogue.status).toBe(408);
    expect(dialogue.text()).toContain('The body did not arrive within 1 seconds');
    await dialogue.closed;
  });

  it('of an upload that stalls ends its connection', async () => {
    await open({ HTTP_BODY_SECONDS: '1' });
    const path = `/v2/user/${await team.user()}/wearable_file`;
    const dialogue = await say(`${head([keyed(), 'content-length: 1000'], path)}abc`);
    await dialogue.closed;
    expect((await team.get('/healthz')).status).toBe(200);
  });

  it('gets 503 while bodies of others take all memory, and is received after them', async () => {
    await open({ HTTP_BODY_MEMORY_MB: '16' });
    const most = MEGABYTE - 1000;
    // 16 of them have room; which ones depends on the order in which their bytes arrive.
    const many = await Promise.all(
      Array.from({ length: 20 }, () =>
        say(`${head([keyed(), `content-length: ${most + 1}`])}${' '.repeat(most)}`),
      ),
    );
    const refused = () => many.filter((one) => one.text().startsWith('HTTP/1.1 503'));
    await expect.poll(() => refused().length, { timeout: 20_000 }).toBe(4);
    for (const one of refused()) expect(one.text().toLowerCase()).toContain('retry-after: 1');
    for (const { socket } of many) socket.destroy();
    const body = `{"client_user_id": "patient"}${' '.repeat(20_000)}`;
    const create = async () =>
      (await say(`${head([keyed(), `content-length: ${body.length}`])}${body}`)).status;
    await expect.poll(create, { timeout: 10_000 }).toBe(200);
  });

  it('without a key can take a quarter of the memory only', async () => {
    await open({ HTTP_BODY_MEMORY_MB: '16' });
    const most = MEGABYTE - 1000;
    const many = await Promise.all(
      Array.from({ length: 6 }, () =>
        say(`${head([`content-length: ${most + 1}`], '/v1/invite/accept')}${' '.repeat(most)}`),
      ),
    );
    const refused = () => many.filter((one) => one.text().startsWith('HTTP/1.1 503')).length;
    await expect.poll(refused, { timeout: 10_000 }).toBe(2);
    expect((await team.post('/v2/user', { client_user_id: 'ada' })).status).toBe(200);
  });
});

describe('an address', () => {
  it('has a limited number of connections, which are free again when they close', async () => {
    await open({ HTTP_CONNECTIONS_PER_ADDRESS: '10', TRUSTED_PROXIES: '192.0.2.0/24' });
    const some = await Promise.all(Array.from({ length: 10 }, dial));
    const further = await dial();
    await further.closed;
    some[0]?.socket.destroy();
    const healthy = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
    await expect.poll(async () => (await say(healthy)).status, { timeout: 10_000 }).toBe(200);
  });

  it('is the one that a proxy names, if the proxy is trusted', async () => {
    // prettier-ignore
    const names: [string, string, string][] = [
      ['x-forwarded-for', '203.0.113.1',                              '203.0.113.2'],
      ['x-forwarded-for', '203.0.113.3:4711',                         '203.0.113.4:4711'],
      ['forwarded',       'for=203.0.113.5;proto=https',              'for=203.0.113.6'],
      ['forwarded',       'proto=https; for="[2001:db8:0:1::7]:4711"', 'for="[2001:db8:0:2::8]"'],
    ];
    const guess = async (name: string, from: string) => {
      const headers = { 'x-service-api-key': 'sk_us_no-such-key', [name]: from };
      return (await service.http.server.inject({ url: '/v2/user', headers })).statusCode;
    };
    await open({ TRUSTED_PROXIES: '127.0.0.0/8, ::1' });
    for (const [name, one, other] of names) {
      for (let n = 0; n < 20; n += 1) expect(await guess(name, one)).toBe(401);
      expect([name, await guess(name, one), await guess(name, other)]).toEqual([name, 429, 401]);
    }
    await service.close();
    await open({ TRUSTED_PROXIES: '192.0.2.1' });
    for (let n = 0; n < 20; n += 1) await guess('x-forwarded-for', `203.0.113.${n}`);
    for (const [name, one] of names) expect(await guess(name, one)).toBe(429);
  });
});
