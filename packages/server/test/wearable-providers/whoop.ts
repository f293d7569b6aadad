import type { StandInResponse, WireProtocol } from './stand-in.ts';
import { dayBefore, dayNumber } from './stand-in.ts';

const ROOT = '/developer/v2';
const PAGE = 5;

/** Collections of one user. The start of a record decides its day. */
const COLLECTIONS: Readonly<
  Record<string, { scope: string; made: (day: string) => { start: string } & object }>
> = {
  cycle: {
    scope: 'read:cycles',
    made: (day) => ({
      ...commonFields(day),
      id: dayNumber(day),
      start: `${dayBefore(day)}T22:00:00.000Z`,
      end: `${day}T22:00:00.000Z`,
      score: { strain: 11.2, kilojoule: 8368, average_heart_rate: 68, max_heart_rate: 151 },
    }),
  },
  'activity/sleep': {
    scope: 'read:sleep',
    made: (day) => ({
      ...commonFields(day),
      id: `ecfc6a15-4661-442f-a9a4-${String(dayNumber(day)).padStart(12, '0')}`,
      cycle_id: dayNumber(day),
      start: `${dayBefore(day)}T22:00:00.000Z`,
      end: `${day}T06:00:00.000Z`,
      nap: false,
      score: {
        stage_summary: {
          total_in_bed_time_milli: 28_800_000,
          total_awake_time_milli: 1_800_000,
          total_no_data_time_milli: 0,
          total_light_sleep_time_milli: 14_400_000,
          total_slow_wave_sleep_time_milli: 6_300_000,
          total_rem_sleep_time_milli: 6_300_000,
          sleep_cycle_count: 4,
          disturbance_count: 9,
        },
        respiratory_rate: 16.11,
        sleep_performance_percentage: 94,
        sleep_efficiency_percentage: 93.7,
      },
    }),
  },
  'activity/workout': {
    scope: 'read:workout',
    made: (day) => ({
      ...commonFields(day),
      id: `b0fc6a15-4661-442f-a9a4-${String(dayNumber(day)).padStart(12, '0')}`,
      start: `${day}T16:00:00.000Z`,
      end: `${day}T17:00:00.000Z`,
      sport_name: 'weightlifting',
      score: {
        strain: 8.2,
        average_heart_rate: 123,
        max_heart_rate: 146,
        kilojoule: 1569.34,
        distance_meter: 1772.8,
        altitude_gain_meter: 46.6,
        zone_durations: {
          zone_zero_milli: 300_000,
          zone_one_milli: 600_000,
          zone_two_milli: 900_000,
          zone_three_milli: 900_000,
          zone_four_milli: 600_000,
          zone_five_milli: 300_000,
        },
      },
    }),
  },
  recovery: {
    scope: 'read:recovery',
    made: (day) => ({
      ...commonFields(day),
      cycle_id: dayNumber(day),
      sleep_id: `ecfc6a15-4661-442f-a9a4-${String(dayNumber(day)).padStart(12, '0')}`,
      start: `${dayBefore(day)}T22:00:00.000Z`,
      created_at: `${day}T06:10:00.000Z`,
      score: {
        user_calibrating: false,
        recovery_score: 61,
        resting_heart_rate: 52,
        hrv_rmssd_milli: 61.8,
        spo2_percentage: 96.4,
        skin_temp_celsius: 33.7,
      },
    }),
  },
};

const commonFields = (day: string) => ({
  user_id: 10_129,
  created_at: `${day}T06:05:00.000Z`,
  updated_at: `${day}T06:06:00.000Z`,
  timezone_offset: '+02:00',
  score_state: 'SCORED',
});

export const whoopProtocol: WireProtocol = {
  slug: 'whoop_v2',
  user: '10129',
  authorize: '/oauth/oauth2/auth',
  token: '/oauth/oauth2/token',
  clientAuth: 'post',
  pkce: false,
  scopeSeparator: ' ',
  revoke: ({ method, path, headers }) =>
    method === 'DELETE' && path === `${ROOT}/user/access`
      ? (headers['authorization']?.replace(/^Bearer /, '') ?? '')
      : undefined,
  tokenAnswer: ({ accessToken, refreshToken, scopes }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: 3600,
    scope: scopes.join(' '),
    token_type: 'bearer',
  }),
  tokenRefused: (why) => ({
    status: why === 'client' ? 401 : 400,
    body: { error: why === 'client' ? 'invalid_client' : 'invalid_grant', error_description: 'no' },
  }),
  accessRefused: { status: 401, body: 'Authorization was not valid' },
  busy: { status: 429, headers: { 'x-ratelimit-reset': '33' }, body: {} },
  scopeOf: ({ path }) => {
    if (path === `${ROOT}/user/profile/basic`) return 'read:profile';
    if (path === `${ROOT}/user/measurement/body`) return 'read:body_measurement';
    return COLLECTIONS[path.slice(ROOT.length + 1)]?.scope;
  },
  answerUser: ({ path, query }) => {
    if (path === `${ROOT}/user/profile/basic`) {
      return { body: { user_id: 10_129, email: 'ada@example.com', first_name: 'Ada', last_name: 'L' } };
    }
    if (path === `${ROOT}/user/measurement/body`) {
      return { body: { height_meter: 1.8288, weight_kilogram: 90.7185, max_heart_rate: 200 } };
    }
    const collection = COLLECTIONS[path.slice(ROOT.length + 1)];
    return collection && answerPage(collection.made, query);
  },
};

/** Newest first, always five per page. */
function answerPage(made: (day: string) => { start: string }, query: URLSearchParams): StandInResponse {
  const limit = Number(query.get('limit'));
  const [from, to] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')];
  if (!(limit <= 25) || Number.isNaN(from) || Number.isNaN(to)) return { status: 400, body: {} };
  const days: string[] = [];
  for (let at = from - 86_400_000; at <= to + 86_400_000; at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  const records = days
    .map(made)
    .filter(({ start }) => Date.parse(start) >= from && Date.parse(start) < to)
    .toReversed();
  const first = Number(query.get('nextToken') ?? 0);
  const rest = first + PAGE < records.length ? { next_token: String(first + PAGE) } : {};
  return { body: { records: records.slice(first, first + PAGE), ...rest } };
}
