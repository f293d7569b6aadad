import type { StandInResponse, StandInRequest, WireProtocol } from './stand-in.ts';
import { KEYSET, KEYSET_PATH } from './fitbit-keys.ts';
import { dayBefore, daysFrom, dayNumber } from './stand-in.ts';

/** Google Health API v4, as its reference describes it, for a user in New York. */
const SCOPE = 'https://www.googleapis.com/auth/googlehealth.';
const POINTS = /^\/v4\/users\/me\/dataTypes\/([a-z0-9-]+)\/dataPoints(:rollUp|:dailyRollUp)?$/;
export const HEALTH_USER = '111111256096816351';

const error = (status: number, code: string): StandInResponse => ({
  status,
  body: { error: { code: status, message: 'n/a', status: code } },
});

const AREAS: Readonly<Record<string, string>> = {
  activity_and_fitness:
    'steps distance floors total-calories active-energy-burned active-minutes exercise daily-vo2-max',
  sleep: 'sleep',
  nutrition: 'hydration-log',
};
const areaOf = (dataType: string): string =>
  Object.entries(AREAS).find(([, types]) => types.split(' ').includes(dataType))?.[0] ??
  'health_metrics_and_measurements';

export const fitbitProtocol: WireProtocol = {
  slug: 'fitbit',
  user: HEALTH_USER,
  authorize: '/o/oauth2/v2/auth',
  token: '/token',
  clientAuth: 'post',
  pkce: true,
  scopeSeparator: ' ',
  keepsRefreshToken: true,
  hasEmptyLists: true,
  revoke: ({ path, form }) => (path === '/revoke' ? (form.get('token') ?? '') : undefined),
  tokenAnswer: ({ accessToken, refreshToken, scopes }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: 3599,
    scope: scopes.join(' '),
    token_type: 'Bearer',
  }),
  tokenRefused: (why) =>
    why === 'client'
      ? { status: 401, body: { error: 'invalid_client', error_description: 'Unauthorized' } }
      : { status: 400, body: { error: 'invalid_grant', error_description: 'Bad Request' } },
  accessRefused: error(401, 'UNAUTHENTICATED'),
  busy: error(429, 'RESOURCE_EXHAUSTED'),
  scopeOf: ({ path }) => {
    if (path === '/v4/users/me/settings') return `${SCOPE}settings.readonly`;
    const [, dataType] = POINTS.exec(path) ?? [];
    return dataType === undefined ? undefined : `${SCOPE}${areaOf(dataType)}.readonly`;
  },
  scopeRefused: error(403, 'PERMISSION_DENIED'),
  answerApplication: ({ path }) => (path === KEYSET_PATH ? { body: KEYSET } : undefined),
  answerUser: (asked) => {
    const { path, method } = asked;
    if (path === '/v4/users/me/identity')
      return { body: { name: 'users/me/identity', legacyUserId: 'GGNJL9', healthUserId: HEALTH_USER } };
    if (path === '/v4/users/me/settings')
      return { body: { name: 'users/me/settings', timeZone: ZONE, utcOffset: '-18000s' } };
    const [, dataType = '', verb] = POINTS.exec(path) ?? [];
    if (verb === ':rollUp' && method === 'POST') return rollUp(dataType, asked);
    if (verb === ':dailyRollUp' && method === 'POST') return rollUpDays(dataType, asked);
    return verb === undefined && method === 'GET' ? list(dataType, asked) : undefined;
  },
};

const ZONE = 'America/New_York';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Daylight saving time began on 2026-03-08 at 07:00 UTC. */
const offsetHoursAt = (at: number): number => (at >= Date.parse('2026-03-08T07:00:00Z') ? -4 : -5);
const toUtc = (day: string, time: string): number => {
  const wall = Date.parse(`${day}T${time}Z`);
  const standard = wall + 5 * HOUR;
  return offsetHoursAt(standard) === -5 ? standard : wall + 4 * HOUR;
};
const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
const offsetText = (at: number): string => `${offsetHoursAt(at) * 3600}s`;
const toDate = (day: string) => {
  const [year, month, dayOfMonth] = day.split('-').map(Number);
  return { year, month, day: dayOfMonth };
};
const fromDate = ({ year, month, day }: { year: number; month: number; day: number }): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

interface Point {
  /** What a filter compares: a time in UTC, a local time, or a day. */
  readonly by: string;
  readonly at: number;
  readonly body: object;
}

interface DataType {
  readonly field: string;
  readonly pageSizeMax?: number;
  readonly of: (day: string) => Point;
}

const nameOf = (dataType: string, id: number): string =>
  `users/${HEALTH_USER}/dataTypes/${dataType}/dataPoints/${id}`;
const sampleTime = (at: number) => ({ physicalTime: iso(at), utcOffset: offsetText(at) });
const interval = (at: number, to: number) => ({
  startTime: iso(at),
  startUtcOffset: offsetText(at),
  endTime: iso(to),
  endUtcOffset: offsetText(to),
});

const dailyType = (name: string, data: object): DataType => ({
  field: 'date',
  of: (day) => ({
    by: day,
    at: toUtc(day, '00:00:00'),
    body: { dataSource: { platform: 'FITBIT' }, [name]: { date: toDate(day), ...data } },
  }),
});

const scale = { platform: 'FITBIT', device: { formFactor: 'SCALE', displayName: 'Aria' } };
const sampleType = (dataType: string, name: string, data: object): DataType => ({
  field: 'sample_time.physical_time',
  of: (day) => {
    const at = toUtc(day, '07:15:30');
    return {
      by: iso(at),
      at,
      body: {
        name: nameOf(dataType, dayNumber(day) * 1000),
        dataSource: scale,
        [name]: { sampleTime: sampleTime(at), ...data },
      },
    };
  },
});

const TYPES: Readonly<Record<string, DataType>> = {
  'daily-resting-heart-rate': dailyType('dailyRestingHeartRate', { beatsPerMinute: '58' }),
  'daily-heart-rate-variability': dailyType('dailyHeartRateVariability', {
    averageHeartRateVariabilityMilliseconds: 34.9,
    nonRemHeartRateBeatsPerMinute: '55',
  }),
  'daily-oxygen-saturation': dailyType('dailyOxygenSaturation', { averagePercentage: 96.1 }),
  'daily-respiratory-rate': dailyType('dailyRespiratoryRate', { breathsPerMinute: 15.2 }),
  'daily-sleep-temperature-derivations': dailyType('dailySleepTemperatureDerivations', {
    nightlyTemperatureCelsius: 33.6,
    baselineTemperatureCelsius: 34,
    relativeNightlyStddev30dCelsius: 'NaN',
  }),
  'daily-vo2-max': dailyType('dailyVo2Max', { vo2Max: 46 }),
  weight: sampleType('weight', 'weight', { weightGrams: 70_500 }),
  'body-fat': sampleType('body-fat', 'bodyFat', { percentage: 21.5 }),
  height: sampleType('height', 'height', { heightMillimeters: '1724' }),
  sleep: {
    field: 'interval.end_time',
    pageSizeMax: 25,
    of: (day) => {
      const [at, to] = [toUtc(dayBefore(day), '23:00:00'), toUtc(day, '07:00:00')];
      return { by: iso(to), at, body: sleepOf(day, at, to) };
    },
  },
  exercise: {
    field: 'interval.civil_start_time',
    pageSizeMax: 25,
    of: (day) => {
      const at = toUtc(day, '18:30:00');
      return { by: `${day}T18:30:00`, at, body: exerciseOf(day, at) };
    },
  },
};

/** 23:00 to 07:00 local time; one hour less in the night of the DST change. */
const sleepOf = (day: string, at: number, to: number) => {
  const stages: [number, number, string][] = [
    [0, 600, 'AWAKE'],
    [600, 1800, 'LIGHT'],
    [1800, 1860, 'AWAKE'],
    [1860, 3600, 'LIGHT'],
    [3600, 7200, 'DEEP'],
    [7200, 9000, 'REM'],
  ];
  return {
    name: nameOf('sleep', dayNumber(day) * 10),
    dataSource: { platform: 'FITBIT', device: { formFactor: 'FITNESS_BAND', displayName: 'Charge 5' } },
    sleep: {
      interval: interval(at, to),
      type: 'STAGES',
      stages: stages.map(([from, until, type]) => ({
        ...interval(at + from * 1000, at + until * 1000),
        type,
      })),
      metadata: { nap: false, processed: true, stagesStatus: 'SUCCEEDED' },
      summary: {
        minutesAsleep: '440',
        minutesAwake: '40',
        minutesToFallAsleep: '5',
        minutesInSleepPeriod: '480',
      },
    },
  };
};

const exerciseOf = (day: string, at: number) => ({
  name: nameOf('exercise', dayNumber(day) * 100),
  dataSource: { platform: 'FITBIT', device: { formFactor: 'FITNESS_BAND', displayName: 'Charge 5' } },
  exercise: {
    interval: interval(at, at + HOUR),
    exerciseType: 'BIKING',
    displayName: 'Radfahren',
    activeDuration: '3300s',
    metricsSummary: {
      caloriesKcal: 412,
      distanceMillimeters: 18_500_000,
      steps: '0',
      averageSpeedMillimetersPerSecond: 5611,
      averageHeartRateBeatsPerMinute: '131',
      elevationGainMillimeters: 120_000,
      heartRateZoneDurations: {
        lightTime: '2100s',
        moderateTime: '1500s',
        vigorousTime: '0s',
        peakTime: '0s',
      },
    },
  },
});

/** Filtered, newest first, in pages. */
function list(dataType: string, { query }: StandInRequest): StandInResponse {
  const kind = TYPES[dataType];
  if (!kind) return error(400, 'INVALID_ARGUMENT');
  const name = `${dataType.replaceAll('-', '_')}.${kind.field}`;
  const filter = query.get('filter');
  const form = new RegExp(`^${name.replaceAll('.', '\\.')} >= "([^"]+)" AND \\S+ < "([^"]+)"$`);
  const [, from = '2026-03-01', to = '2026-03-15'] = form.exec(filter ?? '') ?? [];
  if (filter !== null && !form.test(filter)) return error(400, 'INVALID_ARGUMENT');
  const days = daysFrom(dayBefore(from.slice(0, 10)), to.slice(0, 10));
  const found = days
    .map(kind.of)
    .filter(({ by }) => by >= from.slice(0, by.length) && by < to.slice(0, by.length))
    .toReversed();
  const size = Math.min(Number(query.get('pageSize') ?? 1440), kind.pageSizeMax ?? 10_000);
  const begin = Number(query.get('pageToken') ?? 0);
  const page = found.slice(begin, begin + size).map(({ body }) => body);
  if (page.length === 0) return { body: {} };
  const next = begin + size < found.length ? { nextPageToken: String(begin + size) } : {};
  return { body: { dataPoints: page, ...next } };
}

/** Windows without a value are left out. */
function rollUp(dataType: string, { json }: StandInRequest): StandInResponse {
  const { range, windowSize, pageToken } = json as {
    range: { startTime: string; endTime: string };
    windowSize: string;
    pageToken?: string;
  };
  const [from, to, step] = [
    Date.parse(range.startTime),
    Date.parse(range.endTime),
    Number.parseInt(windowSize) * 1000,
  ];
  const limit = dataType === 'heart-rate' ? 14 * DAY : 90 * DAY;
  if (!(to - from <= limit) || !(step > 0)) return error(400, 'INVALID_ARGUMENT');
  const windows: object[] = [];
  for (let at = from; at < to; at += step) {
    const local = new Date(at + offsetHoursAt(at) * HOUR);
    const hour = local.getUTCHours();
    if (local.getUTCMinutes() !== 0) continue;
    const value =
      dataType === 'heart-rate'
        ? { heartRate: { beatsPerMinuteAvg: 55.2 + hour, beatsPerMinuteMin: 50, beatsPerMinuteMax: 90 } }
        : { steps: { countSum: String(hour % 3 === 0 ? 0 : 40 * hour) } };
    windows.push({ startTime: iso(at), endTime: iso(at + step), ...value });
  }
  const begin = Number(pageToken ?? 0);
  const next = begin + 100 < windows.length ? { nextPageToken: String(begin + 100) } : {};
  return { body: { rollupDataPoints: windows.slice(begin, begin + 100), ...next } };
}

const DAY_VALUES: Readonly<Record<string, (day: string) => object>> = {
  steps: (day) => ({ steps: { countSum: String(8000 + (dayNumber(day) % 1000)) } }),
  distance: () => ({ distance: { millimetersSum: '6250000' } }),
  floors: () => ({ floors: { countSum: '11' } }),
  'total-calories': () => ({ totalCalories: { kcalSum: 2210 } }),
  'active-energy-burned': () => ({ activeEnergyBurned: { kcalSum: 810 } }),
  'active-minutes': () => ({
    activeMinutes: {
      activeMinutesRollupByActivityLevel: [
        { activityLevel: 'LIGHT', activeMinutesSum: '201' },
        { activityLevel: 'MODERATE', activeMinutesSum: '22' },
        { activityLevel: 'VIGOROUS', activeMinutesSum: '31' },
      ],
    },
  }),
  'hydration-log': () => ({ hydrationLog: { amountConsumed: { millilitersSum: 1800 } } }),
};

function rollUpDays(dataType: string, { json }: StandInRequest): StandInResponse {
  const { range } = json as {
    range: Record<'start' | 'end', { date: { year: number; month: number; day: number } }>;
  };
  const days = daysFrom(fromDate(range.start.date), dayBefore(fromDate(range.end.date)));
  const limit = dataType === 'active-minutes' || dataType === 'total-calories' ? 14 : 90;
  const made = DAY_VALUES[dataType];
  if (!made || days.length > limit) return error(400, 'INVALID_ARGUMENT');
  return {
    body: {
      rollupDataPoints: days.map((day) => ({
        civilStartTime: { date: toDate(day) },
        civilEndTime: { date: toDate(daysFrom(day, '2027-01-01')[1] ?? day) },
        ...made(day),
      })),
    },
  };
}
