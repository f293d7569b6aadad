import { DAY } from '../../../platform/clock.ts';
import type { ProviderDefinition, ProviderCallContext, TokenResponse } from '../definition.ts';
import { createSecondsReader } from '../http-client.ts';
import {
  GrantLostError,
  type Grant,
  type NotificationResult,
  type ProviderWebhookRequest,
  type ProviderApplication,
} from '../port.ts';
import {
  toChallengeResponse,
  parseJsonBody,
  toRefusal,
  isSameSecret,
  createSignature,
} from '../webhook-authentication.ts';
import * as nights from './nights.ts';
import * as pull from './pull.ts';
import { FitbitNotifications } from './wire.ts';

const API = 'https://api.fitbit.com';

/** Collections with notifications, the scope each requires, and the resources it affects. */
// prettier-ignore
const COLLECTIONS: Readonly<Record<string, { scope: string; resources: readonly string[] }>> = {
  activities: { scope: 'activity',  resources: ['activity', 'workouts', 'steps', 'heartrate', 'vo2_max'] },
  sleep:      { scope: 'sleep',     resources: ['sleep', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature_delta'] },
  body:       { scope: 'weight',    resources: ['body', 'weight', 'fat'] },
  foods:      { scope: 'nutrition', resources: ['water'] },
};
/** The user revoked the grant or deleted the account. */
const DEREGISTRATION_TYPES = new Set(['userRevokedAccess', 'deleteUser']);

/** Times are local, and the time zone is in the profile. */
const withProfileScope = (...scopes: string[]) => [...scopes, 'profile'];

// prettier-ignore
export const fitbit: ProviderDefinition = {
  slug: 'fitbit',
  name: 'Fitbit',
  api: API,
  oauth: {
    authorize: 'https://www.fitbit.com/oauth2/authorize',
    token: `${API}/oauth2/token`,
    revoke: `${API}/oauth2/revoke`,
    clientAuth: 'basic',
    pkce: true,
    scopeSeparator: ' ',
    requiredScopes: [],
    normalizeTokenResponse,
    readUserId: ({ user_id }) => user_id,
  },
  resources: {
    profile:                { scopes: ['profile'],               pull: pull.profile },
    activity:               { scopes: withProfileScope('activity'),           windowDays: 30, pull: pull.activity },
    sleep:                  { scopes: withProfileScope('sleep'),              windowDays: 90, pull: pull.sleep },
    workouts:               { scopes: withProfileScope('activity'),           pull: pull.workouts },
    body:                   { scopes: withProfileScope('weight'),             windowDays: 30, pull: pull.body },
    weight:                 { scopes: withProfileScope('weight'),             windowDays: 30, pull: pull.weight },
    fat:                    { scopes: withProfileScope('weight'),             windowDays: 30, pull: pull.fat },
    heartrate:              { scopes: withProfileScope('heartrate'),          windowDays: 30, pull: pull.heartrate },
    steps:                  { scopes: withProfileScope('activity'),           windowDays: 30, pull: pull.steps },
    hrv:                    { scopes: withProfileScope('heartrate'),          windowDays: 29, pull: nights.hrv },
    respiratory_rate:       { scopes: withProfileScope('respiratory_rate'),   windowDays: 29, pull: nights.respiratoryRate },
    blood_oxygen:           { scopes: withProfileScope('oxygen_saturation'),  windowDays: 29, pull: nights.bloodOxygen },
    body_temperature_delta: { scopes: withProfileScope('temperature'),        windowDays: 29, pull: nights.temperatureDelta },
    vo2_max:                { scopes: withProfileScope('cardio_fitness'),     windowDays: 29, pull: nights.vo2Max },
    water:                  { scopes: withProfileScope('nutrition'),          windowDays: 90, pull: nights.water },
  },
  news: { kind: 'webhook', dated: true },
  historicalDays: 90,
  readRetrySeconds: createSecondsReader('fitbit-rate-limit-reset'),
  subscribe,
  parseNotification,
};

/** Fitbit's errors are a list; the type of the first one becomes the OAuth error. */
function normalizeTokenResponse({ status, body }: TokenResponse): TokenResponse {
  if (status < 400 || typeof body['error'] === 'string' || !Array.isArray(body['errors']))
    return { status, body };
  const [first] = body['errors'] as unknown[];
  const type =
    typeof first === 'object' && first !== null && 'errorType' in first ? first.errorType : undefined;
  return { status, body: { error: typeof type === 'string' ? type : 'invalid_grant' } };
}

/** Subscribes to each collection of the user, under an id that is unique across users. */
async function subscribe({ api }: ProviderCallContext, { grant }: { grant: Grant }): Promise<void> {
  const user = grant.externalUserId ?? '';
  for (const [collection, { scope }] of Object.entries(COLLECTIONS)) {
    if (!grant.scopes.includes(scope)) continue;
    const name = encodeURIComponent(`${user}-${collection}`);
    const path = `/1/user/-/${collection}/apiSubscriptions/${name}.json`;
    const status = await api.send(path, { method: 'POST' });
    // 200: already subscribed; 409: another subscriber of the application has it.
    if (status >= 300 && status !== 409) {
      throw new GrantLostError(
        'webhook_registration_failed',
        `Fitbit answered ${status} to the subscription`,
      );
    }
  }
}

/** Fitbit verifies a subscriber with a right and a wrong code; the wrong one must get 404. */
function parseNotification(
  app: ProviderApplication,
  { method, query, headers, body }: ProviderWebhookRequest,
): NotificationResult {
  if (method === 'GET') {
    const known = app.webhookSecrets?.some((code) => isSameSecret(query['verify'], code)) ?? false;
    return toChallengeResponse(known ? 204 : 404, '');
  }
  const signed = {
    algorithm: 'sha1',
    key: `${app.clientSecret}&`,
    parts: [body],
    encoding: 'base64',
  } as const;
  if (!isSameSecret(headers['x-fitbit-signature'], createSignature(signed))) {
    return toRefusal('The signature is missing or wrong');
  }
  const read = FitbitNotifications.safeParse(parseJsonBody(body));
  if (!read.success) return toRefusal('The notification cannot be read');
  const news = read.data.flatMap(({ collectionType, ownerId: externalUserId, date }) => {
    if (DEREGISTRATION_TYPES.has(collectionType)) {
      return [{ externalUserId, resources: [], span: null, deregistered: true }];
    }
    const resources = COLLECTIONS[collectionType]?.resources;
    return resources ? [{ externalUserId, resources, span: toTimeSpan(date), deregistered: false }] : [];
  });
  return { kind: 'news', news };
}

/** A local day in any time zone, widened to a span in UTC. */
function toTimeSpan(day: string | undefined): { from: Date; to: Date } | null {
  if (day === undefined) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { from: new Date(midnight - DAY / 2), to: new Date(midnight + 1.5 * DAY) };
}
