import type { SummaryResource } from '../../../readings/readings.ts';
import { assertAccess } from '../api.ts';
import type { ProviderDefinition, ProviderCallContext } from '../definition.ts';
import { createSecondsReader } from '../http-client.ts';
import type { NotificationResult, ProviderWebhookRequest, ProviderApplication } from '../port.ts';
import { parseJsonBody, toRefusal, isSameSecret, createSignature } from '../webhook-authentication.ts';
import * as pull from './pull.ts';
import { WhoopNotification, WhoopPerson } from './wire.ts';

const HOST = 'https://api.prod.whoop.com';

/** The resources that each notification type affects. */
// prettier-ignore
const RESOURCES_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  'sleep.updated':    ['sleep', 'respiratory_rate', 'activity'],
  'recovery.updated': ['sleep', 'hrv', 'blood_oxygen', 'body_temperature', 'activity'],
  'workout.updated':  ['workouts', 'activity'],
  // What remains of the day has changed.
  'sleep.deleted':    ['activity'],
  'recovery.deleted': ['sleep', 'activity'],
  'workout.deleted':  ['activity'],
};
/** The summaries that have the id of a deleted record, or that it is a part of. */
const DELETED_BY_TYPE: Readonly<Record<string, readonly SummaryResource[]>> = {
  'sleep.deleted': ['sleep', 'sleep_cycle'],
  // It has the id of its sleep.
  'recovery.deleted': ['sleep'],
  'workout.deleted': ['workouts'],
};
/** WHOOP states it in the record of a sleep. */
const SLEEP_SERIES = ['respiratory_rate'] as const;
/** The values of the recovery have its time, which is after the sleep. */
const RECOVERY = {
  resources: ['hrv', 'blood_oxygen', 'body_temperature'],
  timePath: ['recovery', 'created_at'],
} as const;

// prettier-ignore
export const whoop: ProviderDefinition = {
  slug: 'whoop_v2',
  name: 'WHOOP',
  api: HOST,
  oauth: {
    authorize: `${HOST}/oauth/oauth2/auth`,
    token: `${HOST}/oauth/oauth2/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ' ',
    // Notifications name a user id that only the profile contains.
    requiredScopes: ['offline', 'read:profile'],
    refreshParameters: { scope: 'offline' },
  },
  resources: {
    profile:          { scopes: ['read:profile', 'read:body_measurement'], pull: pull.profile },
    activity:         { scopes: ['read:cycles'],   windowDays: 25, pull: pull.activity },
    sleep:            { scopes: ['read:sleep'],    windowDays: 25, pull: pull.sleep },
    workouts:         { scopes: ['read:workout'],  windowDays: 25, pull: pull.workouts },
    hrv:              { scopes: ['read:recovery'], windowDays: 25, pull: pull.hrv },
    respiratory_rate: { scopes: ['read:sleep'],    windowDays: 25, pull: pull.respiratoryRate },
    blood_oxygen:     { scopes: ['read:recovery'], windowDays: 25, pull: pull.bloodOxygen },
    body_temperature: { scopes: ['read:recovery'], windowDays: 25, pull: pull.bodyTemperature },
  },
  news: { kind: 'webhook', dated: false },
  historicalDays: 180,
  readRetrySeconds: createSecondsReader('x-ratelimit-reset'),
  afterGrant,
  // The webhook is configured in WHOOP's dashboard, so there is no `subscribe`.
  revoke: async ({ api }) => {
    assertAccess('WHOOP', await api.send('/developer/v2/user/access', { method: 'DELETE' }));
  },
  parseNotification,
};

async function afterGrant({ api }: ProviderCallContext): Promise<{ externalUserId?: string }> {
  const path = '/developer/v2/user/profile/basic';
  const person = await api.find(WhoopPerson, path, { emptyStatuses: [401, 403, 404] });
  return person ? { externalUserId: person.user_id } : {};
}

function parseNotification(
  app: ProviderApplication,
  { headers, body }: ProviderWebhookRequest,
): NotificationResult {
  const parts = [headers['x-whoop-signature-timestamp'] ?? '', body];
  const signed = { algorithm: 'sha256', key: app.clientSecret, parts, encoding: 'base64' } as const;
  if (!isSameSecret(headers['x-whoop-signature'], createSignature(signed))) {
    return toRefusal('The signature is missing or wrong');
  }
  const news = WhoopNotification.safeParse(parseJsonBody(body));
  if (!news.success) return toRefusal('The notification cannot be read');
  const resources = RESOURCES_BY_TYPE[news.data.type];
  if (!resources) return { kind: 'news', news: [] };
  const { type, id: key } = news.data;
  const gone = DELETED_BY_TYPE[type];
  if (gone && key === undefined) return toRefusal('The notification names no record');
  const deleted = (gone ?? []).map((resource) => ({
    resource,
    key: key ?? '',
    ...(resource === 'sleep' && { part: RECOVERY }),
    ...(type === 'recovery.deleted'
      ? { keepsRecord: true }
      : resource === 'sleep' && { series: SLEEP_SERIES }),
  }));
  const one = {
    externalUserId: news.data.user_id,
    resources,
    span: null,
    deregistered: false,
    ...(deleted.length > 0 && { deleted }),
  };
  return { kind: 'news', news: [one] };
}
