import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWearableProviders } from '../../src/adapters/wearable-provider/choose.ts';
import {
  ProviderUnavailableError,
  type WearableProvider,
} from '../../src/adapters/wearable-provider/port.ts';
import { createNotificationToken } from '../../src/adapters/wearable-provider/webhook-authentication.ts';
import { MINUTE, manualClock } from '../../src/platform/clock.ts';
import { APP } from './connect.ts';
import { KEYSET_PATH, signNotification } from './fitbit-keys.ts';
import { fitbitProtocol, HEALTH_USER } from './fitbit.ts';
import { openStandIn, type StandIn } from './stand-in.ts';

const SECRET = 'Bearer a-code-of-a-subscriber';
const clock = manualClock(new Date('2026-03-15T12:00:00Z'));
let google: StandIn;
let fitbit: WearableProvider;
beforeAll(async () => {
  google = await openStandIn(fitbitProtocol);
});
beforeEach(() => {
  google.behavior = 'well';
  const found = createWearableProviders({ origins: { fitbit: google.url }, clock }).get('fitbit');
  if (!found) throw new Error('There is no Fitbit');
  fitbit = found;
});
afterAll(() => google.close());

const change = (more: object = {}) => ({
  data: {
    version: '1',
    healthUserId: HEALTH_USER,
    operation: 'UPSERT',
    dataType: 'steps',
    intervals: [
      { physicalTimeInterval: { startTime: '2026-03-08T01:29:00Z', endTime: '2026-03-08T01:34:00Z' } },
    ],
    ...more,
  },
});

const post = (body: string, headers: Record<string, string> = {}) =>
  fitbit.parseNotification(APP, { method: 'POST', query: {}, headers, body: Buffer.from(body) });
const signed = (body: string, header = 'x-healthapi-signature', keyId?: number) =>
  post(body, { authorization: SECRET, [header]: signNotification(body, keyId) });

it('verifies a subscriber with and without its secret', async () => {
  const body = '{"type":"verification"}';
  expect(await post(body, { authorization: SECRET })).toEqual({ kind: 'challenge', status: 201, body: '' });
  expect(await post(body)).toMatchObject({ kind: 'refused' });
  expect(await post(body, { authorization: 'Bearer other' })).toMatchObject({ kind: 'refused' });
});

it('accepts the token of a deployment without a team’s secret', async () => {
  const authorization = `Bearer ${createNotificationToken(APP, 'fitbit')}`;
  expect(await post('{"type":"verification"}', { authorization })).toMatchObject({ status: 201 });
});

it.each(['x-healthapi-signature', 'google-health-api-signature'])(
  'accepts a signature in %s',
  async (header) => {
    expect(await signed(JSON.stringify(change()), header)).toEqual({
      kind: 'news',
      status: 204,
      news: [
        {
          externalUserId: HEALTH_USER,
          resources: ['activity', 'steps'],
          span: { from: new Date('2026-03-08T01:29:00Z'), to: new Date('2026-03-08T01:34:00.001Z') },
          deregistered: false,
        },
      ],
    });
  },
);

it('reads lists, local times and open intervals, and ignores unknown data types', async () => {
  const list = [
    change({
      dataType: 'sleep',
      intervals: [{ civilIso8601TimeInterval: { startTime: '2026-03-07T17:29:00' } }],
    }),
    change({ dataType: 'weight', intervals: undefined }),
    change({ dataType: 'mood' }),
  ];
  expect(await signed(JSON.stringify(list))).toMatchObject({
    news: [
      {
        resources: ['sleep'],
        span: { from: new Date('2026-03-07T17:29:00Z'), to: new Date('2026-03-08T17:29:00.001Z') },
      },
      { resources: ['body', 'weight'], span: null },
    ],
  });
});

it('refuses a notification that Google did not sign', async () => {
  const body = JSON.stringify(change());
  const good = { authorization: SECRET, 'x-healthapi-signature': signNotification(body) };
  expect(await post(body, { authorization: SECRET })).toMatchObject({ kind: 'refused' });
  expect(await post(`${body} `, good)).toMatchObject({ kind: 'refused' });
  expect(await post(body, { ...good, authorization: 'Bearer other' })).toMatchObject({ kind: 'refused' });
  expect(await post(body, { ...good, 'x-healthapi-signature': 'AQ==' })).toMatchObject({ kind: 'refused' });
  expect(await signed('{"data":{}}')).toMatchObject({ kind: 'refused' });
});

it('reads the keys once, and again for an unknown key after a minute at the earliest', async () => {
  const body = JSON.stringify(change());
  const reads = () => google.calls.filter((call) => call.endsWith(KEYSET_PATH)).length;
  const before = reads();
  await signed(body);
  await signed(body);
  await signed(body, 'x-healthapi-signature', 7);
  expect(reads() - before).toBe(1);
  clock.move(2 * MINUTE);
  expect(await signed(body, 'x-healthapi-signature', 7)).toMatchObject({ kind: 'refused' });
  expect(reads() - before).toBe(2);
});

it('asks for another attempt while the keys cannot be read', async () => {
  google.behavior = 'down';
  await expect(signed(JSON.stringify(change()))).rejects.toThrow(ProviderUnavailableError);
  google.behavior = 'garbage';
  await expect(signed(JSON.stringify(change()))).rejects.toThrow(ProviderUnavailableError);
});
