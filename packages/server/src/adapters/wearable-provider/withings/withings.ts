import { z } from 'zod';
import { SECOND } from '../../../platform/clock.ts';
import type { ProviderDefinition, ProviderCallContext, TokenResponse } from '../definition.ts';
import {
  GrantLostError,
  ProviderRateLimitedError,
  type Grant,
  type NotificationResult,
  type ProviderWebhookRequest,
  type ProviderApplication,
} from '../port.ts';
import {
  addNotificationToken,
  toChallengeResponse,
  createNotificationToken,
  toRefusal,
  isSameSecret,
  createSignature,
} from '../webhook-authentication.ts';
import { toUnixSeconds } from '../times.ts';
import { callService, isTokenRejected } from './call.ts';
import * as pull from './pull.ts';
import * as samples from './samples.ts';
import { Nonce, Profiles, WithingsNotification, Envelope } from './wire.ts';

const SLUG = 'withings';
const API = 'https://wbsapi.withings.net';

/** Notification categories, the scope each requires, and the resources it affects. */
// prettier-ignore
const NOTIFICATION_CATEGORIES: readonly { appli: number; scope: string; resources: readonly string[] }[] = [
  { appli: 1,  scope: 'user.metrics',  resources: ['body', 'weight', 'fat'] },
  { appli: 2,  scope: 'user.metrics',  resources: ['body_temperature'] },
  { appli: 4,  scope: 'user.metrics',  resources: ['blood_pressure', 'heartrate', 'blood_oxygen'] },
  { appli: 16, scope: 'user.activity', resources: ['activity', 'workouts', 'steps', 'distance', 'calories_active', 'heartrate'] },
  { appli: 44, scope: 'user.activity', resources: ['sleep', 'hrv'] },
];
/** The notification category of account events. */
const ACCOUNT_EVENTS = 46;

const METRICS_SCOPES = ['user.metrics'];
const ACTIVITY_SCOPES = ['user.activity'];

// prettier-ignore
export const withings: ProviderDefinition = {
  slug: SLUG,
  name: 'Withings',
  api: API,
  oauth: {
    authorize: 'https://account.withings.com/oauth2_user/authorize2',
    token: `${API}/v2/oauth2`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ',',
    requiredScopes: [],
    tokenParameters: { action: 'requesttoken' },
    normalizeTokenResponse,
    readUserId: ({ userid }) => userid,
  },
  resources: {
    activity:         { scopes: ACTIVITY_SCOPES, windowDays: 60, pull: pull.activity },
    workouts:         { scopes: ACTIVITY_SCOPES, windowDays: 60, pull: pull.workouts },
    sleep:            { scopes: ACTIVITY_SCOPES, windowDays: 60, pull: pull.sleep },
    body:             { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.body },
    weight:           { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.weight },
    fat:              { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.fat },
    blood_pressure:   { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.bloodPressure },
    blood_oxygen:     { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.bloodOxygen },
    body_temperature: { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.bodyTemperature },
    vo2_max:          { scopes: METRICS_SCOPES,  windowDays: 60, pull: samples.vo2Max },
    // Withings returns only the first 24 hours of a request.
    steps:            { scopes: ACTIVITY_SCOPES, windowDays: 1,  pull: samples.steps },
    distance:         { scopes: ACTIVITY_SCOPES, windowDays: 1,  pull: samples.distance },
    calories_active:  { scopes: ACTIVITY_SCOPES, windowDays: 1,  pull: samples.calories },
    heartrate:        { scopes: ACTIVITY_SCOPES, windowDays: 1,  pull: samples.heartrate },
    hrv:              { scopes: ACTIVITY_SCOPES, windowDays: 1,  pull: samples.hrv },
  },
  news: { kind: 'webhook', dated: true },
  historicalDays: 90,
  revoke,
  subscribe,
  parseNotification,
};

/** Unwraps the envelope, which holds the real status. */
function normalizeTokenResponse({ status: outer, body: envelope }: TokenResponse): TokenResponse {
  const { status, body } = Envelope.catch({ status: -1, body: {} }).parse(envelope);
  if (outer >= 400 || status === -1) return { status: outer, body: envelope };
  if (status === 601) throw new ProviderRateLimitedError(60, 'Withings is limiting requests');
  if (status === 0) return { status: 200, body: z.record(z.string(), z.unknown()).catch({}).parse(body) };
  // An unknown application has the same status as an unknown token; only the error text differs.
  const text = String(envelope['error'] ?? '');
  const application =
    /client_?id|client_?secret/i.test(text) || (isTokenRejected(status) && /client/i.test(text));
  return { status: 400, body: { error: application ? 'invalid_client' : 'invalid_grant' } };
}

/** Adds the signature: HMAC over the values, sorted by name and joined by commas. */
const addSignature = (
  { clientSecret }: ProviderApplication,
  values: Readonly<Record<string, string | number>>,
) => ({
  ...values,
  signature: createSignature({
    algorithm: 'sha256',
    key: clientSecret,
    parts: [
      Object.keys(values)
        .toSorted()
        .map((name) => String(values[name]))
        .join(','),
    ],
    encoding: 'hex',
  }),
});

/** Each signed request needs its own nonce. */
async function revoke({ api, app, now }: ProviderCallContext, { externalUserId }: Grant): Promise<void> {
  if (externalUserId === null) return;
  const asked = addSignature(app, {
    action: 'getnonce',
    client_id: app.clientId,
    timestamp: toUnixSeconds(now),
  });
  const { nonce } = await callService(api, Nonce, { path: '/v2/signature', form: asked });
  const form = {
    ...addSignature(app, { action: 'revoke', client_id: app.clientId, nonce }),
    userid: externalUserId,
  };
  // The response is ignored: an unknown user is already disconnected.
  await api.send('/v2/oauth2', { form });
}

async function subscribe(
  { api, app }: ProviderCallContext,
  { grant, address }: { grant: Grant; address: string },
): Promise<void> {
  const path = '/notify';
  const wanted = addNotificationToken(address, app, SLUG);
  const { profiles } = await callService(api, Profiles, { path, form: { action: 'list' } });
  const there = new Set(
    profiles.filter(({ callbackurl }) => callbackurl === wanted).map(({ appli }) => appli),
  );
  const granted = NOTIFICATION_CATEGORIES.filter(({ scope }) => grant.scopes.includes(scope)).map(
    ({ appli }) => appli,
  );
  for (const appli of [...granted, ACCOUNT_EVENTS]) {
    if (there.has(appli)) continue;
    const { status } = await api.read(Envelope, path, {
      form: { action: 'subscribe', callbackurl: wanted, appli },
    });
    if (status === 601) throw new ProviderRateLimitedError(60, 'Withings is limiting requests');
    if (status !== 0 && appli !== ACCOUNT_EVENTS) {
      throw new GrantLostError(
        'webhook_registration_failed',
        `Withings answered ${status} to the subscription`,
      );
    }
  }
}

/** Withings does not sign; the URL has a token. It first probes the URL with HEAD or an empty body. */
function parseNotification(
  app: ProviderApplication,
  { method, query, body }: ProviderWebhookRequest,
): NotificationResult {
  if (method === 'HEAD') return toChallengeResponse(200, '');
  if (!isSameSecret(query['token'], createNotificationToken(app, SLUG))) {
    return toRefusal('The token in the URL is missing or wrong');
  }
  if (method !== 'POST' || body.length === 0) return toChallengeResponse(200, '');
  const news = WithingsNotification.safeParse(Object.fromEntries(new URLSearchParams(body.toString('utf8'))));
  if (!news.success) return toRefusal('The notification cannot be read');
  const { userid: externalUserId, appli, action, startdate, enddate } = news.data;
  if (appli === ACCOUNT_EVENTS) {
    const deregistered = action === 'unlink' || action === 'delete';
    return {
      kind: 'news',
      news: deregistered ? [{ externalUserId, resources: [], span: null, deregistered }] : [],
    };
  }
  const resources = NOTIFICATION_CATEGORIES.find((row) => row.appli === appli)?.resources;
  if (!resources) return { kind: 'news', news: [] };
  const span =
    startdate === undefined || enddate === undefined
      ? null
      : { from: new Date(startdate * SECOND), to: new Date(enddate * SECOND + SECOND) };
  return { kind: 'news', news: [{ externalUserId, resources, span, deregistered: false }] };
}
