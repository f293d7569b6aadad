import { z } from 'zod';
import { DAY } from '../../../platform/clock.ts';
import type { SummaryResource } from '../../../readings/readings.ts';
import { assertAccess } from '../api.ts';
import type { ProviderDefinition, ProviderCallContext } from '../definition.ts';
import {
  AccessTokenRejectedError,
  GrantLostError,
  type Grant,
  type NotificationResult,
  type ProviderWebhookRequest,
  type ProviderApplication,
} from '../port.ts';
import {
  toChallengeResponse,
  parseJsonBody,
  createNotificationToken,
  toRefusal,
  isSameSecret,
  createSignature,
} from '../webhook-authentication.ts';
import { lenientList } from '../wire.ts';
import * as pull from './pull.ts';
import { OuraNotification, OuraPerson, OuraSubscription } from './wire.ts';

const SLUG = 'oura';
const API = 'https://api.ouraring.com';
const SUBSCRIPTIONS = '/v2/webhook/subscription';
/** Subscriptions expire. One that expires sooner than this is renewed when the next user connects. */
const RENEW_BEFORE_MS = 30 * DAY;

/** The resources that each notification type affects. */
// prettier-ignore
const RESOURCES_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  sleep:          ['sleep', 'hrv', 'heartrate', 'body_temperature_delta'],
  daily_activity: ['activity', 'heartrate'],
  workout:        ['workouts', 'heartrate'],
};

/** The summaries that have the id of a deleted document. */
const DELETED_BY_TYPE: Readonly<Record<string, readonly SummaryResource[]>> = {
  sleep: ['sleep', 'sleep_cycle'],
  daily_activity: ['activity'],
  workout: ['workouts'],
};
/** Oura states these in the document of a sleep. Heart rates are measured all day. */
const SLEEP_SERIES = ['hypnogram', 'hrv', 'body_temperature_delta'] as const;

// prettier-ignore
export const oura: ProviderDefinition = {
  slug: SLUG,
  name: 'Oura',
  api: API,
  oauth: {
    authorize: 'https://cloud.ouraring.com/oauth/authorize',
    token: `${API}/oauth/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ' ',
    // Notifications name a user id that only the profile contains.
    requiredScopes: ['personal'],
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
  parseNotification,
};

async function afterGrant({ api }: ProviderCallContext): Promise<{ externalUserId?: string }> {
  const person = await api.find(OuraPerson, '/v2/usercollection/personal_info', {
    emptyStatuses: [401, 403],
  });
  return person ? { externalUserId: person.id } : {};
}

/** Revokes by access token. Oura does not document the response for an expired one, so that is rejected here. */
async function revoke({ api, now }: ProviderCallContext, { accessToken, expiresAt }: Grant): Promise<void> {
  if (expiresAt !== null && expiresAt <= now) {
    throw new AccessTokenRejectedError('token_refresh_failed', 'The access token has expired');
  }
  const asked = { method: 'POST', query: { access_token: accessToken } } as const;
  assertAccess('Oura', await api.send('/oauth/revoke', asked));
}

/** Subscriptions belong to the application: one for each data type and event type, for all users. */
async function subscribe(
  { api, app, now }: ProviderCallContext,
  { address }: { address: string },
): Promise<void> {
  const headers = { 'x-client-id': app.clientId, 'x-client-secret': app.clientSecret };
  const there = await api.read(lenientList(OuraSubscription), SUBSCRIPTIONS, { headers });
  for (const data_type of Object.keys(RESOURCES_BY_TYPE)) {
    for (const event_type of ['create', 'update', 'delete']) {
      const known = there.find(
        (one) => one.callback_url === address && one.data_type === data_type && one.event_type === event_type,
      );
      if (known && Date.parse(known.expiration_time) > now.getTime() + RENEW_BEFORE_MS) continue;
      const status = known
        ? await api.send(`${SUBSCRIPTIONS}/renew/${encodeURIComponent(known.id)}`, { method: 'PUT', headers })
        : await api.send(SUBSCRIPTIONS, {
            headers,
            json: {
              callback_url: address,
              verification_token: createNotificationToken(app, SLUG),
              event_type,
              data_type,
            },
          });
      if (status >= 300) {
        throw new GrantLostError(
          'webhook_registration_failed',
          `Oura answered ${status} to the subscription`,
        );
      }
    }
  }
}

const Challenge = z.object({ verification_token: z.string(), challenge: z.string() });

function parseNotification(
  app: ProviderApplication,
  { method, query, headers, body }: ProviderWebhookRequest,
): NotificationResult {
  if (method === 'GET') {
    const asked = Challenge.safeParse(query);
    if (!asked.success) return toRefusal('The request is not a challenge');
    const { verification_token, challenge } = asked.data;
    if (!isSameSecret(verification_token, createNotificationToken(app, SLUG)))
      return toRefusal('The verification token is wrong');
    return toChallengeResponse(200, JSON.stringify({ challenge }));
  }
  const parts = [headers['x-oura-timestamp'] ?? '', body];
  const signed = { algorithm: 'sha256', key: app.clientSecret, parts, encoding: 'hex' } as const;
  if (!isSameSecret(headers['x-oura-signature']?.toLowerCase(), createSignature(signed))) {
    return toRefusal('The signature is missing or wrong');
  }
  const news = OuraNotification.safeParse(parseJsonBody(body));
  if (!news.success) return toRefusal('The notification cannot be read');
  const { data_type, event_type, user_id: externalUserId, object_id: key } = news.data;
  const resources = RESOURCES_BY_TYPE[data_type] ?? [];
  if (resources.length === 0) return { kind: 'news', news: [] };
  const one = { externalUserId, resources, span: null, deregistered: false };
  if (event_type !== 'delete') return { kind: 'news', news: [one] };
  if (key === undefined) return toRefusal('The notification names no document');
  const deleted = (DELETED_BY_TYPE[data_type] ?? []).map((resource) => ({
    resource,
    key,
    ...(resource === 'sleep' && { series: SLEEP_SERIES }),
  }));
  // The totals of the day have changed, too.
  return { kind: 'news', news: [{ ...one, resources: ['activity'], deleted }] };
}
