import type { StandInResponse, WireProtocol } from './stand-in.ts';
import { dayNumber } from './stand-in.ts';

const ROOT = '/v3/users/self';

export const dexcomProtocol: WireProtocol = {
  slug: 'dexcom_v3',
  user: '35d77a14-243f',
  authorize: '/v2/oauth2/login',
  token: '/v2/oauth2/token',
  clientAuth: 'post',
  pkce: false,
  scopeSeparator: ' ',
  tokenAnswer: ({ accessToken, refreshToken }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: 7200,
    token_type: 'Bearer',
  }),
  tokenRefused: (why) => ({
    status: 400,
    body: { error: why === 'client' ? 'invalid_client' : 'invalid_grant' },
  }),
  accessRefused: { status: 401, body: { fault: { faultstring: 'Invalid Access Token' } } },
  busy: { status: 429, headers: { 'retry-after': 'Sun, 15 Mar 2026 12:05:00 GMT' }, body: {} },
  scopeOf: () => 'offline_access',
  answerUser: ({ path, query }) => {
    if (path === `${ROOT}/dataRange`) {
      return { body: { recordType: 'dataRange', recordVersion: '3.0', userId: '35d77a14-243f' } };
    }
    const made = path === `${ROOT}/egvs` ? glucoseAt : path === `${ROOT}/events` ? eventsAt : undefined;
    return made && recordsInWindow(query, made);
  },
};

/** One record per hour of the window, newest first. */
function recordsInWindow(query: URLSearchParams, made: (at: number) => unknown[]): StandInResponse {
  const [first, last] = [query.get('startDate') ?? '', query.get('endDate') ?? ''];
  const [from, to] = [Date.parse(`${first}Z`), Date.parse(`${last}Z`)];
  if (!/^[\d-]{10}T[\d:]{8}$/.test(first) || to - from > 30 * 86_400_000) {
    return { status: 400, body: { errors: ['The window is longer than 30 days'] } };
  }
  const records: unknown[] = [];
  for (let at = Math.ceil(from / 3_600_000) * 3_600_000; at < to; at += 3_600_000)
    records.unshift(...made(at));
  return { body: { recordType: 'egv', recordVersion: '3.0', userId: '35d77a14-243f', records } };
}

const localTimestamp = (at: number) => new Date(at).toISOString().slice(0, 19);

/** The phone is at UTC-7 and sends its offset; the receiver sends none. */
const commonFields = (at: number) => {
  const phone = new Date(at).getUTCHours() % 2 === 0;
  return {
    recordId: `r-${at}`,
    systemTime: phone ? `${localTimestamp(at)}Z` : localTimestamp(at),
    displayTime: phone
      ? `${localTimestamp(at - 7 * 3_600_000)}-07:00`
      : localTimestamp(at - 7 * 3_600_000 + 40_000),
    transmitterId: '8GA1JK',
    transmitterGeneration: 'g7',
    displayDevice: phone ? 'iOS' : 'receiver',
  };
};

const glucoseAt = (at: number) => [
  {
    ...commonFields(at),
    transmitterTicks: at / 1000,
    value: 90 + (dayNumber(localTimestamp(at).slice(0, 10)) % 30),
    status: 'ok',
    trend: 'flat',
    unit: 'mg/dL',
    rateUnit: 'mg/dL/min',
  },
];

const eventsAt = (at: number) => {
  const kind = new Date(at).getUTCHours() % 6;
  const event = EVENTS[kind];
  return event ? [{ ...commonFields(at), eventStatus: 'created', ...event }] : [];
};

const EVENTS: Readonly<Record<number, object>> = {
  0: { eventType: 'carbs', eventSubType: null, value: '45', unit: 'grams' },
  1: { eventType: 'insulin', eventSubType: 'fastActing', value: 4.5, unit: 'units' },
  2: { eventType: 'insulin', eventSubType: 'longActing', value: '12', unit: 'units', eventStatus: 'deleted' },
  3: { eventType: 'exercise', eventSubType: 'heavy', value: 30, unit: 'minutes' },
  4: { eventType: 'health', eventSubType: 'stress', value: null, unit: null },
};
