import { z } from 'zod';
import { SECOND } from '../../../platform/clock.ts';
import type { Definition, Means, TokenAnswer } from '../definition.ts';
import {
  GrantLost,
  ProviderBusy,
  type Grant,
  type NewsAnswer,
  type NewsRequest,
  type ProviderApplication,
} from '../port.ts';
import { addressWithToken, answered, newsToken, refused, sameText, signatureOf } from '../signatures.ts';
import { secondsAt } from '../times.ts';
import { call, isRefusal } from './call.ts';
import * as pull from './pull.ts';
import * as samples from './samples.ts';
import { Nonce, Profiles, WithingsNews, Wrapped } from './wire.ts';

const SLUG = 'withings';
const API = 'https://wbsapi.withings.net';

/** Kinds of news by their numbers, the scope that each needs, and what they are about. */
// prettier-ignore
const NEWS: readonly { appli: number; scope: string; resources: readonly string[] }[] = [
  { appli: 1,  scope: 'user.metrics',  resources: ['body', 'weight', 'fat'] },
  { appli: 2,  scope: 'user.metrics',  resources: ['body_temperature'] },
  { appli: 4,  scope: 'user.metrics',  resources: ['blood_pressure', 'heartrate', 'blood_oxygen'] },
  { appli: 16, scope: 'user.activity', resources: ['activity', 'workouts', 'steps', 'distance', 'calories_active', 'heartrate'] },
  { appli: 44, scope: 'user.activity', resources: ['sleep', 'hrv'] },
];
/** What users do with their accounts. */
const OF_THE_USER = 46;

const METRICS = ['user.metrics'];
const ACTIVITY = ['user.activity'];

// prettier-ignore
export const withings: Definition = {
  slug: SLUG,
  name: 'Withings',
  api: API,
  oauth: {
    authorize: 'https://account.withings.com/oauth2_user/authorize2',
    token: `${API}/v2/oauth2`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ',',
    always: [],
    tokenMore: { action: 'requesttoken' },
    tokenAnswer,
    userIn: ({ userid }) => userid,
  },
  resources: {
    activity:         { scopes: ACTIVITY, windowDays: 60, pull: pull.activity },
    workouts:         { scopes: ACTIVITY, windowDays: 60, pull: pull.workouts },
    sleep:            { scopes: ACTIVITY, windowDays: 60, pull: pull.sleep },
    body:             { scopes: METRICS,  windowDays: 60, pull: samples.body },
    weight:           { scopes: METRICS,  windowDays: 60, pull: samples.weight },
    fat:              { scopes: METRICS,  windowDays: 60, pull: samples.fat },
    blood_pressure:   { scopes: METRICS,  windowDays: 60, pull: samples.bloodPressure },
    blood_oxygen:     { scopes: METRICS,  windowDays: 60, pull: samples.bloodOxygen },
    body_temperature: { scopes: METRICS,  windowDays: 60, pull: samples.bodyTemperature },
    vo2_max:          { scopes: METRICS,  windowDays: 60, pull: samples.vo2Max },
    // Only the first 24 hours of a longer time are answered.
    steps:            { scopes: ACTIVITY, windowDays: 1,  pull: samples.steps },
    distance:         { scopes: ACTIVITY, windowDays: 1,  pull: samples.distance },
    calories_active:  { scopes: ACTIVITY, windowDays: 1,  pull: samples.calories },
    heartrate:        { scopes: ACTIVITY, windowDays: 1,  pull: samples.heartrate },
    hrv:              { scopes: ACTIVITY, windowDays: 1,  pull: samples.hrv },
  },
  news: { kind: 'webhook', dated: true },
  historicalDays: 90,
  revoke,
  subscribe,
  readNews,
};

/** The answer is in an envelope, and its status in there. */
function tokenAnswer({ status: outer, body: envelope }: TokenAnswer): TokenAnswer {
  const { status, body } = Wrapped.catch({ status: -1, body: {} }).parse(envelope);
  if (outer >= 400 || status === -1) return { status: outer, body: envelope };
  if (status === 601) throw new ProviderBusy(60, 'Withings wants to be asked less often');
  if (status === 0) return { status: 200, body: z.record(z.string(), z.unknown()).catch({}).parse(body) };
  // An application that is not known is refused in the same words as a token; its error text tells them apart.
  const text = String(envelope['error'] ?? '');
  const application = /client_?id|client_?secret/i.test(text) || (isRefusal(status) && /client/i.test(text));
  return { status: 400, body: { error: application ? 'invalid_client' : 'invalid_grant' } };
}

/** The values of what is signed, in the order of their names, with commas. */
const signed = (
  { clientSecret }: ProviderApplication,
  values: Readonly<Record<string, string | number>>,
) => ({
  ...values,
  signature: signatureOf({
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

/** Each signed request needs a nonce of its own. */
async function revoke({ api, app, now }: Means, { externalUserId }: Grant): Promise<void> {
  if (externalUserId === null) return;
  const asked = signed(app, { action: 'getnonce', client_id: app.clientId, timestamp: secondsAt(now) });
  const { nonce } = await call(api, Nonce, { path: '/v2/signature', form: asked });
  const form = {
    ...signed(app, { action: 'revoke', client_id: app.clientId, nonce }),
    userid: externalUserId,
  };
  // Whatever it says: a user that it does not know any more is not connected.
  await api.send('/v2/oauth2', { form });
}

async function subscribe(
  { api, app }: Means,
  { grant, address }: { grant: Grant; address: string },
): Promise<void> {
  const path = '/notify';
  const wanted = addressWithToken(address, app, SLUG);
  const { profiles } = await call(api, Profiles, { path, form: { action: 'list' } });
  const there = new Set(
    profiles.filter(({ callbackurl }) => callbackurl === wanted).map(({ appli }) => appli),
  );
  const granted = NEWS.filter(({ scope }) => grant.scopes.includes(scope)).map(({ appli }) => appli);
  for (const appli of [...granted, OF_THE_USER]) {
    if (there.has(appli)) continue;
    const { status } = await api.read(Wrapped, path, {
      form: { action: 'subscribe', callbackurl: wanted, appli },
    });
    if (status === 601) throw new ProviderBusy(60, 'Withings wants to be asked less often');
    if (status !== 0 && appli !== OF_THE_USER) {
      throw new GrantLost('webhook_registration_failed', `Withings answered ${status} to the subscription`);
    }
  }
}

/** It does not sign: the address has a token. Before it calls it asks without a body whether we are there. */
function readNews(app: ProviderApplication, { method, query, body }: NewsRequest): NewsAnswer {
  if (method === 'HEAD') return answered(200, '');
  if (!sameText(query['token'], newsToken(app, SLUG))) {
    return refused('The token of the address is missing or wrong');
  }
  if (method !== 'POST' || body.length === 0) return answered(200, '');
  const news = WithingsNews.safeParse(Object.fromEntries(new URLSearchParams(body.toString('utf8'))));
  if (!news.success) return refused('It cannot be read');
  const { userid: externalUserId, appli, action, startdate, enddate } = news.data;
  if (appli === OF_THE_USER) {
    const deregistered = action === 'unlink' || action === 'delete';
    return {
      kind: 'news',
      news: deregistered ? [{ externalUserId, resources: [], span: null, deregistered }] : [],
    };
  }
  const resources = NEWS.find((row) => row.appli === appli)?.resources;
  if (!resources) return { kind: 'news', news: [] };
  const span =
    startdate === undefined || enddate === undefined
      ? null
      : { from: new Date(startdate * SECOND), to: new Date(enddate * SECOND + SECOND) };
  return { kind: 'news', news: [{ externalUserId, resources, span, deregistered: false }] };
}
