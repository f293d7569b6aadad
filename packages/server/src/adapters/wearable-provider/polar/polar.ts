import { DAY } from '../../../platform/clock.ts';
import type { ProviderDefinition, ProviderCallContext } from '../definition.ts';
import { createSecondsReader, type ProviderResponseHeaders } from '../http-client.ts';
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
import * as pull from './pull.ts';
import { PolarNotification, Webhooks } from './wire.ts';

const API = 'https://www.polaraccesslink.com';

/** The resources that each event affects. */
// prettier-ignore
const RESOURCES_BY_EVENT: Readonly<Record<string, readonly string[]>> = {
  EXERCISE:              ['workouts', 'workout_stream'],
  SLEEP:                 ['sleep', 'hrv', 'respiratory_rate'],
  CONTINUOUS_HEART_RATE: ['heartrate'],
  ACTIVITY_SUMMARY:      ['activity'],
  PHYSICAL_INFORMATION:  ['profile'],
};

// prettier-ignore
export const polar: ProviderDefinition = {
  slug: 'polar',
  name: 'Polar',
  api: API,
  oauth: {
    authorize: 'https://flow.polar.com/oauth2/authorization',
    token: 'https://polarremote.com/v2/oauth2/token',
    clientAuth: 'basic',
    pkce: false,
    scopeSeparator: ' ',
    requiredScopes: ['accesslink.read_all'],
    readUserId: ({ x_user_id }) => x_user_id,
  },
  resources: {
    profile:          { scopes: [], pull: pull.profile },
    activity:         { scopes: [], windowDays: 25, pull: pull.activity },
    sleep:            { scopes: [], pull: pull.sleep },
    workouts:         { scopes: [], pull: pull.workouts },
    workout_stream:   { scopes: [], pull: pull.workoutStreams },
    heartrate:        { scopes: [], pull: pull.heartrate },
    hrv:              { scopes: [], pull: pull.hrv },
    respiratory_rate: { scopes: [], pull: pull.respiratoryRate },
  },
  news: { kind: 'webhook', dated: true },
  // Polar supplies only data since the user's registration, at most four weeks back.
  historicalDays: 28,
  readRetrySeconds: (headers: ProviderResponseHeaders) => createSecondsReader('ratelimit-reset')(headers),
  afterGrant: registerUser,
  revoke,
  subscribe,
  parseNotification,
};

/** Users must be registered with the application once before Polar supplies their data. */
async function registerUser(
  { api }: ProviderCallContext,
  { externalUserId }: Grant,
): Promise<Partial<Grant>> {
  const json = { 'member-id': `aliquot-${externalUserId ?? ''}` };
  const status = await api.send('/v3/users', { json });
  if (status < 300 || status === 409) return {};
  if (status === 403)
    throw new GrantLostError(
      'required_scopes_not_granted',
      'The user has not accepted Polar’s mandatory consents',
    );
  throw new GrantLostError('unknown', `Polar answered ${status} to the registration of the user`);
}

/** Deleting the application's user revokes the token. */
async function revoke({ api }: ProviderCallContext, { externalUserId }: Grant): Promise<void> {
  if (externalUserId === null) return;
  await api.send(`/v3/users/${encodeURIComponent(externalUserId)}`, { method: 'DELETE' });
}

/**
 * An application has one webhook, and Polar shows its secret once, at creation. So the team creates the webhook and
 * enters its secret in the team's credentials. Polar deactivates a webhook after a week of failures; this reactivates
 * it.
 */
async function subscribe({ api, app }: ProviderCallContext, { address }: { address: string }): Promise<void> {
  if (!app.webhookSecrets?.length) return;
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const found = await api.find(Webhooks, '/v3/webhooks', { headers });
  const webhook = found?.data?.find(({ url }) => url === address);
  if (!webhook)
    throw new GrantLostError(
      'webhook_registration_failed',
      'The application has no webhook with this address',
    );
  if (webhook.active === false) await api.send('/v3/webhooks/activate', { method: 'POST', headers });
}

function parseNotification(
  { webhookSecrets = [] }: ProviderApplication,
  { headers, body }: ProviderWebhookRequest,
): NotificationResult {
  const news = PolarNotification.safeParse(parseJsonBody(body));
  // Polar sends PING before the secret is known; it has no effect.
  if (news.success && news.data.event === 'PING') return toChallengeResponse(200, '');
  const given = headers['polar-webhook-signature']?.toLowerCase();
  const right = webhookSecrets.some((key) =>
    isSameSecret(given, createSignature({ algorithm: 'sha256', key, parts: [body], encoding: 'hex' })),
  );
  if (!right) return toRefusal('The signature is missing or wrong');
  if (!news.success || news.data.user_id === undefined) return toRefusal('The notification cannot be read');
  const resources = RESOURCES_BY_EVENT[news.data.event];
  if (!resources) return { kind: 'news', news: [] };
  const one = {
    externalUserId: news.data.user_id,
    resources,
    span: toTimeSpan(news.data.date),
    deregistered: false,
  };
  return { kind: 'news', news: [one] };
}

/** A local day in any time zone, widened to a span in UTC. */
function toTimeSpan(day: string | undefined): { from: Date; to: Date } | null {
  if (day === undefined) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { from: new Date(midnight - DAY), to: new Date(midnight + 2 * DAY) };
}
