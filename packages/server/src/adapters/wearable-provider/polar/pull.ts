import { DAY, HOUR, SECOND } from '../../../platform/clock.ts';
import type {
  ReadingOrigin,
  HealthReading,
  HealthSample,
  SampledResource,
  StreamColumns,
} from '../../../readings/readings.ts';
import type { ProviderApi } from '../api.ts';
import type { PullFunction } from '../definition.ts';
import {
  UNDATED,
  createOrigin,
  createSample,
  createSampleReadings,
  SLEEP_STAGE,
  createStageReadings,
  createSummary,
  type SleepStageCode,
} from '../create-readings.ts';
import type { ProviderTimeSpan } from '../port.ts';
import { toSport } from '../sports.ts';
import {
  parseLocalTime,
  toLocalDay,
  toCalendarDays,
  parseDurationSeconds,
  iterateDays,
  parseInstant,
  toIsoTimestamp,
  isWithin,
} from '../times.ts';
import { toDayOrNull, toNullable, toIntegerOrNull } from '../wire.ts';
import { toStreamColumns } from './columns.ts';
import * as wire from './wire.ts';

const USERS = '/v3/users';
/** Polar returns 404 if a user has no data of a kind. */
const NO_DATA = { emptyStatuses: [404] };

const toOrigin = (id: string | null | undefined, model?: string | null): ReadingOrigin =>
  createOrigin(
    'polar',
    'watch',
    id == null && model == null
      ? null
      : { id: id ?? null, manufacturer: 'Polar', model: model ?? null, version: null },
  );

/** Polar always returns the nights of the last four weeks; keeps those that ended in the span. */
async function fetchNights(api: ProviderApi, span: ProviderTimeSpan): Promise<wire.PolarNight[]> {
  const { nights } = (await api.find(wire.Nights, `${USERS}/sleep`, NO_DATA)) ?? { nights: [] };
  return nights
    .filter(({ sleep_end_time: end }) => isWithin(span, parseInstant(end).at))
    .toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

async function fetchRechargesByDay(api: ProviderApi) {
  const found = await api.find(wire.Recharges, `${USERS}/nightly-recharge`, NO_DATA);
  return new Map((found?.recharges ?? []).map((recharge) => [recharge.date, recharge]));
}

/**
 * Times within a night are local times without a date. A time earlier than the start of the sleep is after midnight; no
 * night includes noon.
 */
function createNightTimeParser(night: wire.PolarNight): (time: string) => number {
  const { at: from, offset } = parseInstant(night.sleep_start_time);
  const evening = toLocalDay(from, offset);
  return (time) => {
    const at = parseLocalTime(`${evening}T${time}`, offset);
    return at < from - HOUR ? at + DAY : at;
  };
}

const STAGE_BY_CODE: Readonly<Record<number, SleepStageCode>> = {
  0: SLEEP_STAGE.awake,
  1: SLEEP_STAGE.rem,
  2: SLEEP_STAGE.light,
  3: SLEEP_STAGE.light,
  4: SLEEP_STAGE.deep,
};

export const sleep: PullFunction = async function* (api, { span }) {
  const nights = await fetchNights(api, span);
  if (nights.length === 0) return;
  const recharges = await fetchRechargesByDay(api);
  for (const night of nights) yield* toSleepReadings(night, recharges.get(night.date));
};

function toSleepReadings(
  night: wire.PolarNight,
  recharge: { heart_rate_variability_avg?: unknown; breathing_rate_avg?: unknown } | undefined,
): HealthReading[] {
  const { at, offset } = parseInstant(night.sleep_start_time);
  const to = parseInstant(night.sleep_end_time).at;
  const wall = createNightTimeParser(night);
  const starts = Object.entries(night.hypnogram ?? {})
    .map(([time, code]) => ({
      at: Math.max(at, wall(time)),
      stage: STAGE_BY_CODE[code] ?? SLEEP_STAGE.unknown,
    }))
    .toSorted((one, other) => one.at - other.at);
  const runs = starts.map((run, n) => ({ ...run, until: starts[n + 1]?.at ?? to }));
  const beats = Object.values(night.heart_rate_samples ?? {});
  const [light, deep, rem] = [night.light_sleep ?? 0, night.deep_sleep ?? 0, night.rem_sleep ?? 0];
  const about = { key: night.date, origin: toOrigin(night.device_id), day: night.date };
  return [
    createSummary({
      ...about,
      resource: 'sleep',
      at,
      raw: night,
      body: {
        bedtime_start: toIsoTimestamp(at),
        bedtime_stop: toIsoTimestamp(to),
        timezone_offset: offset,
        type: 'long_sleep',
        state: 'confirmed',
        duration: Math.round((to - at) / SECOND),
        total: light + deep + rem + (night.unrecognized_sleep_stage ?? 0),
        awake: night.total_interruption_duration ?? 0,
        light,
        rem,
        deep,
        score: toIntegerOrNull(night.sleep_score),
        hr_lowest: beats.length === 0 ? null : Math.min(...beats),
        hr_average:
          beats.length === 0
            ? null
            : toIntegerOrNull(beats.reduce((sum, one) => sum + one, 0) / beats.length),
        average_hrv: toNumberOrNull(recharge?.heart_rate_variability_avg),
        respiratory_rate: toNumberOrNull(recharge?.breathing_rate_avg),
      },
    }),
    ...createStageReadings({ ...about, from: at, to, offset, runs }),
  ];
}

const toNumberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** A pull of samples that were measured every few minutes of a night. */
const createNightPull = (
  resource: SampledResource,
  field: 'hrv_samples' | 'breathing_samples',
): PullFunction =>
  async function* (api, { span }) {
    const nights = await fetchNights(api, span);
    if (nights.length === 0) return;
    const recharges = await fetchRechargesByDay(api);
    for (const night of nights) {
      const wall = createNightTimeParser(night);
      const { offset } = parseInstant(night.sleep_start_time);
      const series = Object.entries(recharges.get(night.date)?.[field] ?? {});
      const samples = series.map(([time, value]) => createSample({ at: wall(time), offset, value }));
      yield* createSampleReadings(resource, toOrigin(night.device_id), samples);
    }
  };

export const hrv = createNightPull('hrv', 'hrv_samples');
export const respiratoryRate = createNightPull('respiratory_rate', 'breathing_samples');

/** Polar always returns the exercises of the last 30 days; keeps those that started in the span. */
async function fetchExercises(api: ProviderApi, span: ProviderTimeSpan): Promise<wire.PolarExercise[]> {
  const query = { zones: 'true' };
  const all = (await api.find(wire.Exercises, '/v3/exercises', { query, ...NO_DATA })) ?? [];
  return all
    .filter((exercise) => isWithin(span, readStart(exercise).at))
    .toSorted((one, other) => readStart(one).at - readStart(other).at);
}

function readStart({ start_time, start_time_utc_offset: minutes }: wire.PolarExercise) {
  const offset = minutes == null ? null : minutes * 60;
  return { at: parseLocalTime(start_time, offset), offset };
}

function toWorkout(given: wire.PolarExercise): HealthReading {
  const { at, offset } = readStart(given);
  const seconds = parseDurationSeconds(given.duration) ?? 0;
  const zones = given.heart_rate_zones?.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  const { samples: _samples, route: _route, ...raw } = given;
  return createSummary({
    resource: 'workouts',
    origin: toOrigin(given.device_id, given.device),
    key: given.id,
    at,
    day: toLocalDay(at, offset),
    raw,
    body: {
      sport: toSport(given.detailed_sport_info ?? given.sport),
      time_start: toIsoTimestamp(at),
      time_end: toIsoTimestamp(at + seconds * SECOND),
      timezone_offset: offset,
      average_hr: toIntegerOrNull(given.heart_rate?.average),
      max_hr: toIntegerOrNull(given.heart_rate?.maximum),
      hr_zones: zones
        ? zones.map((zone) => toIntegerOrNull(parseDurationSeconds(zone['in-zone'] ?? '')) ?? 0)
        : null,
      distance: toNullable(given.distance),
      calories: toNullable(given.calories),
    },
  });
}

export const workouts: PullFunction = async function* (api, { span }) {
  yield* (await fetchExercises(api, span)).map(toWorkout);
};

/** Yields each workout followed by its stream, one exercise at a time, because streams can be large. */
export const workoutStreams: PullFunction = async function* (api, { span, known }) {
  for (const listed of await fetchExercises(api, span)) {
    if (known.has(listed.id)) continue;
    const query = { samples: 'true', zones: 'true', route: 'true' };
    const path = `/v3/exercises/${encodeURIComponent(listed.id)}`;
    const exercise = await api.find(wire.PolarExercise, path, { query, ...NO_DATA });
    const columns: StreamColumns | undefined =
      exercise && toStreamColumns(exercise, readStart(exercise).at / SECOND);
    if (!exercise || !columns) continue;
    yield toWorkout(exercise);
    yield {
      kind: 'workout_stream',
      origin: toOrigin(exercise.device_id, exercise.device),
      workoutKey: exercise.id,
      columns,
    };
  }
};

export const activity: PullFunction = async function* (api, { span }) {
  const { first, last } = toCalendarDays(span);
  const query = { from: first, to: last };
  const days = (await api.find(wire.Days, `${USERS}/activities`, { query, ...NO_DATA })) ?? [];
  for (const given of days.toSorted((one, other) => (one.start_time < other.start_time ? -1 : 1))) {
    const day = given.start_time.slice(0, 10);
    yield createSummary({
      resource: 'activity',
      origin: toOrigin(null),
      key: day,
      at: Date.parse(`${day}T00:00:00Z`),
      day,
      raw: given,
      body: {
        calories_total: toNullable(given.calories),
        calories_active: toNullable(given.active_calories),
        steps: toIntegerOrNull(given.steps),
        distance: toNullable(given.distance_from_steps),
      },
    });
  }
};

/** Heart rate days have no UTC offset; uses that of the nearest night or exercise. */
async function createOffsetLookup(api: ProviderApi): Promise<(day: string) => number | null> {
  const all = { from: new Date(0), to: new Date(8.64e15) };
  const nights = (await fetchNights(api, all)).map(({ date, sleep_end_time: end }) => ({
    day: date,
    offset: parseInstant(end).offset,
  }));
  const exercises = (await fetchExercises(api, all)).map((one) => ({
    day: one.start_time.slice(0, 10),
    offset: readStart(one).offset,
  }));
  const known = [...nights, ...exercises].filter(({ offset }) => offset !== null);
  const far = (day: string, other: string) => Math.abs(Date.parse(day) - Date.parse(other));
  return (day) => known.toSorted((one, other) => far(day, one.day) - far(day, other.day))[0]?.offset ?? null;
}

export const heartrate: PullFunction = async function* (api, { span }) {
  const offsetOn = await createOffsetLookup(api);
  for (const day of iterateDays(toCalendarDays(span))) {
    const beats = await api.find(wire.PolarBeats, `${USERS}/continuous-heart-rate/${day}`, NO_DATA);
    if (!beats) continue;
    const offset = offsetOn(day);
    const samples: HealthSample[] = beats.heart_rate_samples
      .map(({ heart_rate: value, sample_time }) =>
        createSample({ at: parseLocalTime(`${beats.date}T${sample_time}`, offset), offset, value }),
      )
      .filter(({ at }) => isWithin(span, at));
    yield* createSampleReadings('heartrate', toOrigin(null), samples);
  }
};

export const profile: PullFunction = async function* (api, { grant }) {
  const given = await api.find(wire.PolarPerson, `${USERS}/physical-info`, NO_DATA);
  if (!given) return;
  const sex = given.gender?.toLowerCase();
  yield createSummary({
    resource: 'profile',
    origin: toOrigin(null),
    key: grant.externalUserId ?? 'self',
    ...UNDATED,
    raw: given,
    body: {
      height: toIntegerOrNull(given.height),
      birth_date: toDayOrNull(given.birthday),
      sex: sex === 'male' || sex === 'female' ? sex : null,
    },
  });
};
