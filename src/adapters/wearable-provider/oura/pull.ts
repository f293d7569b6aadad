import type { z } from 'zod';
import type { Reading } from '../../../wearables/readings.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import {
  ofNoDay,
  originOf,
  runsOf,
  sampleOf,
  samplesOf,
  STAGE,
  stagesOf,
  summaryOf,
  type Stage,
} from '../made.ts';
import { sportOf } from '../sports.ts';
import { daysAnywhere, instantOf, isoAt } from '../times.ts';
import type { Span } from '../port.ts';
import { orNull, whole } from '../wire.ts';
import * as wire from './wire.ts';

const RING = originOf('oura', 'ring', {
  id: null,
  manufacturer: 'Oura',
  model: 'Oura Ring',
  version: null,
});
const ROOT = '/v2/usercollection';

/** All pages of a collection. */
async function* pagesOf<T>(
  api: Api,
  collection: string,
  { item, query }: { item: z.ZodType<T>; query: Readonly<Record<string, string>> },
): AsyncIterable<T[]> {
  let next: string | undefined;
  do {
    const asked = { query: { ...query, next_token: next } };
    const { data, next_token } = await api.read(wire.page(item), `${ROOT}/${collection}`, asked);
    yield data;
    next = next_token ?? undefined;
  } while (next !== undefined);
}

/** Of documents that belong to days, those of all days that the span touches anywhere on earth. */
const daily = (span: Span) => {
  const { first, last } = daysAnywhere(span);
  return { start_date: first, end_date: last };
};

/** A pull of one collection by days, each document made into readings by itself. */
const ofDays = <T>(collection: string, item: z.ZodType<T>, made: (document: T) => Reading[]): Pull =>
  async function* (api, { span }) {
    for await (const documents of pagesOf(api, collection, { item, query: daily(span) })) {
      yield* documents.flatMap(made);
    }
  };

export const activity: Pull = ofDays('daily_activity', wire.OuraActivity, (given) => {
  const { at, offset } = instantOf(given.timestamp);
  const minutes = (seconds: number | null | undefined) => (seconds == null ? null : seconds / 60);
  return [
    summaryOf({
      resource: 'activity',
      origin: RING,
      key: given.id,
      at,
      day: given.day,
      raw: given,
      body: {
        timezone_offset: offset,
        calories_total: orNull(given.total_calories),
        calories_active: orNull(given.active_calories),
        steps: whole(given.steps),
        distance: orNull(given.equivalent_walking_distance),
        low: minutes(given.low_activity_time),
        medium: minutes(given.medium_activity_time),
        high: minutes(given.high_activity_time),
      },
    }),
  ];
});

export const workouts: Pull = ofDays('workout', wire.OuraWorkout, (given) => {
  const { at, offset } = instantOf(given.start_datetime);
  return [
    summaryOf({
      resource: 'workouts',
      origin: RING,
      key: given.id,
      at,
      day: given.day,
      raw: given,
      body: {
        title: orNull(given.label),
        sport: sportOf(given.activity),
        time_start: isoAt(at),
        time_end: isoAt(instantOf(given.end_datetime).at),
        timezone_offset: offset,
        calories: orNull(given.calories),
        distance: orNull(given.distance),
      },
    }),
  ];
});

export const heartrate: Pull = async function* (api, { span }) {
  const query = { start_datetime: span.from.toISOString(), end_datetime: span.to.toISOString() };
  for await (const beats of pagesOf(api, 'heartrate', { item: wire.OuraBeat, query })) {
    yield* samplesOf(
      'heartrate',
      RING,
      beats.map(({ timestamp, bpm }) => sampleOf({ at: instantOf(timestamp).at, offset: null, value: bpm })),
    );
  }
};

export const profile: Pull = async function* (api) {
  const given = await api.read(wire.OuraPerson, `${ROOT}/personal_info`);
  const sex =
    given.biological_sex === 'male' || given.biological_sex === 'female' ? given.biological_sex : null;
  yield summaryOf({
    resource: 'profile',
    origin: RING,
    key: given.id,
    ...ofNoDay,
    raw: given,
    body: { height: given.height == null ? null : whole(given.height * 100), sex },
  });
};

/** Deleted ones, and rest that was taken for sleep, are none. */
const TYPES: Readonly<Record<string, string>> = {
  long_sleep: 'long_sleep',
  sleep: 'short_sleep',
  late_nap: 'acknowledged_nap',
};

const slept = ({ type }: wire.OuraSleep): boolean => type == null || type in TYPES;

export const sleep: Pull = async function* (api, { span }) {
  const scores = new Map<string, number | null>();
  const query = daily(span);
  for await (const days of pagesOf(api, 'daily_sleep', { item: wire.OuraDailySleep, query })) {
    for (const { day, score } of days) scores.set(day, orNull(score));
  }
  for await (const documents of pagesOf(api, 'sleep', { item: wire.OuraSleep, query })) {
    yield* documents.filter(slept).flatMap((one) => sleepOf(one, scores.get(one.day)));
  }
};

function sleepOf(given: wire.OuraSleep, score: number | null | undefined): Reading[] {
  const { at, offset } = instantOf(given.bedtime_start);
  const to = instantOf(given.bedtime_end).at;
  const type = TYPES[given.type ?? ''] ?? 'unknown';
  const seconds = (value: number | null | undefined) => whole(value) ?? 0;
  const night = { key: given.id, origin: RING, day: given.day };
  return [
    summaryOf({
      ...night,
      resource: 'sleep',
      at,
      raw: given,
      body: {
        bedtime_start: isoAt(at),
        bedtime_stop: isoAt(to),
        timezone_offset: offset,
        type,
        state: 'confirmed',
        duration: seconds(given.time_in_bed),
        total: seconds(given.total_sleep_duration),
        awake: seconds(given.awake_time),
        light: seconds(given.light_sleep_duration),
        rem: seconds(given.rem_sleep_duration),
        deep: seconds(given.deep_sleep_duration),
        // The score is one for the day; its long sleep has it.
        score: type === 'long_sleep' ? whole(score) : null,
        recovery_readiness_score: whole(given.readiness?.score),
        hr_lowest: whole(given.lowest_heart_rate),
        hr_average: whole(given.average_heart_rate),
        efficiency: orNull(given.efficiency),
        latency: whole(given.latency),
        temperature_delta: orNull(given.readiness?.temperature_deviation),
        average_hrv: orNull(given.average_hrv),
        respiratory_rate: orNull(given.average_breath),
      },
    }),
    ...stagesOf({ ...night, from: at, to, offset, runs: runsOf(codesOf(given), stepOf(given, at)) }),
  ];
}

const PHASES: Readonly<Record<string, Stage>> = {
  1: STAGE.deep,
  2: STAGE.light,
  3: STAGE.rem,
  4: STAGE.awake,
};

const codesOf = ({ sleep_phase_30_sec, sleep_phase_5_min }: wire.OuraSleep): Stage[] =>
  [...(sleep_phase_30_sec ?? sleep_phase_5_min ?? '')].map((code) => PHASES[code] ?? STAGE.unknown);

const stepOf = ({ sleep_phase_30_sec }: wire.OuraSleep, from: number) => ({
  from,
  stepMs: sleep_phase_30_sec == null ? 300_000 : 30_000,
});

export const hrv: Pull = ofDays('sleep', wire.OuraSleep, (given) => {
  if (!given.hrv || !slept(given)) return [];
  const { interval, items, timestamp } = given.hrv;
  const { at, offset } = instantOf(timestamp);
  return samplesOf(
    'hrv',
    RING,
    items.flatMap((value, n) =>
      value === null ? [] : [sampleOf({ at: at + n * interval * 1000, offset, value })],
    ),
  );
});

export const temperatureDelta: Pull = ofDays('sleep', wire.OuraSleep, (given) => {
  const value = given.readiness?.temperature_deviation;
  if (value == null || !slept(given)) return [];
  const { at, offset } = instantOf(given.bedtime_start);
  const until = instantOf(given.bedtime_end).at;
  return samplesOf('body_temperature_delta', RING, [
    sampleOf({ at, until, offset, value, more: { sensor_location: 'finger' } }),
  ]);
});
