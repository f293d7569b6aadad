import type { z } from 'zod';
import type { HealthReading } from '../../../readings/readings.ts';
import type { ProviderApi } from '../api.ts';
import type { PullFunction } from '../definition.ts';
import {
  UNDATED,
  createOrigin,
  toStageIntervals,
  createSample,
  createSampleReadings,
  SLEEP_STAGE,
  createStageReadings,
  createSummary,
  type SleepStageCode,
} from '../create-readings.ts';
import { toSport } from '../sports.ts';
import { toCalendarDays, parseInstant, toIsoTimestamp } from '../times.ts';
import type { ProviderTimeSpan } from '../port.ts';
import { toNullable, toIntegerOrNull } from '../wire.ts';
import * as wire from './wire.ts';

const RING_ORIGIN = createOrigin('oura', 'ring', {
  id: null,
  manufacturer: 'Oura',
  model: 'Oura Ring',
  version: null,
});
const ROOT = '/v2/usercollection';

/** Fetches all pages of a collection. */
async function* fetchPages<T>(
  api: ProviderApi,
  collection: string,
  { item, query }: { item: z.ZodType<T>; query: Readonly<Record<string, string>> },
): AsyncIterable<T[]> {
  let next: string | undefined;
  do {
    const asked = { query: { ...query, next_token: next } };
    const { data, next_token } = await api.read(wire.createPageSchema(item), `${ROOT}/${collection}`, asked);
    yield data;
    next = next_token ?? undefined;
  } while (next !== undefined);
}

/** The query for all days of the span in any time zone. */
const toDayRange = (span: ProviderTimeSpan) => {
  const { first, last } = toCalendarDays(span);
  return { start_date: first, end_date: last };
};

/** A pull of a day-based collection; each document is converted on its own. */
const createDailyPull = <T>(
  collection: string,
  item: z.ZodType<T>,
  made: (document: T) => HealthReading[],
): PullFunction =>
  async function* (api, { span }) {
    for await (const documents of fetchPages(api, collection, { item, query: toDayRange(span) })) {
      yield* documents.flatMap(made);
    }
  };

export const activity: PullFunction = createDailyPull('daily_activity', wire.OuraActivity, (given) => {
  const { at, offset } = parseInstant(given.timestamp);
  const minutes = (seconds: number | null | undefined) => (seconds == null ? null : seconds / 60);
  return [
    createSummary({
      resource: 'activity',
      origin: RING_ORIGIN,
      key: given.id,
      at,
      day: given.day,
      raw: given,
      body: {
        timezone_offset: offset,
        calories_total: toNullable(given.total_calories),
        calories_active: toNullable(given.active_calories),
        steps: toIntegerOrNull(given.steps),
        distance: toNullable(given.equivalent_walking_distance),
        low: minutes(given.low_activity_time),
        medium: minutes(given.medium_activity_time),
        high: minutes(given.high_activity_time),
      },
    }),
  ];
});

export const workouts: PullFunction = createDailyPull('workout', wire.OuraWorkout, (given) => {
  const { at, offset } = parseInstant(given.start_datetime);
  return [
    createSummary({
      resource: 'workouts',
      origin: RING_ORIGIN,
      key: given.id,
      at,
      day: given.day,
      raw: given,
      body: {
        title: toNullable(given.label),
        sport: toSport(given.activity),
        time_start: toIsoTimestamp(at),
        time_end: toIsoTimestamp(parseInstant(given.end_datetime).at),
        timezone_offset: offset,
        calories: toNullable(given.calories),
        distance: toNullable(given.distance),
      },
    }),
  ];
});

export const heartrate: PullFunction = async function* (api, { span }) {
  const query = { start_datetime: span.from.toISOString(), end_datetime: span.to.toISOString() };
  for await (const beats of fetchPages(api, 'heartrate', { item: wire.OuraBeat, query })) {
    yield* createSampleReadings(
      'heartrate',
      RING_ORIGIN,
      beats.map(({ timestamp, bpm }) =>
        createSample({ at: parseInstant(timestamp).at, offset: null, value: bpm }),
      ),
    );
  }
};

export const profile: PullFunction = async function* (api) {
  const given = await api.read(wire.OuraPerson, `${ROOT}/personal_info`);
  const sex =
    given.biological_sex === 'male' || given.biological_sex === 'female' ? given.biological_sex : null;
  yield createSummary({
    resource: 'profile',
    origin: RING_ORIGIN,
    key: given.id,
    ...UNDATED,
    raw: given,
    body: { height: given.height == null ? null : toIntegerOrNull(given.height * 100), sex },
  });
};

/** Deleted sleeps and rest periods are excluded. */
const SLEEP_TYPES: Readonly<Record<string, string>> = {
  long_sleep: 'long_sleep',
  sleep: 'short_sleep',
  late_nap: 'acknowledged_nap',
};

const isSleep = ({ type }: wire.OuraSleep): boolean => type == null || type in SLEEP_TYPES;

export const sleep: PullFunction = async function* (api, { span }) {
  const scores = new Map<string, number | null>();
  const query = toDayRange(span);
  for await (const days of fetchPages(api, 'daily_sleep', { item: wire.OuraDailySleep, query })) {
    for (const { day, score } of days) scores.set(day, toNullable(score));
  }
  for await (const documents of fetchPages(api, 'sleep', { item: wire.OuraSleep, query })) {
    yield* documents.filter(isSleep).flatMap((one) => toSleepReadings(one, scores.get(one.day)));
  }
};

function toSleepReadings(given: wire.OuraSleep, score: number | null | undefined): HealthReading[] {
  const { at, offset } = parseInstant(given.bedtime_start);
  const to = parseInstant(given.bedtime_end).at;
  const type = SLEEP_TYPES[given.type ?? ''] ?? 'unknown';
  const seconds = (value: number | null | undefined) => toIntegerOrNull(value) ?? 0;
  const night = { key: given.id, origin: RING_ORIGIN, day: given.day };
  return [
    createSummary({
      ...night,
      resource: 'sleep',
      at,
      raw: given,
      body: {
        bedtime_start: toIsoTimestamp(at),
        bedtime_stop: toIsoTimestamp(to),
        timezone_offset: offset,
        type,
        state: 'confirmed',
        duration: seconds(given.time_in_bed),
        total: seconds(given.total_sleep_duration),
        awake: seconds(given.awake_time),
        light: seconds(given.light_sleep_duration),
        rem: seconds(given.rem_sleep_duration),
        deep: seconds(given.deep_sleep_duration),
        // Oura has one score per day; assign it to the long sleep.
        score: type === 'long_sleep' ? toIntegerOrNull(score) : null,
        recovery_readiness_score: toIntegerOrNull(given.readiness?.score),
        hr_lowest: toIntegerOrNull(given.lowest_heart_rate),
        hr_average: toIntegerOrNull(given.average_heart_rate),
        efficiency: toNullable(given.efficiency),
        latency: toIntegerOrNull(given.latency),
        temperature_delta: toNullable(given.readiness?.temperature_deviation),
        average_hrv: toNullable(given.average_hrv),
        respiratory_rate: toNullable(given.average_breath),
      },
    }),
    ...createStageReadings({
      ...night,
      from: at,
      to,
      offset,
      runs: toStageIntervals(readStageCodes(given), readStageStep(given, at)),
    }),
  ];
}

const STAGE_BY_PHASE: Readonly<Record<string, SleepStageCode>> = {
  1: SLEEP_STAGE.deep,
  2: SLEEP_STAGE.light,
  3: SLEEP_STAGE.rem,
  4: SLEEP_STAGE.awake,
};

const readStageCodes = ({ sleep_phase_30_sec, sleep_phase_5_min }: wire.OuraSleep): SleepStageCode[] =>
  [...(sleep_phase_30_sec ?? sleep_phase_5_min ?? '')].map(
    (code) => STAGE_BY_PHASE[code] ?? SLEEP_STAGE.unknown,
  );

const readStageStep = ({ sleep_phase_30_sec }: wire.OuraSleep, from: number) => ({
  from,
  stepMs: sleep_phase_30_sec == null ? 300_000 : 30_000,
});

export const hrv: PullFunction = createDailyPull('sleep', wire.OuraSleep, (given) => {
  if (!given.hrv || !isSleep(given)) return [];
  const { interval, items, timestamp } = given.hrv;
  const { at, offset } = parseInstant(timestamp);
  return createSampleReadings(
    'hrv',
    RING_ORIGIN,
    items.flatMap((value, n) =>
      value === null ? [] : [createSample({ at: at + n * interval * 1000, offset, value })],
    ),
  );
});

export const temperatureDelta: PullFunction = createDailyPull('sleep', wire.OuraSleep, (given) => {
  const value = given.readiness?.temperature_deviation;
  if (value == null || !isSleep(given)) return [];
  const { at, offset } = parseInstant(given.bedtime_start);
  const until = parseInstant(given.bedtime_end).at;
  return createSampleReadings('body_temperature_delta', RING_ORIGIN, [
    createSample({ at, until, offset, value, more: { sensor_location: 'finger' } }),
  ]);
});
