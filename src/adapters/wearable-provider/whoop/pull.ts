import type { z } from 'zod';
import { HOUR } from '../../../platform/clock.ts';
import type { Reading, SampledResource } from '../../../wearables/readings.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import { ofNoDay, originOf, sampleOf, samplesOf, summaryOf } from '../made.ts';
import type { Grant, Span } from '../port.ts';
import { sportOf } from '../sports.ts';
import { dayAt, instantOf, isoAt, offsetOf } from '../times.ts';
import { kilojoulesToKcal, orNull, whole } from '../wire.ts';
import * as wire from './wire.ts';

const STRAP = originOf('whoop_v2', 'watch', {
  id: null,
  manufacturer: 'WHOOP',
  model: 'WHOOP',
  version: null,
});
const ROOT = '/developer/v2';
const PAGE = 25;

/** All records of a collection within a window. They come newest first, and so the pages are put together and turned. */
async function recordsOf<T>(
  api: Api,
  collection: string,
  { item, span }: { item: z.ZodType<T>; span: Span },
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
    const { records, next_token } = await api.read(wire.page(item), `${ROOT}/${collection}`, { query });
    all.push(...records);
    next = next_token ?? undefined;
  } while (next !== undefined);
  return all.toReversed();
}

const startOf = ({ start, timezone_offset: zone }: { start: string; timezone_offset: string }) => ({
  at: instantOf(start).at,
  offset: offsetOf(zone),
});

/** A cycle begins with falling asleep: what lies half a day later is on its day. */
const TO_ITS_DAY = 12 * HOUR;

export const activity: Pull = async function* (api, { span }) {
  for (const given of await recordsOf(api, 'cycle', { item: wire.WhoopCycle, span })) {
    const { at, offset } = startOf(given);
    const { score } = given;
    if (!score) continue;
    yield summaryOf({
      resource: 'activity',
      origin: STRAP,
      key: given.id,
      at,
      day: dayAt(at + TO_ITS_DAY, offset),
      raw: given,
      body: {
        timezone_offset: offset,
        calories_total: score.kilojoule == null ? null : kilojoulesToKcal(score.kilojoule),
        heart_rate: { avg_bpm: orNull(score.average_heart_rate), max_bpm: orNull(score.max_heart_rate) },
      },
    });
  }
};

/** From half of the maximum up: what is below lies in zone zero. */
const ZONES = ['one', 'two', 'three', 'four', 'five'];

export const workouts: Pull = async function* (api, { span }) {
  for (const given of await recordsOf(api, 'activity/workout', { item: wire.WhoopWorkout, span })) {
    const { at, offset } = startOf(given);
    const { score } = given;
    const zones = score?.zone_durations;
    yield summaryOf({
      resource: 'workouts',
      origin: STRAP,
      key: given.id,
      at,
      day: dayAt(at, offset),
      raw: given,
      body: {
        sport: sportOf(given.sport_name),
        time_start: isoAt(at),
        time_end: isoAt(instantOf(given.end).at),
        timezone_offset: offset,
        average_hr: whole(score?.average_heart_rate),
        max_hr: whole(score?.max_heart_rate),
        hr_zones: zones ? ZONES.map((zone) => whole((zones[`zone_${zone}_milli`] ?? 0) / 1000) ?? 0) : null,
        distance: orNull(score?.distance_meter),
        calories: score?.kilojoule == null ? null : kilojoulesToKcal(score.kilojoule),
        total_elevation_gain: orNull(score?.altitude_gain_meter),
      },
    });
  }
};

const grants = ({ scopes }: Grant, scope: string) => scopes.includes(scope);

export const sleep: Pull = async function* (api, { span, grant }) {
  const recoveries = grants(grant, 'read:recovery')
    ? await recordsOf(api, 'recovery', { item: wire.WhoopRecovery, span })
    : [];
  const recovered = new Map(recoveries.map((recovery) => [recovery.sleep_id, recovery]));
  for (const given of await recordsOf(api, 'activity/sleep', { item: wire.WhoopSleep, span })) {
    // News comes again when it is scored.
    if (given.score) yield sleepOf(given, given.score, recovered.get(given.id)?.score);
  }
};

function sleepOf(
  given: wire.WhoopSleep,
  score: NonNullable<wire.WhoopSleep['score']>,
  recovery: wire.WhoopRecovery['score'],
): Reading {
  const { at, offset } = startOf(given);
  const to = instantOf(given.end).at;
  const { stage_summary: stages } = score;
  const seconds = (milli: number | null | undefined) => whole((milli ?? 0) / 1000) ?? 0;
  const light = seconds(stages.total_light_sleep_time_milli);
  const rem = seconds(stages.total_rem_sleep_time_milli);
  const deep = seconds(stages.total_slow_wave_sleep_time_milli);
  return summaryOf({
    resource: 'sleep',
    origin: STRAP,
    key: given.id,
    at,
    day: dayAt(to, offset),
    raw: given,
    body: {
      bedtime_start: isoAt(at),
      bedtime_stop: isoAt(to),
      timezone_offset: offset,
      type: given.nap ? 'acknowledged_nap' : 'long_sleep',
      state: 'confirmed',
      duration: seconds(stages.total_in_bed_time_milli),
      total: light + rem + deep,
      awake: seconds(stages.total_awake_time_milli),
      light,
      rem,
      deep,
      score: whole(score.sleep_performance_percentage),
      recovery_readiness_score: whole(recovery?.recovery_score),
      hr_resting: whole(recovery?.resting_heart_rate),
      efficiency: orNull(score.sleep_efficiency_percentage),
      skin_temperature: orNull(recovery?.skin_temp_celsius),
      average_hrv: orNull(recovery?.hrv_rmssd_milli),
      respiratory_rate: orNull(score.respiratory_rate),
    },
  });
}

export const respiratoryRate: Pull = async function* (api, { span }) {
  const sleeps = await recordsOf(api, 'activity/sleep', { item: wire.WhoopSleep, span });
  yield* samplesOf(
    'respiratory_rate',
    STRAP,
    sleeps.flatMap((given) => {
      const value = given.score?.respiratory_rate;
      return value == null ? [] : [sampleOf({ ...startOf(given), value })];
    }),
  );
};

type RecoveryField = 'hrv_rmssd_milli' | 'spo2_percentage' | 'skin_temp_celsius';

/** What is measured once a night, and told with the recovery. */
const ofRecovery = (
  resource: SampledResource,
  field: RecoveryField,
  more?: Readonly<Record<string, unknown>>,
): Pull =>
  async function* (api, { span }) {
    const recoveries = await recordsOf(api, 'recovery', { item: wire.WhoopRecovery, span });
    yield* samplesOf(
      resource,
      STRAP,
      recoveries.flatMap(({ created_at, score }) => {
        const { at } = instantOf(created_at);
        const value = score?.[field];
        return value == null ? [] : [sampleOf({ at, offset: null, value, ...(more && { until: at, more }) })];
      }),
    );
  };

export const hrv = ofRecovery('hrv', 'hrv_rmssd_milli');
export const bloodOxygen = ofRecovery('blood_oxygen', 'spo2_percentage');
export const bodyTemperature = ofRecovery('body_temperature', 'skin_temp_celsius', {
  sensor_location: 'wrist',
});

export const profile: Pull = async function* (api) {
  const { user_id: key } = await api.read(wire.WhoopPerson, `${ROOT}/user/profile/basic`);
  const given = await api.read(wire.WhoopBody, `${ROOT}/user/measurement/body`);
  yield summaryOf({
    resource: 'profile',
    origin: STRAP,
    key,
    ...ofNoDay,
    raw: given,
    body: { height: given.height_meter == null ? null : whole(given.height_meter * 100) },
  });
};
