import { DAY, SECOND } from '../../../platform/clock.ts';
import type { ReadingOrigin, HealthReading } from '../../../readings/readings.ts';
import type { ProviderApi } from '../api.ts';
import type { PullFunction } from '../definition.ts';
import {
  createOrigin,
  SLEEP_STAGE,
  createStageReadings,
  createSummary,
  type SleepStageCode,
} from '../create-readings.ts';
import { toSport } from '../sports.ts';
import {
  toLocalDay,
  toCalendarDays,
  toIsoTimestamp,
  getZoneOffset,
  toUnixSeconds,
  createLocalTimeParser,
} from '../times.ts';
import { toNullable, roundTo, toIntegerOrNull } from '../wire.ts';
import { fetchAllPages, callService } from './call.ts';
import { SPORTS } from './sports.ts';
import * as wire from './wire.ts';

const ACTIVITY_FIELDS =
  'steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max';
const WORKOUT_FIELDS =
  'calories,manual_calories,distance,manual_distance,steps,hr_average,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3,pause_duration';
const SLEEP_FIELDS =
  'total_timeinbed,total_sleep_time,asleepduration,lightsleepduration,remsleepduration,deepsleepduration,wakeupduration,sleep_efficiency,sleep_latency,hr_average,hr_min,rr_average,sleep_score';

interface WithingsDevice {
  readonly deviceid?: string | null | undefined;
  readonly hash_deviceid?: string | null | undefined;
  readonly model?: string | number | null | undefined;
}

/** Maps device model names to source types. */
// prettier-ignore
const SOURCE_TYPES_BY_MODEL: readonly { is: RegExp; type: string }[] = [
  { is: /blood pressure|bpm/i,                                   type: 'cuff' },
  { is: /^body|scale|^wbs|withings wbs|ws30|analyzer/i,          type: 'scale' },
  { is: /iphone|ios|android|google|samsung|huawei|step tracker/i, type: 'phone' },
  { is: /watch|pulse|activite|move|withings go|steel/i,          type: 'watch' },
];

export function toOrigin({ hash_deviceid, deviceid, model }: WithingsDevice): ReadingOrigin {
  const id = hash_deviceid ?? deviceid ?? null;
  const named = typeof model === 'string' ? model : null;
  const type = SOURCE_TYPES_BY_MODEL.find(({ is }) => named !== null && is.test(named))?.type ?? 'unknown';
  const device = { id, manufacturer: 'Withings', model: named, version: null };
  return createOrigin('withings', type, id === null && named === null ? null : device);
}

/** The UTC offset in seconds at a timestamp; null without a known zone. */
export const getOffset = (zone: string | null | undefined, at: number): number | null =>
  zone == null ? null : getZoneOffset(zone, at);

const toDayRange = (span: Parameters<PullFunction>[1]['span']) => {
  const { first, last } = toCalendarDays(span);
  return { startdateymd: first, enddateymd: last };
};

export const activity: PullFunction = async function* (api, { span }) {
  const form = { action: 'getactivity', ...toDayRange(span), data_fields: ACTIVITY_FIELDS };
  const found = await fetchAllPages(api, wire.Activities, { path: '/v2/measure', form });
  const days = found.flatMap(({ activities }) => activities);
  for (const given of days.toSorted((one, other) => (one.date < other.date ? -1 : 1))) {
    // Use the offset at local midnight, which can differ from that at UTC midnight on daylight saving days.
    const { at, offset } = createLocalTimeParser(given.timezone ?? null, null)(`${given.date}T00:00:00`);
    const minutes = (seconds: number | null | undefined) => (seconds == null ? null : seconds / 60);
    const beats = { avg_bpm: given.hr_average, min_bpm: given.hr_min, max_bpm: given.hr_max };
    yield createSummary({
      resource: 'activity',
      origin: toOrigin(given),
      key: given.date,
      at,
      day: given.date,
      raw: given,
      body: {
        time_zone: toNullable(given.timezone),
        timezone_offset: offset,
        calories_total: toNullable(given.totalcalories),
        calories_active: toNullable(given.calories),
        steps: toIntegerOrNull(given.steps),
        distance: toNullable(given.distance),
        low: minutes(given.soft),
        medium: minutes(given.moderate),
        high: minutes(given.intense),
        floors_climbed: toIntegerOrNull(given.elevation),
        heart_rate: given.hr_average == null ? null : beats,
      },
    });
  }
};

export const workouts: PullFunction = async function* (api, { span }) {
  const form = { action: 'getworkouts', ...toDayRange(span), data_fields: WORKOUT_FIELDS };
  const found = await fetchAllPages(api, wire.Workouts, { path: '/v2/measure', form });
  for (const given of found.flatMap(({ series }) => series).toSorted(compareByStart)) {
    const { data } = given;
    const at = given.startdate * SECOND;
    const offset = getOffset(given.timezone, at);
    const zones = [data.hr_zone_0, data.hr_zone_1, data.hr_zone_2, data.hr_zone_3];
    yield createSummary({
      resource: 'workouts',
      origin: toOrigin({ deviceid: given.deviceid }),
      key: given.id,
      at,
      day: given.date ?? toLocalDay(at, offset),
      raw: given,
      body: {
        sport: toSport(SPORTS[given.category]),
        time_start: toIsoTimestamp(at),
        time_end: toIsoTimestamp(given.enddate * SECOND),
        timezone_offset: offset,
        moving_time: given.enddate - given.startdate - (toIntegerOrNull(data.pause_duration) ?? 0),
        average_hr: toIntegerOrNull(data.hr_average),
        max_hr: toIntegerOrNull(data.hr_max),
        hr_zones: zones.every((zone) => zone == null)
          ? null
          : zones.map((zone) => toIntegerOrNull(zone) ?? 0),
        distance: toNullable(data.distance ?? data.manual_distance),
        calories: toNullable(data.calories ?? data.manual_calories),
        steps: toIntegerOrNull(data.steps),
      },
    });
  }
};

const compareByStart = (one: { startdate: number }, other: { startdate: number }): number =>
  one.startdate - other.startdate;

export const sleep: PullFunction = async function* (api, { span }) {
  const form = { action: 'getsummary', ...toDayRange(span), data_fields: SLEEP_FIELDS };
  const found = await fetchAllPages(api, wire.Sleeps, { path: '/v2/sleep', form });
  for (const given of found.flatMap(({ series }) => series).toSorted(compareByStart))
    yield* await toSleepReadings(api, given);
};

/** Stages by code. Manual and unspecified sleep have no stages. */
const STAGE_BY_STATE: Readonly<Record<number, SleepStageCode>> = {
  0: SLEEP_STAGE.awake,
  1: SLEEP_STAGE.light,
  2: SLEEP_STAGE.deep,
  3: SLEEP_STAGE.rem,
  4: SLEEP_STAGE.byHand,
};

async function toSleepReadings(api: ProviderApi, given: wire.WithingsSleep): Promise<HealthReading[]> {
  const { data, startdate, enddate } = given;
  const [at, to] = [startdate * SECOND, enddate * SECOND];
  const offset = getOffset(given.timezone, at);
  const night = { key: given.id, origin: toOrigin(given), day: given.date };
  // Withings returns only the first 24 hours; no sleep is longer.
  const form = { action: 'get', startdate, enddate };
  const { series } = await callService(api, wire.Stages, { path: '/v2/sleep', form });
  const runs = series.map((run) => ({
    at: run.startdate * SECOND,
    until: run.enddate * SECOND,
    stage: STAGE_BY_STATE[run.state] ?? SLEEP_STAGE.unknown,
  }));
  const seconds = (value: number | null | undefined) => toIntegerOrNull(value) ?? 0;
  const summary = createSummary({
    ...night,
    resource: 'sleep',
    at,
    raw: given,
    body: {
      bedtime_start: toIsoTimestamp(at),
      bedtime_stop: toIsoTimestamp(to),
      timezone_offset: offset,
      type: 'unknown',
      state: given.completed === false ? 'tentative' : 'confirmed',
      duration: toIntegerOrNull(data.total_timeinbed) ?? enddate - startdate,
      total: seconds(data.total_sleep_time ?? data.asleepduration),
      awake: seconds(data.wakeupduration),
      light: seconds(data.lightsleepduration),
      rem: seconds(data.remsleepduration),
      deep: seconds(data.deepsleepduration),
      score: toIntegerOrNull(data.sleep_score),
      hr_lowest: toIntegerOrNull(data.hr_min),
      hr_average: toIntegerOrNull(data.hr_average),
      efficiency: data.sleep_efficiency == null ? null : roundTo(data.sleep_efficiency * 100, 1),
      latency: toIntegerOrNull(data.sleep_latency),
      respiratory_rate: toNullable(data.rr_average),
    },
  });
  const timeZone = toNullable(given.timezone);
  return [summary, ...createStageReadings({ ...night, from: at, to, offset, timeZone, runs })];
}

/** The intraday points of at most one day, oldest first. */
export async function fetchIntraday(api: ProviderApi, { from, to }: { from: Date; to: Date }, field: string) {
  const end = Math.min(to.getTime(), from.getTime() + DAY);
  const form = {
    action: 'getintradayactivity',
    startdate: toUnixSeconds(from),
    enddate: Math.floor(end / SECOND) - 1,
    data_fields: field,
  };
  const { series } = await callService(api, wire.Intraday, { path: '/v2/measure', form });
  return Object.entries(series)
    .map(([second, point]) => ({ at: Number(second) * SECOND, point }))
    .toSorted((one, other) => one.at - other.at);
}
