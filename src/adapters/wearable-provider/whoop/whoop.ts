import { requireAccess } from '../api.ts';
import type { Definition, Means } from '../definition.ts';
import { secondsIn } from '../exchange.ts';
import type { NewsAnswer, NewsRequest, ProviderApplication } from '../port.ts';
import { jsonOf, refused, sameText, signatureOf } from '../signatures.ts';
import * as pull from './pull.ts';
import { WhoopNews, WhoopPerson } from './wire.ts';

const HOST = 'https://api.prod.whoop.com';

/** Kinds of news, and what they are about. */
// prettier-ignore
const NEWS: Readonly<Record<string, readonly string[]>> = {
  'sleep.updated':    ['sleep', 'respiratory_rate', 'activity'],
  'recovery.updated': ['sleep', 'hrv', 'blood_oxygen', 'body_temperature', 'activity'],
  'workout.updated':  ['workouts', 'activity'],
};

// prettier-ignore
export const whoop: Definition = {
  slug: 'whoop_v2',
  name: 'WHOOP',
  api: HOST,
  oauth: {
    authorize: `${HOST}/oauth/oauth2/auth`,
    token: `${HOST}/oauth/oauth2/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ' ',
    // News is of a user, whom only the profile names.
    always: ['offline', 'read:profile'],
    refreshMore: { scope: 'offline' },
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
  busySeconds: secondsIn('x-ratelimit-reset'),
  afterGrant,
  // Its webhook is entered in its dashboard; there is none to register here.
  revoke: async ({ api }) => {
    requireAccess('WHOOP', await api.send('/developer/v2/user/access', { method: 'DELETE' }));
  },
  readNews,
};

async function afterGrant({ api }: Means): Promise<{ externalUserId?: string }> {
  const path = '/developer/v2/user/profile/basic';
  const person = await api.find(WhoopPerson, path, { absent: [401, 403, 404] });
  return person ? { externalUserId: person.user_id } : {};
}

function readNews(app: ProviderApplication, { headers, body }: NewsRequest): NewsAnswer {
  const parts = [headers['x-whoop-signature-timestamp'] ?? '', body];
  const signed = { algorithm: 'sha256', key: app.clientSecret, parts, encoding: 'base64' } as const;
  if (!sameText(headers['x-whoop-signature'], signatureOf(signed))) {
    return refused('The signature is missing or wrong');
  }
  const news = WhoopNews.safeParse(jsonOf(body));
  if (!news.success) return refused('It cannot be read');
  const resources = NEWS[news.data.type];
  if (!resources) return { kind: 'news', news: [] };
  const one = { externalUserId: news.data.user_id, resources, span: null, deregistered: false };
  return { kind: 'news', news: [one] };
}
