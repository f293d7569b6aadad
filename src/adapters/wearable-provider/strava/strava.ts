import { z } from 'zod';
import { MINUTE } from '../../../platform/clock.ts';
import type { Definition, Means, TokenAnswer } from '../definition.ts';
import type { AnswerHeaders } from '../exchange.ts';
import {
  GrantLost,
  type Grant,
  type NewsAnswer,
  type NewsRequest,
  type ProviderApplication,
} from '../port.ts';
import { addressWithToken, answered, jsonOf, newsToken, refused, sameText } from '../signatures.ts';
import * as pull from './pull.ts';
import { StravaNews, StravaSubscription } from './wire.ts';

const SLUG = 'strava';
const HOST = 'https://www.strava.com';
const SUBSCRIPTIONS = '/api/v3/push_subscriptions';

// prettier-ignore
export const strava: Definition = {
  slug: SLUG,
  name: 'Strava',
  api: HOST,
  oauth: {
    authorize: `${HOST}/oauth/authorize`,
    token: `${HOST}/oauth/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ',',
    always: [],
    authorizeMore: { approval_prompt: 'auto' },
    tokenAnswer,
    userIn: ({ athlete }) => Athlete.safeParse(athlete).data?.id,
  },
  resources: {
    profile:        { scopes: ['profile:read_all'],  pull: pull.profile },
    workouts:       { scopes: ['activity:read_all'], windowDays: 30, pull: pull.workouts },
    workout_stream: { scopes: ['activity:read_all'], windowDays: 30, pull: pull.workoutStreams },
  },
  news: { kind: 'webhook', dated: false },
  historicalDays: 90,
  busySeconds,
  revoke,
  subscribe,
  readNews,
};

const Athlete = z.object({ id: z.number() });

/** Refusals name a resource: the application, or a code or token that is not known. */
function tokenAnswer({ status, body }: TokenAnswer): TokenAnswer {
  if (status < 400) return { status, body };
  const { errors = [] } = z
    .object({ errors: z.array(z.object({ resource: z.string() })).optional() })
    .catch({})
    .parse(body);
  const application = errors.some(({ resource }) => resource === 'Application');
  return { status: 400, body: { error: application ? 'invalid_client' : 'invalid_grant' } };
}

/**
 * The limits are those of the next quarter of an hour, and of the day in UTC: which one is reached, two pairs of
 * headers say.
 */
function busySeconds(headers: AnswerHeaders, now: Date): number {
  const pair = (name: string) => (headers[name] ?? '').split(',').map(Number);
  const spent = ['ratelimit', 'readratelimit'].some((family) => {
    const [, limit = 0] = pair(`x-${family}-limit`);
    const [, usage = 0] = pair(`x-${family}-usage`);
    return limit > 0 && usage >= limit;
  });
  const period = (spent ? 24 * 60 : 15) * MINUTE;
  return (period - (now.getTime() % period)) / 1000 + 1;
}

/** By RFC 7009 since June 2026; before that, and until June 2027, in a way of its own. */
async function revoke({ api, app }: Means, { accessToken, refreshToken }: Grant): Promise<void> {
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const status = await api.send('/oauth/revoke', {
    headers: { authorization: `Basic ${basic}` },
    form: { token: refreshToken ?? accessToken },
  });
  if (status === 404 || status === 405) await api.send('/oauth/deauthorize', { method: 'POST' });
}

/** An application has one subscription for all of its athletes. */
async function subscribe({ api, app }: Means, { address }: { address: string }): Promise<void> {
  const application = { client_id: app.clientId, client_secret: app.clientSecret };
  const wanted = addressWithToken(address, app, SLUG);
  const there = await api.read(z.array(StravaSubscription), SUBSCRIPTIONS, { query: application });
  if (there.some(({ callback_url: url }) => url === wanted)) return;
  if (there.length > 0) {
    throw new GrantLost('webhook_registration_failed', 'The application sends its news to another address');
  }
  const form = { ...application, callback_url: wanted, verify_token: newsToken(app, SLUG) };
  const status = await api.send(SUBSCRIPTIONS, { form });
  if (status >= 300) {
    throw new GrantLost('webhook_registration_failed', `Strava answered ${status} to the subscription`);
  }
}

/** Strava does not sign: it asks once for a token, and calls the address with the same token ever after. */
function readNews(app: ProviderApplication, { method, query, body }: NewsRequest): NewsAnswer {
  const token = newsToken(app, SLUG);
  if (method === 'GET') {
    const challenge = query['hub.challenge'];
    if (query['hub.mode'] !== 'subscribe' || challenge === undefined) return refused('It is no challenge');
    if (!sameText(query['hub.verify_token'], token)) return refused('The verify token is wrong');
    return answered(200, JSON.stringify({ 'hub.challenge': challenge }));
  }
  if (!sameText(query['token'], token)) return refused('The token of the address is missing or wrong');
  const news = StravaNews.safeParse(jsonOf(body));
  if (!news.success) return refused('It cannot be read');
  const { object_type, aspect_type, owner_id: externalUserId, updates } = news.data;
  if (object_type === 'athlete') {
    const deregistered = String(updates?.['authorized']) === 'false';
    return {
      kind: 'news',
      news: deregistered ? [{ externalUserId, resources: [], span: null, deregistered }] : [],
    };
  }
  if (aspect_type === 'delete') return { kind: 'news', news: [] };
  const resources = ['workouts', 'workout_stream'];
  return { kind: 'news', news: [{ externalUserId, resources, span: null, deregistered: false }] };
}
