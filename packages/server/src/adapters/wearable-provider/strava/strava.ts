import { z } from 'zod';
import { MINUTE } from '../../../platform/clock.ts';
import type {
  NotificationContext,
  ProviderCallContext,
  ProviderDefinition,
  TokenResponse,
} from '../definition.ts';
import type { ProviderResponseHeaders } from '../http-client.ts';
import {
  GrantLostError,
  type Grant,
  type NotificationResult,
  type ProviderWebhookRequest,
  type ProviderApplication,
} from '../port.ts';
import {
  addNotificationToken,
  toChallengeResponse,
  parseJsonBody,
  createNotificationToken,
  createSignature,
  toRefusal,
  isSameSecret,
} from '../webhook-authentication.ts';
import * as pull from './pull.ts';
import { StravaNotification, StravaSubscription } from './wire.ts';

const SLUG = 'strava';
const HOST = 'https://www.strava.com';
const SUBSCRIPTIONS = '/api/v3/push_subscriptions';

// prettier-ignore
export const strava: ProviderDefinition = {
  slug: SLUG,
  name: 'Strava',
  api: HOST,
  oauth: {
    authorize: `${HOST}/oauth/authorize`,
    token: `${HOST}/oauth/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ',',
    requiredScopes: [],
    authorizeParameters: { approval_prompt: 'auto' },
    normalizeTokenResponse,
    readUserId: ({ athlete }) => Athlete.safeParse(athlete).data?.id,
  },
  resources: {
    profile:        { scopes: ['profile:read_all'],  pull: pull.profile },
    workouts:       { scopes: ['activity:read_all'], windowDays: 30, pull: pull.workouts },
    workout_stream: { scopes: ['activity:read_all'], windowDays: 30, pull: pull.workoutStreams },
  },
  news: { kind: 'webhook', dated: false },
  historicalDays: 90,
  readRetrySeconds,
  revoke,
  subscribe,
  parseNotification,
};

const Athlete = z.object({ id: z.number() });

/** Strava's errors name a resource: the application, or an unknown code or token. */
function normalizeTokenResponse({ status, body }: TokenResponse): TokenResponse {
  if (status < 400) return { status, body };
  const { errors = [] } = z
    .object({ errors: z.array(z.object({ resource: z.string() })).optional() })
    .catch({})
    .parse(body);
  const application = errors.some(({ resource }) => resource === 'Application');
  return { status: 400, body: { error: application ? 'invalid_client' : 'invalid_grant' } };
}

/**
 * Limits reset every 15 minutes and every UTC day. The usage headers say which limit is reached.
 */
function readRetrySeconds(headers: ProviderResponseHeaders, now: Date): number {
  const pair = (name: string) => (headers[name] ?? '').split(',').map(Number);
  const spent = ['ratelimit', 'readratelimit'].some((family) => {
    const [, limit = 0] = pair(`x-${family}-limit`);
    const [, usage = 0] = pair(`x-${family}-usage`);
    return limit > 0 && usage >= limit;
  });
  const period = (spent ? 24 * 60 : 15) * MINUTE;
  return (period - (now.getTime() % period)) / 1000 + 1;
}

/** RFC 7009 since June 2026; the proprietary endpoint works until June 2027. */
async function revoke(
  { api, app }: ProviderCallContext,
  { accessToken, refreshToken }: Grant,
): Promise<void> {
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const status = await api.send('/oauth/revoke', {
    headers: { authorization: `Basic ${basic}` },
    form: { token: refreshToken ?? accessToken },
  });
  if (status === 404 || status === 405) await api.send('/oauth/deauthorize', { method: 'POST' });
}

/** An application has one subscription for all its athletes. */
async function subscribe({ api, app }: ProviderCallContext, { address }: { address: string }): Promise<void> {
  const application = { client_id: app.clientId, client_secret: app.clientSecret };
  const wanted = addNotificationToken(address, app, SLUG);
  const there = await api.read(z.array(StravaSubscription), SUBSCRIPTIONS, { query: application });
  if (there.some(({ callback_url: url }) => url === wanted)) return;
  if (there.length > 0) {
    throw new GrantLostError(
      'webhook_registration_failed',
      'The application already sends its notifications to another URL',
    );
  }
  const form = { ...application, callback_url: wanted, verify_token: createNotificationToken(app, SLUG) };
  const status = await api.send(SUBSCRIPTIONS, { form });
  if (status >= 300) {
    throw new GrantLostError('webhook_registration_failed', `Strava answered ${status} to the subscription`);
  }
}

/** How far the time of a signature may be from ours. */
const SIGNATURE_TOLERANCE_SECONDS = 300;

/**
 * Strava signs with `t=<Unix seconds>,v1=<hex>`: an HMAC of `<t>.<body>`, by the client secret or a secret that the
 * team configured.
 */
function isSigned(
  app: ProviderApplication,
  header: string,
  { body, now }: { body: Buffer; now: Date },
): boolean {
  const parts = new Map(header.split(',').map((part) => [part.slice(0, part.indexOf('=')).trim(), part]));
  const [time, signature] = ['t', 'v1'].map((name) =>
    parts
      .get(name)
      ?.trim()
      .slice(name.length + 1),
  );
  if (time === undefined || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(time)) > SIGNATURE_TOLERANCE_SECONDS) return false;
  return [app.clientSecret, ...(app.webhookSecrets ?? [])].some((key) => {
    const signed = { algorithm: 'sha256', key, parts: [`${time}.`, body], encoding: 'hex' } as const;
    return isSameSecret(signature?.toLowerCase(), createSignature(signed));
  });
}

/**
 * Strava verifies a token once, and every notification comes to the URL with that token. Not every notification is
 * signed, but a wrong signature is refused.
 */
function parseNotification(
  app: ProviderApplication,
  { method, query, headers, body }: ProviderWebhookRequest,
  { now }: NotificationContext,
): NotificationResult {
  const token = createNotificationToken(app, SLUG);
  if (method === 'GET') {
    const challenge = query['hub.challenge'];
    if (query['hub.mode'] !== 'subscribe' || challenge === undefined)
      return toRefusal('The request is not a challenge');
    if (!isSameSecret(query['hub.verify_token'], token)) return toRefusal('The verify token is wrong');
    return toChallengeResponse(200, JSON.stringify({ 'hub.challenge': challenge }));
  }
  if (!isSameSecret(query['token'], token)) return toRefusal('The token in the URL is missing or wrong');
  const signature = headers['x-strava-signature'];
  if (signature !== undefined && !isSigned(app, signature, { body, now }))
    return toRefusal('The signature is wrong or too old');
  const news = StravaNotification.safeParse(parseJsonBody(body));
  if (!news.success) return toRefusal('The notification cannot be read');
  const { object_type, aspect_type, owner_id: externalUserId, updates } = news.data;
  if (object_type === 'athlete') {
    const deregistered = String(updates?.['authorized']) === 'false';
    return {
      kind: 'news',
      news: deregistered ? [{ externalUserId, resources: [], span: null, deregistered }] : [],
    };
  }
  if (aspect_type === 'delete') {
    const deleted = [{ resource: 'workouts' as const, key: news.data.object_id }];
    return {
      kind: 'news',
      news: [{ externalUserId, resources: [], span: null, deregistered: false, deleted }],
    };
  }
  const resources = ['workouts', 'workout_stream'];
  return { kind: 'news', news: [{ externalUserId, resources, span: null, deregistered: false }] };
}
