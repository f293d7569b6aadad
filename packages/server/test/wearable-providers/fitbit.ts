import type { StandInResponse, StandInRequest, WireProtocol } from './stand-in.ts';
import { dayBefore, daysFrom, dayNumber } from './stand-in.ts';

const RANGE = /^\/1(?:\.2)?\/user\/-\/(.+)\/date\/(\d{4}-\d\d-\d\d)\/(\d{4}-\d\d-\d\d)\.json$/;
const DAY = /^\/1\/user\/-\/activities\/date\/(.+)\.json$/;
const INTRADAY = /^\/1\/user\/-\/activities\/(heart|steps)\/date\/(.+)\/1d\/(\d+min)\.json$/;
const SUBSCRIPTION = /^\/1\/user\/-\/(\w+)\/apiSubscriptions\/(.+)\.json$/;

const error = (status: number, errorType: string): StandInResponse => ({
  status,
  body: { errors: [{ errorType, message: 'n/a' }], success: false },
});

/** Maximum ranges in days. */
const LIMITS: Readonly<Record<string, number>> = {
  sleep: 100,
  'body/log/weight': 31,
  hrv: 30,
  br: 30,
  spo2: 30,
  'temp/skin': 30,
  cardioscore: 30,
  'foods/log/water': 1095,
};

const SCOPES: Readonly<Record<string, string>> = {
  sleep: 'sleep',
  'body/log/weight': 'weight',
  hrv: 'heartrate',
  br: 'respiratory_rate',
  spo2: 'oxygen_saturation',
  'temp/skin': 'temperature',
  cardioscore: 'cardio_fitness',
  'foods/log/water': 'nutrition',
};

export const fitbitProtocol: WireProtocol = {
  slug: 'fitbit',
  user: 'GGNJL9',
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  clientAuth: 'basic',
  pkce: true,
  scopeSeparator: ' ',
  revoke: ({ path, form }) => (path === '/oauth2/revoke' ? (form.get('token') ?? '') : undefined),
  tokenAnswer: ({ accessToken, refreshToken, scopes }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: 28_800,
    scope: scopes.join(' '),
    token_type: 'Bearer',
    user_id: 'GGNJL9',
  }),
  tokenRefused: (why) => (why === 'client' ? error(401, 'invalid_client') : error(400, 'invalid_grant')),
  accessRefused: error(401, 'expired_token'),
  busy: { ...error(429, 'rate_limit'), headers: { 'fitbit-rate-limit-reset': '1477' } },
  scopeOf: ({ path }) => {
    if (path === '/1/user/-/profile.json') return 'profile';
    const [, kind] = INTRADAY.exec(path) ?? [];
    if (kind === 'heart') return 'heartrate';
    if (/^\/1\/user\/-\/activities\/(date|list|steps)/.test(path)) return 'activity';
    return SCOPES[RANGE.exec(path)?.[1] ?? ''];
  },
  scopeRefused: error(403, 'insufficient_scope'),
  answerUser: (asked, { subscriptions }) => {
    const { path, method } = asked;
    const [, collection, name] = SUBSCRIPTION.exec(path) ?? [];
    if (method === 'POST' && collection !== undefined && name !== undefined) {
      const known = subscriptions.has(name);
      subscriptions.set(name, { collection });
      return { status: known ? 200 : 201, body: { collectionType: collection, subscriptionId: name } };
    }
    if (path === '/1/user/-/profile.json') return { body: { user: USER } };
    const [, day] = DAY.exec(path) ?? [];
    if (day !== undefined) return { body: summaryOf(day) };
    const [, kind, date] = INTRADAY.exec(path) ?? [];
    if (kind !== undefined && date !== undefined) return { body: intraday(kind, date) };
    if (path === '/1/user/-/activities/list.json') return { body: activityLog(asked) };
    return answerRange(path);
  },
};

const USER = {
  encodedId: 'GGNJL9',
  timezone: 'America/New_York',
  offsetFromUTCMillis: -18_000_000,
  height: 172.4,
  dateOfBirth: '1990-12-10',
  gender: 'FEMALE',
  displayName: 'Ada',
};

function answerRange(path: string): StandInResponse | undefined {
  const [, kind = '', first = '', last = ''] = RANGE.exec(path) ?? [];
  const days = daysFrom(first, last);
  const made = RANGES[kind];
  if (!made) return undefined;
  if (days.length > (LIMITS[kind] ?? 0)) return error(400, 'validation');
  return { body: made(days) };
}

const RANGES: Readonly<Record<string, (days: readonly string[]) => unknown>> = {
  sleep: (days) => ({ sleep: days.toReversed().map(sleepOf) }),
  'body/log/weight': (days) => ({
    weight: days.map((date) => ({
      bmi: 23.5,
      date,
      fat: 21.5,
      logId: dayNumber(date) * 1000,
      source: 'Aria',
      time: '07:15:30',
      weight: 70.5,
    })),
  }),
  hrv: (days) => ({
    hrv: days.map((dateTime) => ({ dateTime, value: { dailyRmssd: 34.9, deepRmssd: 31.5 } })),
  }),
  br: (days) => ({ br: days.map((dateTime) => ({ dateTime, value: { breathingRate: 15.2 } })) }),
  spo2: (days) => days.map((dateTime) => ({ dateTime, value: { avg: 96.1, min: 93, max: 99 } })),
  'temp/skin': (days) => ({
    tempSkin: days.map((dateTime) => ({
      dateTime,
      value: { nightlyRelative: -0.4 },
      logType: 'dedicated_temp_sensor',
    })),
  }),
  cardioscore: (days) => ({
    cardioScore: days.map((dateTime) => ({ dateTime, value: { vo2Max: '44-48' } })),
  }),
  'foods/log/water': (days) => ({
    'foods-log-water': days.map((dateTime) => ({ dateTime, value: '1800.0' })),
  }),
};

/** 23:00 to 07:00 local time; one hour less in the night of the DST change. */
const sleepOf = (day: string) => {
  const evening = dayBefore(day);
  return {
    logId: dayNumber(day) * 10,
    dateOfSleep: day,
    startTime: `${evening}T23:00:00.000`,
    endTime: `${day}T07:00:00.000`,
    duration: 28_800_000,
    efficiency: 93,
    isMainSleep: true,
    logType: 'auto_detected',
    minutesAsleep: 440,
    minutesAwake: 40,
    minutesToFallAsleep: 5,
    timeInBed: 480,
    type: 'stages',
    levels: {
      data: [
        { dateTime: `${evening}T23:00:00.000`, level: 'wake', seconds: 600 },
        { dateTime: `${evening}T23:10:00.000`, level: 'light', seconds: 3000 },
        { dateTime: `${day}T00:00:00.000`, level: 'deep', seconds: 3600 },
        { dateTime: `${day}T01:00:00.000`, level: 'rem', seconds: 1800 },
      ],
      shortData: [{ dateTime: `${evening}T23:30:00.000`, level: 'wake', seconds: 60 }],
    },
  };
};

const summaryOf = (day: string) => ({
  activities: [],
  summary: {
    steps: 8000 + (dayNumber(day) % 1000),
    caloriesOut: 2210,
    activityCalories: 810,
    floors: 11,
    lightlyActiveMinutes: 201,
    fairlyActiveMinutes: 22,
    veryActiveMinutes: 31,
    restingHeartRate: 58,
    distances: [
      { activity: 'total', distance: 6.25 },
      { activity: 'tracker', distance: 6.25 },
    ],
  },
});

/** By local hour; on the day of the DST change there is no 02:00. */
const intraday = (kind: string, date: string) => ({
  [`activities-${kind}-intraday`]: {
    dataset: Array.from({ length: 24 }, (_, hour) => hour)
      .filter((hour) => hour !== 2 || date !== '2026-03-08')
      .map((hour) => ({
        time: `${String(hour).padStart(2, '0')}:00:00`,
        value: kind === 'heart' ? 55 + hour : hour % 3 === 0 ? 0 : 40 * hour,
      })),
    datasetInterval: 1,
    datasetType: 'minute',
  },
});

/** One per day at 18:30, ten per page; the next page URL has the provider's real host. */
function activityLog({ query }: StandInRequest) {
  const after = query.get('afterDate') ?? '';
  const days = daysFrom(after, '2026-04-30').slice(0, 10);
  const next = days.at(-1);
  return {
    activities: days.map((day) => ({
      logId: dayNumber(day) * 100,
      activityName: 'Outdoor Bike',
      startTime: `${day}T18:30:00.000-05:00`,
      duration: 3_600_000,
      activeDuration: 3_300_000,
      calories: 412,
      distance: 18.5,
      distanceUnit: 'Kilometer',
      steps: 0,
      averageHeartRate: 131,
      elevationGain: 120,
      speed: 20.2,
      heartRateZones: [
        { min: 130, minutes: 25, name: 'Cardio' },
        { min: 30, minutes: 35, name: 'Out of Range' },
      ],
      source: { id: '1', name: 'Charge 5', type: 'tracker' },
    })),
    pagination: {
      next:
        next === undefined || days.length < 10
          ? ''
          : `https://api.fitbit.com/1/user/-/activities/list.json?afterDate=${dayAfter(next)}&sort=asc&limit=10&offset=0`,
    },
  };
}

const dayAfter = (day: string) => daysFrom(day, '2027-01-01')[1] ?? day;
