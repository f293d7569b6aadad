import type { z } from 'zod';
import { HOUR } from '../../../platform/clock.ts';
import type { HealthReading, SampledResource } from '../../../readings/readings.ts';
import type { ProviderApi } from '../api.ts';
import type { PullFunction } from '../definition.ts';
import {
  UNDATED,
  createOrigin,
  createSample,
  createSampleReadings,
  createSummary,
} from '../create-readings.ts';
import type { Grant, ProviderTimeSpan } from '../port.ts';
import { toSport } from '../sports.ts';
import { toLocalDay, parseInstant, toIsoTimestamp, parseOffset } from '../times.ts';
import { toKilocalories, toNullable, toIntegerOrNull } from '../wire.ts';
import * as wire from './wire.ts';

const STRAP_ORIGIN = createOrigin('whoop_v2', 'watch', {
  id: null,
  manufacturer: 'WHOOP',
  model: 'WHOOP',
  version: null,
});
const ROOT = '/developer/v2';
const PAGE = 25;

/** All records of a collection in a window. WHOOP returns newest first, so all pages are collected and reversed. */
async function fetchRecords<T>(
  api: ProviderApi,
  collection: string,
  { item, span }: { item: z.ZodType<T>; span: ProviderTimeSpan },
): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const query = {
      limit: PAGE,
      start: span.from.toISOString(),
      end: span.to.toISOString(),
      nextToken: next,
    };
    const { records, next_token } = await api.read(wire.createPageSchema(item), `${ROOT}/${collection}`, {
      query,
    });
    all.push(...records);
    next = next_token ?? undefined;
  } while (next !== undefined);
  return all.toReversed();
}

const readStart = ({ start, timezone_offset: zone }: { start: string; timezone_offset: string }) => ({
  at: parseInstant(start).at,
  offset: parseOffset(zone),
});

/** A cycle starts when the user falls asleep; half a day later is always on its calendar day. */
const CYCLE_DAY_SHIFT = 12 * HOUR;

export const activity: PullFunction = async function* (api, { span }) {
  for (const given of await fetchRecords(api, 'cycle', { item: wire.WhoopCycle, span })) {
    const { at, offset } = readStart(given);
    const { score } = given;
    if (!score) continue;
    yield createSummary({
      resource: 'activity',
      origin: STRAP_ORIGIN,
      key: given.id,
      at,
      day: toLocalDay(at + CYCLE_DAY_SHIFT, offset),
      raw: given,
      body: {
        timezone_offset: offset,
        calories_total: score.kilojoule == null ? null : toKilocalories(score.kilojoule),
        heart_rate: {
          avg_bpm: toNullable(score.average_heart_rate),
          max_bpm: toNullable(score.max_heart_rate),
        },
      },
    });
  }
};

/** Zones from 50 % of the maximum heart rate; zone zero is below. */
const ZONES = ['one', 'two', 'three', 'four', 'five'];

export const workouts: PullFunction = async function* (api, { span }) {
  for (const given of await fetchRecords(api, 'activity/workout', { item: wire.WhoopWorkout, span })) {
    const { at, offset } = readStart(given);
    const { score } = given;
    const zones = score?.zone_durations;
    yield createSummary({
      resource: 'workouts',
      origin: STRAP_ORIGIN,
      key: given.id,
      at,
      day: toLocalDay(at, offset),
      raw: given,
      body: {
        sport: toSport(given.sport_name),
        time_start: toIsoTimestamp(at),
        time_end: toIsoTimestamp(parseInstant(given.end).at),
        timezone_offset: offset,
        average_hr: toIntegerOrNull(score?.average_heart_rate),
        max_hr: toIntegerOrNull(score?.max_heart_rate),
        hr_zones: zones
          ? ZONES.map((zone) => toIntegerOrNull((zones[`zone_${zone}_milli`] ?? 0) / 1000) ?? 0)
          : null,
        distance: toNullable(score?.distance_meter),
        calories: score?.kilojoule == null ? null : toKilocalories(score.kilojoule),
        total_elevation_gain: toNullable(score?.altitude_gain_meter),
      },
    });
  }
};

const hasScope = ({ scopes }: Grant, scope: string) => scopes.includes(scope);

export const sleep: PullFunction = async function* (api, { span, grant }) {
  const recoveries = hasScope(grant, 'read:recovery')
    ? await fetchRecords(api, 'recovery', { item: wire.WhoopRecovery, span })
    : [];
  const recovered = new Map(recoveries.map((recovery) => [recovery.sleep_id, recovery]));
  for (const given of await fetchRecords(api, 'activity/sleep', { item: wire.WhoopSleep, span })) {
    // WHOOP sends another notification once a sleep is scored.
    if (given.score) yield toSleepReading(given, given.score, recovered.get(given.id));
  }
};

function toSleepReading(
  given: wire.WhoopSleep,
  score: NonNullable<wire.WhoopSleep['score']>,
  recovered: wire.WhoopRecovery | undefined,
): HealthReading {
  const { at, offset } = readStart(given);
  const to = parseInstant(given.end).at;
  const recovery = recovered?.score;
  const { stage_summary: stages } = score;
  const seconds = (milli: number | null | undefined) => toIntegerOrNull((milli ?? 0) / 1000) ?? 0;
  const light = seconds(stages.total_light_sleep_time_milli);
  const rem = seconds(stages.total_rem_sleep_time_milli);
  const deep = seconds(stages.total_slow_wave_sleep_time_milli);
  return createSummary({
    resource: 'sleep',
    origin: STRAP_ORIGIN,
    key: given.id,
    at,
    day: toLocalDay(to, offset),
    raw: recovered ? { ...given, recovery: recovered } : given,
    body: {
      bedtime_start: toIsoTimestamp(at),
      bedtime_stop: toIsoTimestamp(to),
      timezone_offset: offset,
      type: given.nap ? 'acknowledged_nap' : 'long_sleep',
      state: 'confirmed',
      duration: seconds(stages.total_in_bed_time_milli),
      total: light + rem + deep,
      awake: seconds(stages.total_awake_time_milli),
      light,
      rem,
      deep,
      score: toIntegerOrNull(score.sleep_performance_percentage),
      recovery_readiness_score: toIntegerOrNull(recovery?.recovery_score),
      hr_resting: toIntegerOrNull(recovery?.resting_heart_rate),
      efficiency: toNullable(score.sleep_efficiency_percentage),
      skin_temperature: toNullable(recovery?.skin_temp_celsius),
      average_hrv: toNullable(recovery?.hrv_rmssd_milli),
      respiratory_rate: toNullable(score.respiratory_rate),
    },
  });
}

export const respiratoryRate: PullFunction = async function* (api, { span }) {
  const sleeps = await fetchRecords(api, 'activity/sleep', { item: wire.WhoopSleep, span });
  yield* createSampleReadings(
    'respiratory_rate',
    STRAP_ORIGIN,
    sleeps.flatMap((given) => {
      const value = given.score?.respiratory_rate;
      return value == null ? [] : [createSample({ ...readStart(given), value })];
    }),
  );
};

type RecoveryField = 'hrv_rmssd_milli' | 'spo2_percentage' | 'skin_temp_celsius';

/** A pull of a nightly value from the recovery. */
const createRecoveryPull = (
  resource: SampledResource,
  field: RecoveryField,
  more?: Readonly<Record<string, unknown>>,
): PullFunction =>
  async function* (api, { span }) {
    const recoveries = await fetchRecords(api, 'recovery', { item: wire.WhoopRecovery, span });
    yield* createSampleReadings(
      resource,
      STRAP_ORIGIN,
      recoveries.flatMap(({ created_at, score }) => {
        const { at } = parseInstant(created_at);
        const value = score?.[field];
        return value == null
          ? []
          : [createSample({ at, offset: null, value, ...(more && { until: at, more }) })];
      }),
    );
  };

export const hrv = createRecoveryPull('hrv', 'hrv_rmssd_milli');
export const bloodOxygen = createRecoveryPull('blood_oxygen', 'spo2_percentage');
export const bodyTemperature = createRecoveryPull('body_temperature', 'skin_temp_celsius', {
  sensor_location: 'wrist',
});

export const profile: PullFunction = async function* (api) {
  const { user_id: key } = await api.read(wire.WhoopPerson, `${ROOT}/user/profile/basic`);
  const given = await api.read(wire.WhoopBody, `${ROOT}/user/measurement/body`);
  yield createSummary({
    resource: 'profile',
    origin: STRAP_ORIGIN,
    key,
    ...UNDATED,
    raw: given,
    body: { height: given.height_meter == null ? null : toIntegerOrNull(given.height_meter * 100) },
  });
};
