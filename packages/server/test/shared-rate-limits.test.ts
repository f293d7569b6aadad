import { afterAll, expect, it } from 'vitest';
import { buildHttp } from '../src/compose.ts';
import type { Http } from '../src/platform/http/http.ts';
import { useTestService } from './service-hooks.ts';

const service = useTestService({ RATE_LIMIT_STORE: 'postgres', RATE_LIMIT_TEAM: '10', RATE_LIMIT_KEY: '0' });
let second: Http | undefined;
afterAll(() => second?.server.close());

it('two HTTP servers on one database share the budget of a team, and tell what is left', async () => {
  second = buildHttp(service.app);
  await second.server.ready();
  const [team, other] = [await service.team(), await service.team()];
  const send = async ({ server }: Http, key: string) => {
    const url = `/v2/team/${team.tenant.teamId}`;
    return server.inject({ url, headers: { 'x-service-api-key': key } });
  };
  const statuses = [(await send(service.http, team.key)).statusCode];
  // From here on nothing flows in, however long the test takes.
  await service.ownerPool.query(`update rate_bucket set updated_at = now() + interval '1 hour'`);
  for (let n = 0; n < 8; n += 1)
    for (const http of [service.http, second]) statuses.push((await send(http, team.key)).statusCode);
  // Each process may hold back a part of a chunk.
  expect([9, 10]).toContain(statuses.filter((status) => status === 200).length);
  expect(statuses.at(-1)).toBe(429);
  const untouched = await send(second, other.key);
  expect([untouched.statusCode, untouched.headers['ratelimit-policy']]).toEqual([404, '"team";q=10;w=60']);
});
