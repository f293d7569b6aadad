import { DAY } from '../../../platform/clock.ts';
import type { Definition, Means } from '../definition.ts';
import { secondsIn, type AnswerHeaders } from '../exchange.ts';
import {
  GrantLost,
  type Grant,
  type NewsAnswer,
  type NewsRequest,
  type ProviderApplication,
} from '../port.ts';
import { answered, jsonOf, refused, sameText, signatureOf } from '../signatures.ts';
import * as pull from './pull.ts';
import { PolarNews, Webhooks } from './wire.ts';

const API = 'https://www.polaraccesslink.com';

/** Kinds of news, and what they are about. */
// prettier-ignore
const NEWS: Readonly<Record<string, readonly string[]>> = {
  EXERCISE:              ['workouts', 'workout_stream'],
  SLEEP:                 ['sleep', 'hrv', 'respiratory_rate'],
  CONTINUOUS_HEART_RATE: ['heartrate'],
  ACTIVITY_SUMMARY:      ['activity'],
  PHYSICAL_INFORMATION:  ['profile'],
};

// prettier-ignore
export const polar: Definition = {
  slug: 'polar',
  name: 'Polar',
  api: API,
  oauth: {
    authorize: 'https://flow.polar.com/oauth2/authorization',
    token: 'https://polarremote.com/v2/oauth2/token',
    clientAuth: 'basic',
    pkce: false,
    scopeSeparator: ' ',
    always: ['accesslink.read_all'],
    userIn: ({ x_user_id }) => x_user_id,
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
  // It tells what came after the user was registered, and of that the last four weeks.
  historicalDays: 28,
  busySeconds: (headers: AnswerHeaders) => secondsIn('ratelimit-reset')(headers),
  afterGrant: register,
  revoke,
  subscribe,
  readNews,
};

/** Nothing is told of a user who is not registered with the application; once is enough. */
async function register({ api }: Means, { externalUserId }: Grant): Promise<Partial<Grant>> {
  const json = { 'member-id': `aliquot-${externalUserId ?? ''}` };
  const status = await api.send('/v3/users', { json });
  if (status < 300 || status === 409) return {};
  if (status === 403)
    throw new GrantLost('required_scopes_not_granted', 'The user has not given the consents of Polar');
  throw new GrantLost('unknown', `Polar answered ${status} to the registration of the user`);
}

/** To delete the user of the application takes the token back. */
async function revoke({ api }: Means, { externalUserId }: Grant): Promise<void> {
  if (externalUserId === null) return;
  await api.send(`/v3/users/${encodeURIComponent(externalUserId)}`, { method: 'DELETE' });
}

/**
 * An application has one webhook, and its secret is told once, to who makes it: so the team makes it, and its secret
 * stands in the team's credentials. Polar switches it off when it was not answered for a week; here it is put on again.
 */
async function subscribe({ api, app }: Means, { address }: { address: string }): Promise<void> {
  if (!app.webhookSecrets?.length) return;
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const found = await api.find(Webhooks, '/v3/webhooks', { headers });
  const webhook = found?.data?.find(({ url }) => url === address);
  if (!webhook)
    throw new GrantLost('webhook_registration_failed', 'The application has no webhook with this address');
  if (webhook.active === false) await api.send('/v3/webhooks/activate', { method: 'POST', headers });
}

function readNews({ webhookSecrets = [] }: ProviderApplication, { headers, body }: NewsRequest): NewsAnswer {
  const news = PolarNews.safeParse(jsonOf(body));
  // It comes before anybody knows the secret, and does nothing.
  if (news.success && news.data.event === 'PING') return answered(200, '');
  const given = headers['polar-webhook-signature']?.toLowerCase();
  const right = webhookSecrets.some((key) =>
    sameText(given, signatureOf({ algorithm: 'sha256', key, parts: [body], encoding: 'hex' })),
  );
  if (!right) return refused('The signature is missing or wrong');
  if (!news.success || news.data.user_id === undefined) return refused('It cannot be read');
  const resources = NEWS[news.data.event];
  if (!resources) return { kind: 'news', news: [] };
  const one = {
    externalUserId: news.data.user_id,
    resources,
    span: around(news.data.date),
    deregistered: false,
  };
  return { kind: 'news', news: [one] };
}

/** A day there is up to a day and a half around the same day in UTC. */
function around(day: string | undefined): { from: Date; to: Date } | null {
  if (day === undefined) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { from: new Date(midnight - DAY), to: new Date(midnight + 2 * DAY) };
}
