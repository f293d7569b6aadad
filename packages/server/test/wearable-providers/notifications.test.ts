import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createWearableProviders } from '../../src/adapters/wearable-provider/choose.ts';
import type {
  NotificationResult,
  ProviderWebhookRequest,
} from '../../src/adapters/wearable-provider/port.ts';
import {
  addNotificationToken,
  createNotificationToken,
} from '../../src/adapters/wearable-provider/webhook-authentication.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { APP } from './connect.ts';

const NOW_SECONDS = 1_772_700_000;
const providers = createWearableProviders({ clock: manualClock(new Date(NOW_SECONDS * 1000)) });
const parse = async (
  slug: string,
  request: ProviderWebhookRequest,
): Promise<NotificationResult | undefined> => providers.get(slug)?.parseNotification(APP, request);

const postRequest = (
  body: string,
  headers: ProviderWebhookRequest['headers'] = {},
  query: ProviderWebhookRequest['query'] = {},
) => ({
  method: 'POST',
  query,
  headers,
  body: Buffer.from(body),
});
const getRequest = (query: ProviderWebhookRequest['query'], method = 'GET'): ProviderWebhookRequest => ({
  method,
  query,
  headers: {},
  body: Buffer.alloc(0),
});

const startMac = (algorithm: string, key: string, text: string) => createHmac(algorithm, key).update(text);
const KEY = APP.clientSecret;
const HOOK_KEY = 'secret-of-a-webhook';
const tokenOf = (slug: string) => ({ token: createNotificationToken(APP, slug) });

const OURA = JSON.stringify({
  event_type: 'update',
  data_type: 'workout',
  object_id: 'o',
  event_time: '2026-03-05T08:00:00+00:00',
  user_id: 'a1b2c3',
});
const WHOOP = JSON.stringify({ user_id: 10_129, id: 'ecfc6a15', type: 'recovery.updated', trace_id: 't' });
const POLAR = JSON.stringify({ event: 'SLEEP', user_id: 475, date: '2026-03-05', timestamp: 'now' });
const STRAVA = JSON.stringify({
  object_type: 'activity',
  object_id: 1_360_128_428,
  aspect_type: 'create',
  updates: {},
  owner_id: 134_815,
  subscription_id: 120_475,
  event_time: 1_516_126_040,
});
const DEAUTHORIZED = JSON.stringify({
  ...JSON.parse(STRAVA),
  object_type: 'athlete',
  aspect_type: 'update',
  updates: { authorized: 'false' },
});
const WITHINGS = 'userid=363&appli=4&startdate=1772700000&enddate=1772703600';

const expectedNotification = (externalUserId: string, resource: string, span: unknown = null) => ({
  kind: 'news',
  news: [{ externalUserId, resources: expect.arrayContaining([resource]), span, deregistered: false }],
});
const expectedDeregistration = (externalUserId: string) => ({
  kind: 'news',
  news: [{ externalUserId, resources: [], span: null, deregistered: true }],
});
const expectedChallenge = (status: number, body: string) => ({ kind: 'challenge', status, body });

const whoopSigned = (key: string) => ({
  'x-whoop-signature': startMac('sha256', key, `1748241241000${WHOOP}`).digest('base64'),
  'x-whoop-signature-timestamp': '1748241241000',
});
const whoopRequest = (more: object): ProviderWebhookRequest => {
  const body = JSON.stringify({ ...JSON.parse(WHOOP), ...more });
  const signature = startMac('sha256', KEY, `1748241241000${body}`).digest('base64');
  return postRequest(body, {
    'x-whoop-signature': signature,
    'x-whoop-signature-timestamp': '1748241241000',
  });
};
const ouraSigned = (key: string) => ({
  'x-oura-signature': startMac('sha256', key, `1772700000${OURA}`).digest('hex').toUpperCase(),
  'x-oura-timestamp': '1772700000',
});
const stravaSigned = (key: string, time = NOW_SECONDS) => ({
  'x-strava-signature': `t=${time},v1=${startMac('sha256', key, `${time}.${STRAVA}`).digest('hex')}`,
});
const polarSigned = (key: string) => ({
  'polar-webhook-signature': startMac('sha256', key, POLAR).digest('hex'),
});

const VALID_REQUESTS: [string, string, ProviderWebhookRequest, unknown][] = [
  [
    'oura',
    'a challenge',
    getRequest({ verification_token: createNotificationToken(APP, 'oura'), challenge: 'c' }),
    expectedChallenge(200, '{"challenge":"c"}'),
  ],
  ['oura', 'a notification', postRequest(OURA, ouraSigned(KEY)), expectedNotification('a1b2c3', 'workouts')],
  [
    'strava',
    'a deletion',
    postRequest(JSON.stringify({ ...JSON.parse(STRAVA), aspect_type: 'delete' }), {}, tokenOf('strava')),
    {
      kind: 'news',
      news: [
        expect.objectContaining({ deleted: [{ resource: 'workouts', key: '1360128428' }], resources: [] }),
      ],
    },
  ],
  [
    'whoop_v2',
    'a deletion',
    whoopRequest({ type: 'sleep.deleted' }),
    {
      kind: 'news',
      news: [
        expect.objectContaining({
          deleted: [
            expect.objectContaining({ resource: 'sleep', key: 'ecfc6a15', series: ['respiratory_rate'] }),
            { resource: 'sleep_cycle', key: 'ecfc6a15' },
          ],
          resources: ['activity'],
        }),
      ],
    },
  ],
  [
    'whoop_v2',
    'a deleted recovery, which is a part of its sleep',
    whoopRequest({ type: 'recovery.deleted' }),
    {
      kind: 'news',
      news: [
        expect.objectContaining({
          resources: ['sleep', 'activity'],
          deleted: [expect.objectContaining({ resource: 'sleep', key: 'ecfc6a15', keepsRecord: true })],
        }),
      ],
    },
  ],
  ['whoop_v2', 'a notification', postRequest(WHOOP, whoopSigned(KEY)), expectedNotification('10129', 'hrv')],
  ['polar', 'a ping, before there is a secret', postRequest('{"event":"PING"}'), expectedChallenge(200, '')],
  [
    'polar',
    'a notification',
    postRequest(POLAR, polarSigned(HOOK_KEY)),
    expectedNotification('475', 'sleep', {
      from: new Date('2026-03-04T00:00:00Z'),
      to: new Date('2026-03-07T00:00:00Z'),
    }),
  ],
  [
    'strava',
    'a challenge',
    getRequest({
      'hub.mode': 'subscribe',
      'hub.challenge': '15f7d1a91c1f40f8a748fd134752feb3',
      'hub.verify_token': createNotificationToken(APP, 'strava'),
    }),
    expectedChallenge(200, '{"hub.challenge":"15f7d1a91c1f40f8a748fd134752feb3"}'),
  ],
  [
    'strava',
    'a notification',
    postRequest(STRAVA, {}, tokenOf('strava')),
    expectedNotification('134815', 'workout_stream'),
  ],
  [
    'strava',
    'a signed notification',
    postRequest(STRAVA, stravaSigned(KEY), tokenOf('strava')),
    expectedNotification('134815', 'workouts'),
  ],
  [
    'strava',
    'a notification signed with the secret of the webhook, some minutes ago',
    postRequest(STRAVA, stravaSigned(HOOK_KEY, NOW_SECONDS - 290), tokenOf('strava')),
    expectedNotification('134815', 'workouts'),
  ],
  [
    'strava',
    'a deauthorization',
    postRequest(DEAUTHORIZED, {}, tokenOf('strava')),
    expectedDeregistration('134815'),
  ],
  ['withings', 'a HEAD request', getRequest({}, 'HEAD'), expectedChallenge(200, '')],
  [
    'withings',
    'a notification',
    postRequest(WITHINGS, {}, tokenOf('withings')),
    expectedNotification('363', 'blood_pressure', {
      from: new Date(1_772_700_000_000),
      to: new Date(1_772_703_601_000),
    }),
  ],
  [
    'withings',
    'an unlink',
    postRequest('userid=363&appli=46&action=unlink', {}, tokenOf('withings')),
    expectedDeregistration('363'),
  ],
];

const INVALID_REQUESTS: [string, string, ProviderWebhookRequest][] = [
  ['oura', 'another key', postRequest(OURA, ouraSigned('other'))],
  ['oura', 'another time', postRequest(OURA, { ...ouraSigned(KEY), 'x-oura-timestamp': '1' })],
  ['oura', 'another token', getRequest({ verification_token: 'x', challenge: 'c' })],
  ['whoop_v2', 'another key', postRequest(WHOOP, whoopSigned('other'))],
  ['whoop_v2', 'no time', postRequest(WHOOP, { 'x-whoop-signature': whoopSigned(KEY)['x-whoop-signature'] })],
  ['polar', 'the secret of the application', postRequest(POLAR, polarSigned(KEY))],
  ['polar', 'no signature', postRequest(POLAR)],
  ['strava', 'no token', postRequest(DEAUTHORIZED)],
  ['strava', 'a signature without a token', postRequest(STRAVA, stravaSigned(KEY))],
  ['strava', 'another key', postRequest(STRAVA, stravaSigned('other'), tokenOf('strava'))],
  ['strava', 'another body', postRequest(DEAUTHORIZED, stravaSigned(KEY), tokenOf('strava'))],
  [
    'strava',
    'an old signature',
    postRequest(STRAVA, stravaSigned(KEY, NOW_SECONDS - 301), tokenOf('strava')),
  ],
  [
    'strava',
    'an early signature',
    postRequest(STRAVA, stravaSigned(KEY, NOW_SECONDS + 301), tokenOf('strava')),
  ],
  [
    'strava',
    'no signature in its header',
    postRequest(STRAVA, { 'x-strava-signature': '' }, tokenOf('strava')),
  ],
  [
    'strava',
    'a signature without a time',
    postRequest(STRAVA, { 'x-strava-signature': `v1=${'0'.repeat(64)}` }, tokenOf('strava')),
  ],
  ['strava', 'the token of another provider', postRequest(STRAVA, {}, tokenOf('withings'))],
  [
    'strava',
    'a wrong verify token',
    getRequest({ 'hub.mode': 'subscribe', 'hub.challenge': 'c', 'hub.verify_token': 'x' }),
  ],
  ['strava', 'nothing readable', postRequest('[]', {}, tokenOf('strava'))],
  ['withings', 'no token', postRequest(WITHINGS)],
  ['withings', 'nothing readable', postRequest('userid=', {}, tokenOf('withings'))],
  ['dexcom_v3', 'anything', postRequest('{}')],
];

describe('a notification', () => {
  it.each(VALID_REQUESTS)('of %s: %s', async (slug, _what, request, answer) => {
    expect(await parse(slug, request)).toEqual(answer);
  });

  it.each(INVALID_REQUESTS)('of %s is rejected: %s', async (slug, _what, request) => {
    expect(await parse(slug, request)).toMatchObject({ kind: 'refused' });
  });

  it('has a token in its URL if the provider does not sign', async () => {
    const address = addNotificationToken(
      'https://aliquot.example.com/v2/provider_webhook/strava/t/production',
      APP,
      'strava',
    );
    expect(address.length).toBeLessThan(255);
    expect(
      await parse('strava', postRequest(STRAVA, {}, Object.fromEntries(new URL(address).searchParams))),
    ).toMatchObject({
      kind: 'news',
    });
  });
});
