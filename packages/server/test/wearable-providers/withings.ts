import { createHmac } from 'node:crypto';
import type { StandInResponse, StandInRequest, StandIn, WireProtocol } from './stand-in.ts';
import { CLIENT, dayBefore, daysFrom, dayNumber, utcMillis } from './stand-in.ts';

const okAnswer = (body: unknown): StandInResponse => ({ body: { status: 0, body } });
const errorAnswer = (status: number, error: string): StandInResponse => ({
  body: { status, body: {}, error },
});

const seconds = (day: string, time: string) => utcMillis(day, time) / 1000;

const SCOPES: Readonly<Record<string, string>> = {
  getmeas: 'user.metrics',
  getactivity: 'user.activity',
  getworkouts: 'user.activity',
  getintradayactivity: 'user.activity',
  getsummary: 'user.activity',
};

/** Every response has HTTP status 200, errors included. */
export const withingsProtocol: WireProtocol = {
  slug: 'withings',
  user: '363',
  authorize: '/oauth2_user/authorize2',
  token: '/v2/oauth2',
  clientAuth: 'post',
  pkce: false,
  scopeSeparator: ',',
  tokenAnswer: ({ accessToken, refreshToken, scopes }) => ({
    status: 0,
    body: {
      userid: 363,
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: 10_800,
      scope: scopes.join(','),
      token_type: 'Bearer',
    },
  }),
  tokenRefused: (why) =>
    why === 'client'
      ? errorAnswer(401, 'Invalid Params: invalid client_id')
      : errorAnswer(503, 'Invalid Params: invalid refresh_token'),
  accessRefused: errorAnswer(401, 'The access token provided is invalid'),
  busy: errorAnswer(601, 'Too Many Requests'),
  scopeOf: ({ form }) => SCOPES[form.get('action') ?? ''],
  scopeRefused: errorAnswer(214, 'Unauthorized'),
  answerApplication: signedCalls,
  answerUser: (asked, standIn) => {
    const { path, form } = asked;
    const action = form.get('action') ?? '';
    if (path === '/notify') return notify(form, standIn);
    const made = ANSWERS[`${path} ${action}`];
    return made?.(form);
  },
};

/** A nonce can be used once. The signature covers action, client_id, and nonce or timestamp. */
function signedCalls({ path, form }: StandInRequest, standIn: StandIn): StandInResponse | undefined {
  const action = form.get('action');
  const nonce = path === '/v2/signature' && action === 'getnonce';
  if (!nonce && !(path === '/v2/oauth2' && action === 'revoke')) return undefined;
  const values = [action, form.get('client_id'), form.get(nonce ? 'timestamp' : 'nonce')].join(',');
  const signature = createHmac('sha256', CLIENT.clientSecret).update(values).digest('hex');
  if (signature !== form.get('signature')) return errorAnswer(293, 'Invalid signature');
  if (nonce) {
    const fresh = `nonce-${standIn.calls.length}`;
    standIn.flags.add(fresh);
    return okAnswer({ nonce: fresh });
  }
  if (!standIn.flags.delete(form.get('nonce') ?? '')) return errorAnswer(293, 'Invalid nonce');
  if (form.get('userid') === '363') standIn.revokeGrants();
  return okAnswer({});
}

function notify(form: URLSearchParams, { subscriptions }: StandIn): StandInResponse {
  if (form.get('action') === 'list') return okAnswer({ profiles: [...subscriptions.values()] });
  const appli = Number(form.get('appli'));
  subscriptions.set(String(appli), { appli, callbackurl: form.get('callbackurl') });
  return okAnswer({});
}

const days = (form: URLSearchParams) => daysFrom(form.get('startdateymd'), form.get('enddateymd'));

/** Newest first, three per page. */
function answerPage(name: string, all: readonly unknown[], form: URLSearchParams): StandInResponse {
  const from = Number(form.get('offset') ?? 0);
  const more = from + 3 < all.length;
  return okAnswer({
    [name]: all.toReversed().slice(from, from + 3),
    more,
    offset: more ? from + 3 : 0,
    timezone: 'Europe/Paris',
  });
}

const ANSWERS: Readonly<Record<string, (form: URLSearchParams) => StandInResponse>> = {
  '/measure getmeas': (form) => {
    const wanted = new Set((form.get('meastypes') ?? '').split(',').map(Number));
    const [from, to] = [Number(form.get('startdate')), Number(form.get('enddate'))];
    const all = daysFrom(
      new Date(from * 1000).toISOString().slice(0, 10),
      new Date(to * 1000).toISOString().slice(0, 10),
    );
    const groups = all
      .flatMap(groupsOf)
      .filter(
        ({ date, measures }) => date >= from && date <= to && measures.some(({ type }) => wanted.has(type)),
      );
    return answerPage('measuregrps', groups, form);
  },
  '/v2/measure getactivity': (form) => answerPage('activities', days(form).map(activityOf), form),
  '/v2/measure getworkouts': (form) => answerPage('series', days(form).map(workoutOf), form),
  '/v2/sleep getsummary': (form) => answerPage('series', days(form).map(sleepOf), form),
  '/v2/sleep get': (form) => {
    const at = Number(form.get('startdate'));
    const states = [0, 1, 2, 3, 5].map((state, n) => ({
      startdate: at + n * 600,
      enddate: at + (n + 1) * 600,
      state,
      model: 'Aura Sensor V2',
    }));
    return okAnswer({ series: states, model: 32 });
  },
  '/v2/measure getintradayactivity': (form) => {
    const [from, to] = [Number(form.get('startdate')), Number(form.get('enddate'))];
    const hours: [string, object][] = [];
    for (let at = Math.ceil(from / 3600) * 3600; at <= Math.min(to, from + 86_400); at += 3600) {
      hours.push([String(at), POINT]);
    }
    return okAnswer({ series: hours.length === 0 ? [] : Object.fromEntries(hours) });
  },
};

const POINT = {
  deviceid: 'd1',
  model: 'ScanWatch',
  model_id: 93,
  duration: 60,
  steps: 71,
  distance: 55.5,
  calories: 2.5,
  heart_rate: 72,
  rmssd: 42,
};

/** A scale, a blood pressure monitor, a thermometer and a watch. */
const groupsOf = (day: string) => [
  group(day, '06:30:00', {
    model: 'Body Comp',
    values: [
      [1, 65_750, -3],
      [6, 2151, -2],
      [5, 51_600, -3],
      [76, 49_000, -3],
      [77, 36_000, -3],
      [88, 2600, -3],
      [170, 3, 0],
    ],
  }),
  group(day, '07:00:00', {
    model: 'BPM Connect',
    values: [
      [9, 78, 0],
      [10, 121, 0],
      [11, 64, 0],
    ],
  }),
  group(day, '07:30:00', { model: 'Thermo', values: [[71, 366, -1]] }),
  group(day, '08:00:00', { model: 'ScanWatch', values: [[54, 97, 0]] }),
  group(day, '08:30:00', { model: 'ScanWatch', values: [[123, 42, 0]] }),
];

const group = (day: string, time: string, { model, values }: { model: string; values: number[][] }) => ({
  grpid: dayNumber(day) * 100 + Number(time.slice(0, 2)) * 10 + Number(time.slice(3, 4)),
  attrib: 0,
  date: seconds(day, time),
  category: 1,
  deviceid: `device of ${model}`,
  hash_deviceid: `hash of ${model}`,
  model,
  measures: values.map(([type = 0, value = 0, unit = 0]) => ({ type, value, unit })),
});

const activityOf = (day: string) => ({
  date: day,
  timezone: 'Europe/Paris',
  hash_deviceid: 'h1',
  model: 'ScanWatch',
  steps: 6200,
  distance: 4300.5,
  elevation: 7,
  soft: 7200,
  moderate: 1800,
  intense: 600,
  calories: 412.3,
  totalcalories: 2350.1,
  hr_average: 71,
  hr_min: 48,
  hr_max: 151,
});

const workoutOf = (day: string) => ({
  id: dayNumber(day) * 10,
  category: 2,
  timezone: 'Europe/Paris',
  model: 93,
  startdate: seconds(day, '17:00:00'),
  enddate: seconds(day, '17:40:00'),
  date: day,
  deviceid: 'd1',
  data: {
    calories: 331,
    hr_average: 141,
    hr_max: 171,
    hr_zone_0: 60,
    hr_zone_1: 600,
    hr_zone_2: 1200,
    hr_zone_3: 540,
    distance: 7012,
    steps: 6400,
    pause_duration: 120,
  },
});

const sleepOf = (day: string) => ({
  id: dayNumber(day),
  timezone: 'Europe/Paris',
  model: 32,
  model_id: 63,
  startdate: seconds(dayBefore(day), '22:00:00'),
  enddate: seconds(day, '06:00:00'),
  date: day,
  hash_deviceid: 'aura',
  completed: true,
  data: {
    total_timeinbed: 28_800,
    total_sleep_time: 27_000,
    lightsleepduration: 15_000,
    remsleepduration: 6000,
    deepsleepduration: 6000,
    wakeupduration: 1800,
    sleep_efficiency: 0.94,
    sleep_latency: 420,
    hr_average: 55,
    hr_min: 48,
    rr_average: 14,
    sleep_score: 83,
  },
});
