import { z } from 'zod';
import { DAY } from '../../../platform/clock.ts';
import { requireAccess } from '../api.ts';
import type { Definition, Means } from '../definition.ts';
import {
  AccessRefused,
  GrantLost,
  type Grant,
  type NewsAnswer,
  type NewsRequest,
  type ProviderApplication,
} from '../port.ts';
import { answered, jsonOf, newsToken, refused, sameText, signatureOf } from '../signatures.ts';
import { listOf } from '../wire.ts';
import * as pull from './pull.ts';
import { OuraNews, OuraPerson, OuraSubscription } from './wire.ts';

const SLUG = 'oura';
const API = 'https://api.ouraring.com';
const SUBSCRIPTIONS = '/v2/webhook/subscription';
/** A subscription ends by itself; one that ends sooner than this is renewed when the next user connects. */
const RENEW_BEFORE_MS = 30 * DAY;

/** Kinds of news, and what they are about. */
// prettier-ignore
const NEWS: Readonly<Record<string, readonly string[]>> = {
  sleep:          ['sleep', 'hrv', 'heartrate', 'body_temperature_delta'],
  daily_activity: ['activity', 'heartrate'],
  workout:        ['workouts', 'heartrate'],
};

// prettier-ignore
export const oura: Definition = {
  slug: SLUG,
  name: 'Oura',
  api: API,
  oauth: {
    authorize: 'https://cloud.ouraring.com/oauth/authorize',
    token: `${API}/oauth/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ' ',
    // News is of a user, whom only the profile names.
    always: ['personal'],
  },
  resources: {
    profile:                { scopes: ['personal'],  pull: pull.profile },
    activity:               { scopes: ['daily'],     windowDays: 30, pull: pull.activity },
    sleep:                  { scopes: ['daily'],     windowDays: 30, pull: pull.sleep },
    workouts:               { scopes: ['workout'],   windowDays: 30, pull: pull.workouts },
    heartrate:              { scopes: ['heartrate'], windowDays: 7,  pull: pull.heartrate },
    hrv:                    { scopes: ['daily'],     windowDays: 30, pull: pull.hrv },
    body_temperature_delta: { scopes: ['daily'],     windowDays: 30, pull: pull.temperatureDelta },
  },
  news: { kind: 'webhook', dated: false },
  historicalDays: 180,
  afterGrant,
  revoke,
  subscribe,
  readNews,
};

async function afterGrant({ api }: Means): Promise<{ externalUserId?: string }> {
  const person = await api.find(OuraPerson, '/v2/usercollection/personal_info', { absent: [401, 403] });
  return person ? { externalUserId: person.id } : {};
}

/** By an access token; what it says to one that has ended is not written anywhere. */
async function revoke({ api, now }: Means, { accessToken, expiresAt }: Grant): Promise<void> {
  if (expiresAt !== null && expiresAt <= now) {
    throw new AccessRefused('token_refresh_failed', 'The access token has ended');
  }
  const asked = { method: 'POST', query: { access_token: accessToken } } as const;
  requireAccess('Oura', await api.send('/oauth/revoke', asked));
}

/** The subscriptions are the application's: one for each kind of news and of change, whoever connects. */
async function subscribe({ api, app, now }: Means, { address }: { address: string }): Promise<void> {
  const headers = { 'x-client-id': app.clientId, 'x-client-secret': app.clientSecret };
  const there = await api.read(listOf(OuraSubscription), SUBSCRIPTIONS, { headers });
  for (const data_type of Object.keys(NEWS)) {
    for (const event_type of ['create', 'update']) {
      const known = there.find(
        (one) => one.callback_url === address && one.data_type === data_type && one.event_type === event_type,
      );
      if (known && Date.parse(known.expiration_time) > now.getTime() + RENEW_BEFORE_MS) continue;
      const status = known
        ? await api.send(`${SUBSCRIPTIONS}/renew/${encodeURIComponent(known.id)}`, { method: 'PUT', headers })
        : await api.send(SUBSCRIPTIONS, {
            headers,
            json: { callback_url: address, verification_token: newsToken(app, SLUG), event_type, data_type },
          });
      if (status >= 300) {
        throw new GrantLost('webhook_registration_failed', `Oura answered ${status} to the subscription`);
      }
    }
  }
}

const Challenge = z.object({ verification_token: z.string(), challenge: z.string() });

function readNews(app: ProviderApplication, { method, query, headers, body }: NewsRequest): NewsAnswer {
  if (method === 'GET') {
    const asked = Challenge.safeParse(query);
    if (!asked.success) return refused('It is no challenge');
    const { verification_token, challenge } = asked.data;
    if (!sameText(verification_token, newsToken(app, SLUG)))
      return refused('The verification token is wrong');
    return answered(200, JSON.stringify({ challenge }));
  }
  const parts = [headers['x-oura-timestamp'] ?? '', body];
  const signed = { algorithm: 'sha256', key: app.clientSecret, parts, encoding: 'hex' } as const;
  if (!sameText(headers['x-oura-signature']?.toLowerCase(), signatureOf(signed))) {
    return refused('The signature is missing or wrong');
  }
  const news = OuraNews.safeParse(jsonOf(body));
  if (!news.success) return refused('It cannot be read');
  const resources = NEWS[news.data.data_type] ?? [];
  if (resources.length === 0 || news.data.event_type === 'delete') return { kind: 'news', news: [] };
  const one = { externalUserId: news.data.user_id, resources, span: null, deregistered: false };
  return { kind: 'news', news: [one] };
}
