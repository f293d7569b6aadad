import type { StandInResponse, StandInRequest, StandIn, WireProtocol } from './stand-in.ts';
import { CLIENT, isClientAuthorization } from './stand-in.ts';

const ROOT = '/api/v3';
const STREAMS = /^\/api\/v3\/activities\/(\d+)\/streams$/;
const DETAIL = /^\/api\/v3\/activities\/(\d+)$/;
const SUBSCRIPTIONS = `${ROOT}/push_subscriptions`;

const errorAnswer = (status: number, resource: string): StandInResponse => ({
  status,
  body: { message: 'Bad Request', errors: [{ resource, field: '', code: 'invalid' }] },
});

export const stravaProtocol: WireProtocol = {
  slug: 'strava',
  user: '134815',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  clientAuth: 'post',
  pkce: false,
  scopeSeparator: ',',
  revoke: ({ path, headers, form }) =>
    path === '/oauth/revoke' && isClientAuthorization(headers['authorization'])
      ? (form.get('token') ?? '')
      : undefined,
  tokenAnswer: ({ accessToken, refreshToken }) => ({
    token_type: 'Bearer',
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_at: 1_772_400_000,
    expires_in: 21_600,
    athlete: { id: 134_815, username: 'ada' },
  }),
  tokenRefused: (why) =>
    why === 'client' ? errorAnswer(401, 'Application') : errorAnswer(400, 'RefreshToken'),
  accessRefused: errorAnswer(401, 'Athlete'),
  busy: {
    status: 429,
    headers: { 'x-ratelimit-limit': '200,2000', 'x-ratelimit-usage': '201,311' },
    body: { message: 'Rate Limit Exceeded' },
  },
  scopeOf: ({ path }) => (path === `${ROOT}/athlete` ? 'profile:read_all' : 'activity:read_all'),
  answerApplication: subscriptions,
  answerUser: ({ path, query }) => {
    if (path === `${ROOT}/athlete`) return { body: { id: 134_815, sex: 'F', weight: 61.2 } };
    if (path === `${ROOT}/athlete/activities`) return { body: activities(query) };
    const [, detailed] = DETAIL.exec(path) ?? [];
    if (detailed !== undefined) return { body: detail(Number(detailed)) };
    const [, id] = STREAMS.exec(path) ?? [];
    if (id === undefined) return undefined;
    // Some activities have no streams.
    return Number(id) % 8 === 5
      ? { status: 404, body: { message: 'Record Not Found' } }
      : { body: streams() };
  },
};

/** Eight activities per day, every two hours from 06:00. */
function activities(query: URLSearchParams) {
  const [after, before] = [Number(query.get('after')), Number(query.get('before'))];
  const [page, size] = [Number(query.get('page')), Math.min(Number(query.get('per_page')), 200)];
  const all: { start: number }[] = [];
  for (let day = Math.floor(after / 86_400) - 1; day <= Math.floor(before / 86_400); day += 1) {
    for (let n = 0; n < 8; n += 1) all.push(activity(day, n));
  }
  const found = all.filter(({ start }) => start > after && start < before).toReversed();
  return found.slice((page - 1) * size, page * size);
}

function activity(day: number, n: number) {
  const start = day * 86_400 + (6 + 2 * n) * 3600;
  return {
    id: day * 8 + n,
    start,
    name: 'Morning Ride',
    type: 'Ride',
    sport_type: n === 0 ? 'TrailRun' : 'MountainBikeRide',
    start_date: new Date(start * 1000).toISOString(),
    start_date_local: new Date((start - 8 * 3600) * 1000).toISOString(),
    timezone: '(GMT-08:00) America/Los_Angeles',
    elapsed_time: 3600,
    moving_time: 3300,
    distance: 24_931.4,
    total_elevation_gain: 312,
    elev_high: 446.2,
    elev_low: 17.2,
    average_speed: 7.2,
    max_speed: 15.1,
    average_heartrate: 140.3,
    max_heartrate: 178,
    average_watts: 175.3,
    weighted_average_watts: 210,
    max_watts: 406,
    device_watts: true,
    manual: n === 3,
    map: { id: 'a1', summary_polyline: 'ki{eFvqfiVqAWQIGEEKAYJgBVqDJ' },
  };
}

/** The activity of an id, with what the list does not have. Those entered by hand have no calories. */
function detail(id: number) {
  const [day, n] = [Math.floor(id / 8), id % 8];
  return { ...activity(day, n), description: '', calories: n === 3 ? null : 870.2 };
}

const streams = () => ({
  time: { data: [0, 1, 3], series_type: 'distance', original_size: 3, resolution: 'high' },
  latlng: { data: [[37.8, -122.4], [37.81, -122.41], null] },
  distance: { data: [0, 7.2, 14.5] },
  altitude: { data: [20.1, 20.3, 20.4] },
  heartrate: { data: [120, 121, null] },
  watts: { data: [180, 190] },
});

/** The real Strava validates the callback URL before it answers; here tests do that. */
function subscriptions(
  { method, path, query, form }: StandInRequest,
  standIn: StandIn,
): StandInResponse | undefined {
  if (path !== SUBSCRIPTIONS) return undefined;
  const given = method === 'GET' ? query : form;
  if (given.get('client_id') !== CLIENT.clientId || given.get('client_secret') !== CLIENT.clientSecret) {
    return errorAnswer(401, 'Application');
  }
  const known = [...standIn.subscriptions.values()];
  if (method === 'GET') return { body: known.map(({ id, callback_url }) => ({ id, callback_url })) };
  if (known.length > 0) return errorAnswer(400, 'PushSubscription');
  standIn.subscriptions.set('1', { id: 1, ...Object.fromEntries(form) });
  return { status: 201, body: { id: 1 } };
}
