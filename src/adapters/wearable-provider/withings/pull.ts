import { DAY, SECOND } from '../../../platform/clock.ts';
import type { Origin, Reading } from '../../../wearables/readings.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import { originOf, STAGE, stagesOf, summaryOf, type Stage } from '../made.ts';
import { sportOf } from '../sports.ts';
import { dayAt, daysAnywhere, isoAt, offsetInZone, secondsAt, wallOf } from '../times.ts';
import { orNull, round, whole } from '../wire.ts';
import { allPages, call } from './call.ts';
import { SPORTS } from './sports.ts';
import * as wire from './wire.ts';

const ACTIVITY_FIELDS =
  'steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max';
const WORKOUT_FIELDS =
  'calories,manual_calories,distance,manual_distance,steps,hr_average,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3,pause_duration';
const SLEEP_FIELDS =
  'total_timeinbed,total_sleep_time,asleepduration,lightsleepduration,remsleepduration,deepsleepduration,wakeupduration,sleep_efficiency,sleep_latency,hr_average,hr_min,rr_average,sleep_score';

interface Device {
  readonly deviceid?: string | null | undefined;
  readonly hash_deviceid?: string | null | undefined;
  readonly model?: string | number | null | undefined;
}

/** What the names of devices say of their kind. */
// prettier-ignore
const KINDS: readonly { is: RegExp; type: string }[] = [
  { is: /blood pressure|bpm/i,                                   type: 'cuff' },
  { is: /^body|scale|^wbs|withings wbs|ws30|analyzer/i,          type: 'scale' },
  { is: /iphone|ios|android|google|samsung|huawei|step tracker/i, type: 'phone' },
  { is: /watch|pulse|activite|move|withings go|steel/i,          type: 'watch' },
];

export function originIn({ hash_deviceid, deviceid, model }: Device): Origin {
  const id = hash_deviceid ?? deviceid ?? null;
  const named = typeof model === 'string' ? model : null;
  const type = KINDS.find(({ is }) => named !== null && is.test(named))?.type ?? 'unknown';
  const device = { id, manufacturer: 'Withings', model: named, version: null };
  return originOf('withings', type, id === null && named === null ? null : device);
}

/** Seconds east of UTC at a moment in a zone that Withings names. */
export const offsetAt = (zone: string | null | undefined, at: number): number | null =>
  zone == null ? null : offsetInZone(zone, at);

const ofDays = (span: Parameters<Pull>[1]['span']) => {
  const { first, last } = daysAnywhere(span);
  return { startdateymd: first, enddateymd: last };
};

export const activity: Pull = async function* (api, { span }) {
  const form = { action: 'getactivity', ...ofDays(span), data_fields: ACTIVITY_FIELDS };
  const found = await allPages(api, wire.Activities, { path: '/v2/measure', form });
  const days = found.flatMap(({ activities }) => activities);
  for (const given of days.toSorted((one, other) => (one.date < other.date ? -1 : 1))) {
    // That of its own midnight: far from Greenwich the clock may be changed between that and the one there.
    const { at, offset } = wallOf(given.timezone ?? null, null)(`${given.date}T00:00:00`);
    const minutes = (seconds: number | null | undefined) => (seconds == null ? null : seconds / 60);
    const beats = { avg_bpm: given.hr_average, min_bpm: given.hr_min, max_bpm: given.hr_max };
    yield summaryOf({
      resource: 'activity',
      origin: originIn(given),
      key: given.date,
      at,
      day: given.date,
      raw: given,
      body: {
        time_zone: orNull(given.timezone),
        timezone_offset: offset,
        calories_total: orNull(given.totalcalories),
        calories_active: orNull(given.calories),
        steps: whole(given.steps),
        distance: orNull(given.distance),
        low: minutes(given.soft),
        medium: minutes(given.moderate),
        high: minutes(given.intense),
        floors_climbed: whole(given.elevation),
        heart_rate: given.hr_average == null ? null : beats,
      },
    });
  }
};

export const workouts: Pull = async function* (api, { span }) {
  const form = { action: 'getworkouts', ...ofDays(span), data_fields: WORKOUT_FIELDS };
  const found = await allPages(api, wire.Workouts, { path: '/v2/measure', form });
  for (const given of found.flatMap(({ series }) => series).toSorted(byStart)) {
    const { data } = given;
    const at = given.startdate * SECOND;
    const offset = offsetAt(given.timezone, at);
    const zones = [data.hr_zone_0, data.hr_zone_1, data.hr_zone_2, data.hr_zone_3];
    yield summaryOf({
      resource: 'workouts',
      origin: originIn({ deviceid: given.deviceid }),
      key: given.id,
      at,
      day: given.date ?? dayAt(at, offset),
      raw: given,
      body: {
        sport: sportOf(SPORTS[given.category]),
        time_start: isoAt(at),
        time_end: isoAt(given.enddate * SECOND),
        timezone_offset: offset,
        moving_time: given.enddate - given.startdate - (whole(data.pause_duration) ?? 0),
        average_hr: whole(data.hr_average),
        max_hr: whole(data.hr_max),
        hr_zones: zones.every((zone) => zone == null) ? null : zones.map((zone) => whole(zone) ?? 0),
        distance: orNull(data.distance ?? data.manual_distance),
        calories: orNull(data.calories ?? data.manual_calories),
        steps: whole(data.steps),
      },
    });
  }
};

const byStart = (one: { startdate: number }, other: { startdate: number }): number =>
  one.startdate - other.startdate;

export const sleep: Pull = async function* (api, { span }) {
  const form = { action: 'getsummary', ...ofDays(span), data_fields: SLEEP_FIELDS };
  const found = await allPages(api, wire.Sleeps, { path: '/v2/sleep', form });
  for (const given of found.flatMap(({ series }) => series).toSorted(byStart))
    yield* await nightOf(api, given);
};

/** Manual and unspecified sleep have no stages. */
const STATES: Readonly<Record<number, Stage>> = {
  0: STAGE.awake,
  1: STAGE.light,
  2: STAGE.deep,
  3: STAGE.rem,
  4: STAGE.byHand,
};

async function nightOf(api: Api, given: wire.WithingsSleep): Promise<Reading[]> {
  const { data, startdate, enddate } = given;
  const [at, to] = [startdate * SECOND, enddate * SECOND];
  const offset = offsetAt(given.timezone, at);
  const night = { key: given.id, origin: originIn(given), day: given.date };
  // Only the first 24 hours are answered, and no sleep is longer.
  const form = { action: 'get', startdate, enddate };
  const { series } = await call(api, wire.Stages, { path: '/v2/sleep', form });
  const runs = series.map((run) => ({
    at: run.startdate * SECOND,
    until: run.enddate * SECOND,
    stage: STATES[run.state] ?? STAGE.unknown,
  }));
  const seconds = (value: number | null | undefined) => whole(value) ?? 0;
  const summary = summaryOf({
    ...night,
    resource: 'sleep',
    at,
    raw: given,
    body: {
      bedtime_start: isoAt(at),
      bedtime_stop: isoAt(to),
      timezone_offset: offset,
      type: 'unknown',
      state: given.completed === false ? 'tentative' : 'confirmed',
      duration: whole(data.total_timeinbed) ?? enddate - startdate,
      total: seconds(data.total_sleep_time ?? data.asleepduration),
      awake: seconds(data.wakeupduration),
      light: seconds(data.lightsleepduration),
      rem: seconds(data.remsleepduration),
      deep: seconds(data.deepsleepduration),
      score: whole(data.sleep_score),
      hr_lowest: whole(data.hr_min),
      hr_average: whole(data.hr_average),
      efficiency: data.sleep_efficiency == null ? null : round(data.sleep_efficiency * 100, 1),
      latency: whole(data.sleep_latency),
      respiratory_rate: orNull(data.rr_average),
    },
  });
  const timeZone = orNull(given.timezone);
  return [summary, ...stagesOf({ ...night, from: at, to, offset, timeZone, runs })];
}

/** The points of at most a day, oldest first. */
export async function intradayOf(api: Api, { from, to }: { from: Date; to: Date }, field: string) {
  const end = Math.min(to.getTime(), from.getTime() + DAY);
  const form = {
    action: 'getintradayactivity',
    startdate: secondsAt(from),
    enddate: Math.floor(end / SECOND) - 1,
    data_fields: field,
  };
  const { series } = await call(api, wire.Intraday, { path: '/v2/measure', form });
  return Object.entries(series)
    .map(([second, point]) => ({ at: Number(second) * SECOND, point }))
    .toSorted((one, other) => one.at - other.at);
}
