import type { StandInResponse, StandInRequest, StandIn, WireProtocol } from './stand-in.ts';
import { dayBefore, daysFrom, isClientAuthorization, dayNumber } from './stand-in.ts';

/** Days with data: the last four weeks. */
const POLAR_DAYS = daysFrom('2026-02-16', '2026-03-15');
const EXERCISE = /^\/v3\/exercises\/(.+)$/;
const BEATS = /^\/v3\/users\/continuous-heart-rate\/(.+)$/;

export const polarProtocol: WireProtocol = {
  slug: 'polar',
  user: '2278512',
  authorize: '/oauth2/authorization',
  token: '/v2/oauth2/token',
  clientAuth: 'basic',
  pkce: false,
  scopeSeparator: ' ',
  revoke: ({ method, path }) => (method === 'DELETE' && path === '/v3/users/2278512' ? 'all' : undefined),
  // No refresh token: the access token is valid for years.
  tokenAnswer: ({ accessToken }) => ({
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: 315_359_999,
    x_user_id: 2_278_512,
  }),
  tokenRefused: (why) => ({
    status: why === 'client' ? 401 : 400,
    body: why === 'client' ? { error: 'invalid_client' } : { error: 'invalid_grant' },
  }),
  accessRefused: { status: 401, body: {} },
  busy: { status: 429, headers: { 'ratelimit-reset': '541' }, body: {} },
  scopeOf: () => 'accesslink.read_all',
  answerApplication: webhooks,
  answerUser: (asked, standIn) => {
    if (asked.path === '/v3/users' && asked.method === 'POST') return registerUser(asked, standIn);
    // No data before the user is registered.
    if (!standIn.flags.has('registered')) return { status: 403, body: {} };
    return answerData(asked);
  },
};

function registerUser({ json }: StandInRequest, { flags }: StandIn): StandInResponse {
  if (typeof json['member-id'] !== 'string') return { status: 400, body: {} };
  const known = flags.has('registered');
  flags.add('registered');
  return known
    ? { status: 409, body: {} }
    : { body: { 'polar-user-id': 2_278_512, 'member-id': json['member-id'] } };
}

function answerData({ path, query }: StandInRequest): StandInResponse | undefined {
  if (path === '/v3/users/sleep') return { body: { nights: POLAR_DAYS.toReversed().map(nightOf) } };
  if (path === '/v3/users/nightly-recharge') return { body: { recharges: POLAR_DAYS.map(rechargeOf) } };
  if (path === '/v3/users/physical-info') {
    return { body: { weight: 61.2, height: 172.4, birthday: '1990-12-10', gender: 'FEMALE', vo2_max: 48 } };
  }
  if (path === '/v3/exercises') return { body: POLAR_DAYS.toReversed().map((day) => exerciseOf(day, query)) };
  const [, exercise] = EXERCISE.exec(path) ?? [];
  const day = POLAR_DAYS.find((one) => `ex-${dayNumber(one)}` === exercise);
  if (day !== undefined) return { body: exerciseOf(day, query) };
  const [, beaten] = BEATS.exec(path) ?? [];
  if (beaten !== undefined) return POLAR_DAYS.includes(beaten) ? { body: beatsOf(beaten) } : undefined;
  if (path !== '/v3/users/activities') return undefined;
  const days = daysFrom(query.get('from'), query.get('to'));
  return days.length > 28 ? { status: 400, body: {} } : { body: days.map(dayOf) };
}

const nightOf = (day: string) => ({
  polar_user: 'https://www.polaraccesslink/v3/users/2278512',
  date: day,
  sleep_start_time: `${dayBefore(day)}T23:39:07+02:00`,
  sleep_end_time: `${day}T07:19:37+02:00`,
  device_id: '1111AAAA',
  light_sleep: 13_000,
  deep_sleep: 6000,
  rem_sleep: 6000,
  unrecognized_sleep_stage: 30,
  sleep_score: 80,
  total_interruption_duration: 1000,
  hypnogram: { '23:39': 2, '23:50': 3, '00:23': 4, '01:10': 1, '02:00': 0, '02:05': 5 },
  heart_rate_samples: { '23:41': 60, '23:46': 54, '00:51': 51 },
});

const rechargeOf = (day: string) => ({
  date: day,
  heart_rate_avg: 55,
  heart_rate_variability_avg: 48,
  breathing_rate_avg: 14.1,
  hrv_samples: { '23:45': 44, '00:41': 52 },
  breathing_samples: { '23:45': 13.4, '00:41': 14.5 },
});

function exerciseOf(day: string, query: URLSearchParams) {
  return {
    id: `ex-${dayNumber(day)}`,
    upload_time: `${day}T12:00:00.000Z`,
    device: 'Polar Vantage V3',
    device_id: '1111AAAA',
    start_time: `${day}T10:40:02`,
    start_time_utc_offset: 120,
    duration: 'PT1H4M10S',
    calories: 530,
    distance: 16_000.5,
    heart_rate: { average: 129, maximum: 147 },
    sport: 'RUNNING',
    has_route: true,
    detailed_sport_info: 'TRAIL_RUNNING',
    ...(query.get('zones') === 'true' && {
      heart_rate_zones: [
        { index: 1, 'lower-limit': 110, 'upper-limit': 130, 'in-zone': 'PT40M' },
        { index: 2, 'lower-limit': 130, 'upper-limit': 150, 'in-zone': 'PT24M10S' },
      ],
    }),
    ...(query.get('samples') === 'true' && {
      samples: [
        { 'recording-rate': 5, 'sample-type': '0', data: '100,102,null,97' },
        { 'recording-rate': 5, 'sample-type': '1', data: '0,9,18,36' },
        { 'recording-rate': 5, 'sample-type': '10', data: '0.0,5.5,20.1' },
        { 'recording-rate': null, 'sample-type': '11', data: '812,799' },
      ],
    }),
    ...(query.get('route') === 'true' && {
      route: [
        { latitude: 60.219, longitude: 25.139, time: 'PT0S', satellites: 4, fix: 1 },
        { latitude: 60.22, longitude: 25.14, time: 'PT10.026S', satellites: 4, fix: 1 },
      ],
    }),
  };
}

const beatsOf = (day: string) => ({
  polar_user: 'https://polaraccesslink.com/v3/users/2278512',
  date: day,
  heart_rate_samples: Array.from({ length: 24 }, (_, hour) => ({
    heart_rate: 50 + hour,
    sample_time: `${String(hour).padStart(2, '0')}:02:08`,
  })),
});

const dayOf = (day: string) => ({
  start_time: `${day}T00:00:00`,
  end_time: `${day}T23:59:59`,
  active_duration: 'PT3H11M',
  daily_activity: 89.1,
  calories: 2500,
  active_calories: 800,
  steps: 8823,
  distance_from_steps: 6590.5,
});

/** The team creates the webhook; we only check and activate it. */
function webhooks(
  { method, path, headers }: StandInRequest,
  { subscriptions }: StandIn,
): StandInResponse | undefined {
  if (!path.startsWith('/v3/webhooks')) return undefined;
  if (!isClientAuthorization(headers['authorization'])) return { status: 401, body: {} };
  if (method === 'GET') return { body: { data: [...subscriptions.values()] } };
  for (const [id, webhook] of subscriptions) subscriptions.set(id, { ...webhook, active: true });
  return { status: 200 };
}
