import type { StandInResponse, StandInRequest, StandIn, WireProtocol } from './stand-in.ts';
import { CLIENT, dayBefore, daysFrom, dayNumber } from './stand-in.ts';

const COLLECTION = /^\/v2\/usercollection\/(\w+)$/;
const SUBSCRIPTION = /^\/v2\/webhook\/subscription(?:\/renew\/(.+))?$/;
const PAGE = 4;

const SCOPES: Readonly<Record<string, string>> = {
  personal_info: 'personal',
  workout: 'workout',
  heartrate: 'heartrate',
};

export const ouraProtocol: WireProtocol = {
  slug: 'oura',
  user: 'a1b2c3',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  clientAuth: 'post',
  pkce: false,
  scopeSeparator: ' ',
  revoke: ({ path, query }) => (path === '/oauth/revoke' ? (query.get('access_token') ?? '') : undefined),
  // The granted scopes are in the redirect URL.
  tokenAnswer: ({ accessToken, refreshToken }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: 86_400,
    token_type: 'bearer',
  }),
  tokenRefused: (why) => ({
    status: why === 'client' ? 401 : 400,
    body: { error: why === 'client' ? 'invalid_client' : 'invalid_grant', status: 400, title: 'no' },
  }),
  accessRefused: { status: 401, body: { status: 401, title: 'Unauthorized' } },
  busy: { status: 429, headers: { 'retry-after': '77' }, body: {} },
  scopeOf: ({ path }) => {
    const [, name] = COLLECTION.exec(path) ?? [];
    return name === undefined ? undefined : (SCOPES[name] ?? 'daily');
  },
  answerApplication: subscriptions,
  answerUser: ({ path, query }) => {
    const [, name = ''] = COLLECTION.exec(path) ?? [];
    if (name === 'personal_info') {
      return {
        body: { id: 'a1b2c3', age: 35, weight: 70, height: 1.724, biological_sex: 'female', email: null },
      };
    }
    if (name === 'heartrate') return heartRates(query);
    const made = DOCUMENTS[name];
    if (!made) return undefined;
    const days = daysFrom(query.get('start_date'), query.get('end_date'));
    return answerPage(days.flatMap(made), query);
  },
};

function answerPage(all: readonly unknown[], query: URLSearchParams): StandInResponse {
  const from = Number(query.get('next_token') ?? 0);
  const next = from + PAGE < all.length ? String(from + PAGE) : null;
  return { body: { data: all.slice(from, from + PAGE), next_token: next } };
}

const DOCUMENTS: Readonly<Record<string, (day: string) => unknown[]>> = {
  sleep: (day) => [sleepOf(day), { ...sleepOf(day), id: `deleted-${day}`, type: 'deleted' }],
  daily_sleep: (day) => [{ id: `ds-${day}`, day, score: 81, timestamp: `${day}T00:00:00+00:00` }],
  daily_activity: (day) => [
    {
      id: `activity-${day}`,
      day,
      timestamp: `${day}T04:00:00.000+02:00`,
      active_calories: 410,
      total_calories: 2310,
      steps: 7000 + (dayNumber(day) % 100),
      equivalent_walking_distance: 6300,
      low_activity_time: 7200,
      medium_activity_time: 1800,
      high_activity_time: 600,
      score: 85,
    },
  ],
  workout: (day) => [
    {
      id: `workout-${day}`,
      activity: 'trailRunning',
      calories: 312.5,
      day,
      distance: 5210.5,
      end_datetime: `${day}T18:00:00.000+02:00`,
      intensity: 'moderate',
      label: null,
      source: 'confirmed',
      start_datetime: `${day}T17:15:00.000+02:00`,
    },
  ],
};

const sleepOf = (day: string) => ({
  id: `sleep-${day}`,
  average_breath: 14.25,
  average_heart_rate: 54.4,
  average_hrv: 48,
  awake_time: 60,
  bedtime_start: `${dayBefore(day)}T23:00:00.000+02:00`,
  bedtime_end: `${day}T07:00:00.000+02:00`,
  day,
  deep_sleep_duration: 60,
  efficiency: 91,
  hrv: { interval: 300, items: [null, 40, 44], timestamp: `${dayBefore(day)}T23:00:00.000+02:00` },
  heart_rate: null,
  latency: 450,
  light_sleep_duration: 90,
  lowest_heart_rate: 47,
  period: 0,
  readiness: { score: 79, temperature_deviation: -0.12 },
  rem_sleep_duration: 30,
  sleep_phase_30_sec: '44222113',
  time_in_bed: 28_800,
  total_sleep_duration: 180,
  type: 'long_sleep',
});

function heartRates(query: URLSearchParams): StandInResponse {
  const from = Date.parse(query.get('start_datetime') ?? '');
  const to = Date.parse(query.get('end_datetime') ?? '');
  if (to - from > 30 * 86_400_000) return { status: 400, body: { detail: 'Range is too long' } };
  const first = Math.ceil(from / 3_600_000) * 3_600_000;
  const all = Array.from({ length: Math.max(0, Math.ceil((to - first) / 3_600_000)) }, (_, hour) => ({
    bpm: 50 + (hour % 24),
    source: 'awake',
    timestamp: new Date(first + hour * 3_600_000).toISOString(),
  }));
  return answerPage(all, query);
}

function subscriptions(
  { method, path, headers, json }: StandInRequest,
  standIn: StandIn,
): StandInResponse | undefined {
  const [matched, renewed] = SUBSCRIPTION.exec(path) ?? [];
  if (matched === undefined) return undefined;
  if (headers['x-client-id'] !== CLIENT.clientId) return { status: 401, body: {} };
  if (method === 'GET') return { body: [...standIn.subscriptions.values()] };
  if (renewed !== undefined) {
    const known = standIn.subscriptions.get(renewed);
    if (!known) return { status: 403, body: {} };
    standIn.subscriptions.set(renewed, { ...known, expiration_time: '2026-12-01T00:00:00+00:00' });
    return { body: standIn.subscriptions.get(renewed) };
  }
  const id = `s-${standIn.subscriptions.size + 1}`;
  standIn.subscriptions.set(id, { id, ...json, expiration_time: '2026-03-20T00:00:00+00:00' });
  return { status: 201, body: standIn.subscriptions.get(id) };
}
