import { expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

const service = useTestService({ DATABASE_POOL: '2', HTTP_TEAM_CONCURRENCY: '1' });
const busy = useTestTeam(service);
const other = useTestTeam(service);

const FLOOD = 64;

it.each(['GET', 'POST'])('a %s does not wait for all that another team has sent before', async (method) => {
  const ended: string[] = [];
  const send = async (name: string, { key }: { readonly key: string }) => {
    const answer = await service.http.server.inject({
      method: method === 'GET' ? 'GET' : 'POST',
      url: '/v2/user',
      headers: { 'x-service-api-key': key },
      ...(method === 'GET' ? {} : { payload: { client_user_id: `${method} ${name}` } }),
    });
    expect(answer.statusCode).toBe(200);
    ended.push(name);
  };
  await send('first', other);
  const flood = Array.from({ length: FLOOD }, (_, n) => send(`flood ${n}`, busy));
  await send('other', other);
  const before = ended.length;
  await Promise.all(flood);
  expect(ended.length).toBe(FLOOD + 2);
  expect(before).toBeLessThan(FLOOD / 2);
});
