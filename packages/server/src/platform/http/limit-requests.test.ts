import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';
import { MINUTE, SECOND } from '../clock.ts';
import type { Environment } from '../tenant.ts';

const service = useTestService({
  RATE_LIMIT_TEAM: '60',
  RATE_LIMIT_KEY: '40',
  RATE_LIMIT_ADDRESS: '30',
});
const other = useTestTeam(service);

/** Users are listed for 2 units, and their team is read for 1. */
const LIST = '/v2/user';

const send = async (url: string, headers: Record<string, string>, remoteAddress = '127.0.0.1') => {
  const answer = await service.http.server.inject({ url, headers, remoteAddress });
  return { status: answer.statusCode, headers: answer.headers, detail: JSON.parse(answer.body).detail };
};
const withKey = (key: string) => ({ 'x-service-api-key': key });

async function createKey(
  { management, orgId, tenant: { teamId } }: TestTeam,
  environment: Environment,
): Promise<string> {
  const path = `/v1/org/${orgId}/team_api_keys/${environment}/us`;
  const made = await management.post(path, { label: 'second', team_id: teamId });
  expect(made.status).toBe(200);
  return made.json.value;
}

/** Lists users `times` times, each answered with 200. */
async function spend(key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) expect((await send(LIST, withKey(key))).status).toBe(200);
}

describe('the rate limits of a team and its keys', () => {
  it('are told by the headers of every response', async () => {
    const { key, tenant } = await service.team();
    expect((await send(LIST, withKey(key))).headers).toMatchObject({
      'ratelimit-policy': '"team";q=60;w=60, "key";q=40;w=60',
      ratelimit: '"team";r=58;t=2, "key";r=38;t=3',
    });
    const read = await send(`/v2/team/${tenant.teamId}`, withKey(key));
    expect(read.headers['ratelimit']).toBe('"team";r=57;t=3, "key";r=37;t=5');
  });

  it('refuse with a 429 that names the limit and when to try again', async () => {
    const { key } = await service.team();
    await spend(key, 20);
    const refused = await send(LIST, withKey(key));
    expect(refused).toMatchObject({
      status: 429,
      detail: 'The rate limit of the key is reached: 40 units per minute. Try again in 3 seconds.',
      headers: {
        'retry-after': '3',
        'ratelimit-policy': '"key";q=40;w=60, "team";q=60;w=60',
        ratelimit: '"key";r=0;t=3, "team";r=20;t=40',
      },
    });
    service.clock.move(3 * SECOND);
    expect((await send(LIST, withKey(key))).status).toBe(200);
  });

  it('count all keys of a team together, and no other team', async () => {
    const team = await service.team();
    const second = await createKey(team, 'sandbox');
    await spend(team.key, 20);
    await spend(second, 10);
    const refused = await send(LIST, withKey(second));
    expect(refused.status).toBe(429);
    expect(refused.detail).toContain('The rate limit of the team is reached: 60 units per minute.');
    const untouched = await send(LIST, withKey(other.key));
    expect(untouched.headers['ratelimit']).toBe('"team";r=58;t=2, "key";r=38;t=3');
  });

  it('refuse before the body is read', async () => {
    const { key } = await service.team();
    await spend(key, 20);
    if (!service.http.server.server.listening)
      await service.http.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.http.server.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    // The body that is announced never comes.
    socket.write(
      `POST /v2/user HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${key}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000\r\n\r\n',
    );
    expect(await answer).toMatch(/^HTTP\/1.1 429 /);
    socket.destroy();
  });

  it('are counted per environment', async () => {
    const team = await service.team();
    await spend(team.key, 20);
    const live = await createKey(team, 'production');
    expect((await send(LIST, withKey(live))).headers['ratelimit']).toBe('"team";r=58;t=2, "key";r=38;t=3');
  });

  it('are changed for a team by the Management API, audited, and apply at once', async () => {
    const team = await service.team();
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
    const changed = await team.management.patch(path, {
      sandbox: { rate_limit_team: 600, rate_limit_key: 500 },
    });
    expect(changed.json.sandbox).toMatchObject({ rate_limit_team: 600, rate_limit_key: 500 });
    expect((await send(LIST, withKey(team.key))).headers['ratelimit-policy']).toBe(
      '"team";q=600;w=60, "key";q=500;w=60',
    );
    await team.management.patch(path, { sandbox: { rate_limit_team: 0, rate_limit_key: 0 } });
    expect((await send(LIST, withKey(team.key))).headers['ratelimit']).toBeUndefined();
    await team.management.patch(path, { sandbox: { rate_limit_team: null, rate_limit_key: null } });
    expect((await send(LIST, withKey(team.key))).headers['ratelimit-policy']).toBe(
      '"team";q=60;w=60, "key";q=40;w=60',
    );
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    expect(JSON.stringify(log.json)).toContain('"rate_limit_team":600');
  });
});

describe('the rate limit of a management key', () => {
  it('is that of a key', async () => {
    const { orgId, managementKey } = await service.team();
    const answer = await send(`/v1/org/${orgId}/team`, { 'x-management-key': managementKey });
    expect(answer.headers['ratelimit']).toBe('"key";r=38;t=3');
  });
});

describe('the rate limit of an address', () => {
  const refusal = 'The rate limit of the address is reached: 30 units per minute. Try again in 2 seconds.';
  let addresses = 0;
  const newAddress = () => `198.51.100.${(addresses += 1)}`;

  it.each(['/openapi.json', '/no/such/route', LIST])('counts %s without a key', async (url) => {
    const address = newAddress();
    for (let n = 0; n < 30; n += 1) expect((await send(url, {}, address)).status).not.toBe(429);
    const refused = await send(url, {}, address);
    expect(refused).toMatchObject({ status: 429, detail: refusal, headers: { 'retry-after': '2' } });
    expect((await send(url, {}, newAddress())).status).not.toBe(429);
    service.clock.move(MINUTE);
    expect((await send(url, {}, address)).status).not.toBe(429);
  });

  it('refuses no request with a valid key, and shows no level to others at the address', async () => {
    const address = newAddress();
    for (let n = 0; n < 30; n += 1) {
      expect((await send('/openapi.json', {}, address)).headers['ratelimit']).toBeUndefined();
    }
    expect((await send('/openapi.json', {}, address)).status).toBe(429);
    const { key } = await service.team();
    expect((await send(LIST, withKey(key), address)).status).toBe(200);
  });

  it('never refuses a probe', async () => {
    const address = newAddress();
    for (let n = 0; n < 31; n += 1) expect((await send('/healthz', {}, address)).status).toBe(200);
  });

  it('does not apply to loopback addresses, where a proxy may be', async () => {
    for (let n = 0; n < 31; n += 1) expect((await send('/openapi.json', {})).status).toBe(200);
  });
});
