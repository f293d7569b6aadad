import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../../test/service.ts';
import { createLinkToken } from '../../../test/wearable-links.ts';

let service: TestService;
beforeAll(async () => {
  const application = { client_id: 'client', client_secret: 'secret' };
  service = await openTestService({
    WEARABLE_PROVIDERS: JSON.stringify({
      dexcom_v3: { ...application, region: 'jp' },
      strava: application,
    }),
  });
});
afterAll(() => service.close());

const post = (fields: Record<string, string>) =>
  service.http.server.inject({
    method: 'POST',
    url: '/link/start',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
const findHost = (html: string) => /<a class="button" href="https:\/\/([^/"]+)/.exec(html)?.[1];

it('asks for the region of an account where each has its own host, and leads there', async () => {
  const team = await service.team();
  const token = await createLinkToken(team, await team.user());
  const fields = { token, provider: 'dexcom_v3', consent: 'yes' };
  for (const asked of [fields, { ...fields, region: 'mars' }]) {
    const { body, statusCode } = await post(asked);
    expect(statusCode).toBe(200);
    expect(
      [...body.matchAll(/name="region" value="(\w+)" required( checked)?/g)].map((found) => found.slice(1)),
    ).toEqual([
      ['us', undefined],
      ['jp', ' checked'],
      ['eu', undefined],
    ]);
    expect(findHost(body)).toBeUndefined();
  }
  for (const [region, host] of Object.entries({
    us: 'api.dexcom.com',
    eu: 'api.dexcom.eu',
    jp: 'api.dexcom.jp',
  }))
    expect([region, findHost((await post({ ...fields, region })).body)]).toEqual([region, host]);
});

it('asks nothing where there is one host', async () => {
  const team = await service.team();
  const token = await createLinkToken(team, await team.user());
  const { body } = await post({ token, provider: 'strava', consent: 'yes', region: 'jp' });
  expect(findHost(body)).toBe('www.strava.com');
});
