import { DAY } from '../../../platform/clock.ts';
import type { Definition, Means, TokenAnswer } from '../definition.ts';
import { secondsIn } from '../exchange.ts';
import {
  GrantLost,
  type Grant,
  type NewsAnswer,
  type NewsRequest,
  type ProviderApplication,
} from '../port.ts';
import { answered, jsonOf, refused, sameText, signatureOf } from '../signatures.ts';
import * as nights from './nights.ts';
import * as pull from './pull.ts';
import { FitbitNews } from './wire.ts';

const API = 'https://api.fitbit.com';

/** Collections that news is of, the scope that each needs, and what it is about. */
// prettier-ignore
const NEWS: Readonly<Record<string, { scope: string; resources: readonly string[] }>> = {
  activities: { scope: 'activity',  resources: ['activity', 'workouts', 'steps', 'heartrate', 'vo2_max'] },
  sleep:      { scope: 'sleep',     resources: ['sleep', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature_delta'] },
  body:       { scope: 'weight',    resources: ['body', 'weight', 'fat'] },
  foods:      { scope: 'nutrition', resources: ['water'] },
};
/** The user took the grant back, or the account is no more. */
const FAREWELLS = new Set(['userRevokedAccess', 'deleteUser']);

/** Times are those of the user's clock, and the profile says where it hangs. */
const and = (...scopes: string[]) => [...scopes, 'profile'];

// prettier-ignore
export const fitbit: Definition = {
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
    always: [],
    tokenAnswer,
    userIn: ({ user_id }) => user_id,
  },
  resources: {
    profile:                { scopes: ['profile'],               pull: pull.profile },
    activity:               { scopes: and('activity'),           windowDays: 30, pull: pull.activity },
    sleep:                  { scopes: and('sleep'),              windowDays: 90, pull: pull.sleep },
    workouts:               { scopes: and('activity'),           pull: pull.workouts },
    body:                   { scopes: and('weight'),             windowDays: 30, pull: pull.body },
    weight:                 { scopes: and('weight'),             windowDays: 30, pull: pull.weight },
    fat:                    { scopes: and('weight'),             windowDays: 30, pull: pull.fat },
    heartrate:              { scopes: and('heartrate'),          windowDays: 30, pull: pull.heartrate },
    steps:                  { scopes: and('activity'),           windowDays: 30, pull: pull.steps },
    hrv:                    { scopes: and('heartrate'),          windowDays: 29, pull: nights.hrv },
    respiratory_rate:       { scopes: and('respiratory_rate'),   windowDays: 29, pull: nights.respiratoryRate },
    blood_oxygen:           { scopes: and('oxygen_saturation'),  windowDays: 29, pull: nights.bloodOxygen },
    body_temperature_delta: { scopes: and('temperature'),        windowDays: 29, pull: nights.temperatureDelta },
    vo2_max:                { scopes: and('cardio_fitness'),     windowDays: 29, pull: nights.vo2Max },
    water:                  { scopes: and('nutrition'),          windowDays: 90, pull: nights.water },
  },
  news: { kind: 'webhook', dated: true },
  historicalDays: 90,
  busySeconds: secondsIn('fitbit-rate-limit-reset'),
  subscribe,
  readNews,
};

/** Refusals have a list of errors, each with a type. */
function tokenAnswer({ status, body }: TokenAnswer): TokenAnswer {
  if (status < 400 || typeof body['error'] === 'string' || !Array.isArray(body['errors']))
    return { status, body };
  const [first] = body['errors'] as unknown[];
  const type =
    typeof first === 'object' && first !== null && 'errorType' in first ? first.errorType : undefined;
  return { status, body: { error: typeof type === 'string' ? type : 'invalid_grant' } };
}

/** Each user's collections are subscribed to one by one, with a name that no other user's has. */
async function subscribe({ api }: Means, { grant }: { grant: Grant }): Promise<void> {
  const user = grant.externalUserId ?? '';
  for (const [collection, { scope }] of Object.entries(NEWS)) {
    if (!grant.scopes.includes(scope)) continue;
    const name = encodeURIComponent(`${user}-${collection}`);
    const path = `/1/user/-/${collection}/apiSubscriptions/${name}.json`;
    const status = await api.send(path, { method: 'POST' });
    // 200 says that it is there already; 409 that another subscriber of the application has it.
    if (status >= 300 && status !== 409) {
      throw new GrantLost('webhook_registration_failed', `Fitbit answered ${status} to the subscription`);
    }
  }
}

/** A subscriber is asked twice before it is told anything: with its code, and with a wrong one, which it has to deny. */
function readNews(app: ProviderApplication, { method, query, headers, body }: NewsRequest): NewsAnswer {
  if (method === 'GET') {
    const known = app.webhookSecrets?.some((code) => sameText(query['verify'], code)) ?? false;
    return answered(known ? 204 : 404, '');
  }
  const signed = {
    algorithm: 'sha1',
    key: `${app.clientSecret}&`,
    parts: [body],
    encoding: 'base64',
  } as const;
  if (!sameText(headers['x-fitbit-signature'], signatureOf(signed))) {
    return refused('The signature is missing or wrong');
  }
  const read = FitbitNews.safeParse(jsonOf(body));
  if (!read.success) return refused('It cannot be read');
  const news = read.data.flatMap(({ collectionType, ownerId: externalUserId, date }) => {
    if (FAREWELLS.has(collectionType)) {
      return [{ externalUserId, resources: [], span: null, deregistered: true }];
    }
    const resources = NEWS[collectionType]?.resources;
    return resources ? [{ externalUserId, resources, span: dayOf(date), deregistered: false }] : [];
  });
  return { kind: 'news', news };
}

/** The day is the user's, wherever that is. */
function dayOf(day: string | undefined): { from: Date; to: Date } | null {
  if (day === undefined) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { from: new Date(midnight - DAY / 2), to: new Date(midnight + 1.5 * DAY) };
}
