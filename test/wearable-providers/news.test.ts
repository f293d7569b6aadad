import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { wearableProviders } from '../../src/adapters/wearable-provider/choose.ts';
import type { NewsAnswer, NewsRequest } from '../../src/adapters/wearable-provider/port.ts';
import { addressWithToken, newsToken } from '../../src/adapters/wearable-provider/signatures.ts';
import { APP } from './connect.ts';

const providers = wearableProviders();
const read = (slug: string, request: NewsRequest): NewsAnswer | undefined =>
  providers.get(slug)?.readNews(APP, request);

const posted = (body: string, headers: NewsRequest['headers'] = {}, query: NewsRequest['query'] = {}) => ({
  method: 'POST',
  query,
  headers,
  body: Buffer.from(body),
});
const asked = (query: NewsRequest['query'], method = 'GET'): NewsRequest => ({
  method,
  query,
  headers: {},
  body: Buffer.alloc(0),
});

const mac = (algorithm: string, key: string, text: string) => createHmac(algorithm, key).update(text);
const KEY = APP.clientSecret;
const HOOK_KEY = 'secret-of-a-webhook';
const tokenOf = (slug: string) => ({ token: newsToken(APP, slug) });

const FITBIT = JSON.stringify([
  { collectionType: 'sleep', date: '2026-03-05', ownerId: 'GGNJL9', ownerType: 'user', subscriptionId: 's' },
  { collectionType: 'userRevokedAccess', ownerId: 'OTHER', ownerType: 'user', subscriptionId: 's' },
]);
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

const known = (externalUserId: string, resource: string, span: unknown = null) => ({
  kind: 'news',
  news: [{ externalUserId, resources: expect.arrayContaining([resource]), span, deregistered: false }],
});
const gone = (externalUserId: string) => ({
  kind: 'news',
  news: [{ externalUserId, resources: [], span: null, deregistered: true }],
});
const challenged = (status: number, body: string) => ({ kind: 'challenge', status, body });

const whoopSigned = (key: string) => ({
  'x-whoop-signature': mac('sha256', key, `1748241241000${WHOOP}`).digest('base64'),
  'x-whoop-signature-timestamp': '1748241241000',
});
const ouraSigned = (key: string) => ({
  'x-oura-signature': mac('sha256', key, `1772700000${OURA}`).digest('hex').toUpperCase(),
  'x-oura-timestamp': '1772700000',
});
const polarSigned = (key: string) => ({
  'polar-webhook-signature': mac('sha256', key, POLAR).digest('hex'),
});
const fitbitSigned = (key: string) => ({
  'x-fitbit-signature': mac('sha1', key, FITBIT).digest('base64'),
});

const RIGHT: [string, string, NewsRequest, unknown][] = [
  ['fitbit', 'its subscriber’s code', asked({ verify: 'a-code-of-a-subscriber' }), challenged(204, '')],
  ['fitbit', 'a wrong code, to be denied', asked({ verify: 'wrong' }), challenged(404, '')],
  [
    'fitbit',
    'news of two users',
    posted(FITBIT, fitbitSigned(`${KEY}&`)),
    {
      kind: 'news',
      news: [
        {
          externalUserId: 'GGNJL9',
          resources: expect.arrayContaining(['sleep']),
          span: { from: new Date('2026-03-04T12:00:00Z'), to: new Date('2026-03-06T12:00:00Z') },
          deregistered: false,
        },
        ...gone('OTHER').news,
      ],
    },
  ],
  [
    'oura',
    'a challenge',
    asked({ verification_token: newsToken(APP, 'oura'), challenge: 'c' }),
    challenged(200, '{"challenge":"c"}'),
  ],
  ['oura', 'news', posted(OURA, ouraSigned(KEY)), known('a1b2c3', 'workouts')],
  ['whoop_v2', 'news', posted(WHOOP, whoopSigned(KEY)), known('10129', 'hrv')],
  ['polar', 'a ping, before there is a secret', posted('{"event":"PING"}'), challenged(200, '')],
  [
    'polar',
    'news',
    posted(POLAR, polarSigned(HOOK_KEY)),
    known('475', 'sleep', { from: new Date('2026-03-04T00:00:00Z'), to: new Date('2026-03-07T00:00:00Z') }),
  ],
  [
    'strava',
    'a challenge',
    asked({
      'hub.mode': 'subscribe',
      'hub.challenge': '15f7d1a91c1f40f8a748fd134752feb3',
      'hub.verify_token': newsToken(APP, 'strava'),
    }),
    challenged(200, '{"hub.challenge":"15f7d1a91c1f40f8a748fd134752feb3"}'),
  ],
  ['strava', 'news', posted(STRAVA, {}, tokenOf('strava')), known('134815', 'workout_stream')],
  ['strava', 'a farewell', posted(DEAUTHORIZED, {}, tokenOf('strava')), gone('134815')],
  ['withings', 'a question whether we are there', asked({}, 'HEAD'), challenged(200, '')],
  [
    'withings',
    'news',
    posted(WITHINGS, {}, tokenOf('withings')),
    known('363', 'blood_pressure', {
      from: new Date(1_772_700_000_000),
      to: new Date(1_772_703_601_000),
    }),
  ],
  [
    'withings',
    'a farewell',
    posted('userid=363&appli=46&action=unlink', {}, tokenOf('withings')),
    gone('363'),
  ],
];

const WRONG: [string, string, NewsRequest][] = [
  ['fitbit', 'no signature', posted(FITBIT)],
  ['fitbit', 'the key without its ampersand', posted(FITBIT, fitbitSigned(KEY))],
  ['fitbit', 'another body', posted(`${FITBIT} `, fitbitSigned(`${KEY}&`))],
  ['fitbit', 'no JSON', posted('', { 'x-fitbit-signature': mac('sha1', `${KEY}&`, '').digest('base64') })],
  ['oura', 'another key', posted(OURA, ouraSigned('other'))],
  ['oura', 'another time', posted(OURA, { ...ouraSigned(KEY), 'x-oura-timestamp': '1' })],
  ['oura', 'another token', asked({ verification_token: 'x', challenge: 'c' })],
  ['whoop_v2', 'another key', posted(WHOOP, whoopSigned('other'))],
  ['whoop_v2', 'no time', posted(WHOOP, { 'x-whoop-signature': whoopSigned(KEY)['x-whoop-signature'] })],
  ['polar', 'the secret of the application', posted(POLAR, polarSigned(KEY))],
  ['polar', 'no signature', posted(POLAR)],
  ['strava', 'no token', posted(DEAUTHORIZED)],
  ['strava', 'the token of another provider', posted(STRAVA, {}, tokenOf('withings'))],
  [
    'strava',
    'a wrong verify token',
    asked({ 'hub.mode': 'subscribe', 'hub.challenge': 'c', 'hub.verify_token': 'x' }),
  ],
  ['strava', 'nothing readable', posted('[]', {}, tokenOf('strava'))],
  ['withings', 'no token', posted(WITHINGS)],
  ['withings', 'nothing readable', posted('userid=', {}, tokenOf('withings'))],
  ['dexcom_v3', 'anything', posted('{}')],
];

describe('news', () => {
  it.each(RIGHT)('%s: %s', (slug, _what, request, answer) => {
    expect(read(slug, request)).toEqual(answer);
  });

  it.each(WRONG)('%s is not believed: %s', (slug, _what, request) => {
    expect(read(slug, request)).toMatchObject({ kind: 'refused' });
  });

  it('has a token in the address of who does not sign', () => {
    const address = addressWithToken(
      'https://aliquot.example.com/v2/provider_webhook/strava/t/production',
      APP,
      'strava',
    );
    expect(address.length).toBeLessThan(255);
    expect(
      read('strava', posted(STRAVA, {}, Object.fromEntries(new URL(address).searchParams))),
    ).toMatchObject({
      kind: 'news',
    });
  });
});
