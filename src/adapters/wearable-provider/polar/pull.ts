import { DAY, HOUR, SECOND } from '../../../platform/clock.ts';
import type { Origin, Reading, Sample, SampledResource, StreamColumns } from '../../../wearables/readings.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import { ofNoDay, originOf, sampleOf, samplesOf, STAGE, stagesOf, summaryOf, type Stage } from '../made.ts';
import type { Span } from '../port.ts';
import { sportOf } from '../sports.ts';
import { atWall, dayAt, daysAnywhere, durationSeconds, eachDay, instantOf, isoAt, within } from '../times.ts';
import { dayOrNull, orNull, whole } from '../wire.ts';
import { columnsOf } from './columns.ts';
import * as wire from './wire.ts';

const USERS = '/v3/users';
/** What a user has none of is told as 404. */
const NOTHING = { absent: [404] };

const originIn = (id: string | null | undefined, model?: string | null): Origin =>
  originOf(
    'polar',
    'watch',
    id == null && model == null
      ? null
      : { id: id ?? null, manufacturer: 'Polar', model: model ?? null, version: null },
  );

/** The nights of four weeks are answered, whatever is asked; those that ended in the span are taken. */
async function nightsIn(api: Api, span: Span): Promise<wire.PolarNight[]> {
  const { nights } = (await api.find(wire.Nights, `${USERS}/sleep`, NOTHING)) ?? { nights: [] };
  return nights
    .filter(({ sleep_end_time: end }) => within(span, instantOf(end).at))
    .toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

async function rechargesByDay(api: Api) {
  const found = await api.find(wire.Recharges, `${USERS}/nightly-recharge`, NOTHING);
  return new Map((found?.recharges ?? []).map((recharge) => [recharge.date, recharge]));
}

/**
 * Times of a night are written as the clock on the wall showed them, without a day: what is earlier than falling asleep
 * was after midnight. Noon is on neither side of a night.
 */
function wallIn(night: wire.PolarNight): (time: string) => number {
  const { at: from, offset } = instantOf(night.sleep_start_time);
  const evening = dayAt(from, offset);
  return (time) => {
    const at = atWall(`${evening}T${time}`, offset);
    return at < from - HOUR ? at + DAY : at;
  };
}

const STAGES: Readonly<Record<number, Stage>> = {
  0: STAGE.awake,
  1: STAGE.rem,
  2: STAGE.light,
  3: STAGE.light,
  4: STAGE.deep,
};

export const sleep: Pull = async function* (api, { span }) {
  const nights = await nightsIn(api, span);
  if (nights.length === 0) return;
  const recharges = await rechargesByDay(api);
  for (const night of nights) yield* nightOf(night, recharges.get(night.date));
};

function nightOf(
  night: wire.PolarNight,
  recharge: { heart_rate_variability_avg?: unknown; breathing_rate_avg?: unknown } | undefined,
): Reading[] {
  const { at, offset } = instantOf(night.sleep_start_time);
  const to = instantOf(night.sleep_end_time).at;
  const wall = wallIn(night);
  const starts = Object.entries(night.hypnogram ?? {})
    .map(([time, code]) => ({ at: Math.max(at, wall(time)), stage: STAGES[code] ?? STAGE.unknown }))
    .toSorted((one, other) => one.at - other.at);
  const runs = starts.map((run, n) => ({ ...run, until: starts[n + 1]?.at ?? to }));
  const beats = Object.values(night.heart_rate_samples ?? {});
  const [light, deep, rem] = [night.light_sleep ?? 0, night.deep_sleep ?? 0, night.rem_sleep ?? 0];
  const about = { key: night.date, origin: originIn(night.device_id), day: night.date };
  return [
    summaryOf({
      ...about,
      resource: 'sleep',
      at,
      raw: night,
      body: {
        bedtime_start: isoAt(at),
        bedtime_stop: isoAt(to),
        timezone_offset: offset,
        type: 'long_sleep',
        state: 'confirmed',
        duration: Math.round((to - at) / SECOND),
        total: light + deep + rem + (night.unrecognized_sleep_stage ?? 0),
        awake: night.total_interruption_duration ?? 0,
        light,
        rem,
        deep,
        score: whole(night.sleep_score),
        hr_lowest: beats.length === 0 ? null : Math.min(...beats),
        hr_average:
          beats.length === 0 ? null : whole(beats.reduce((sum, one) => sum + one, 0) / beats.length),
        average_hrv: numberIn(recharge?.heart_rate_variability_avg),
        respiratory_rate: numberIn(recharge?.breathing_rate_avg),
      },
    }),
    ...stagesOf({ ...about, from: at, to, offset, runs }),
  ];
}

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** What was measured every few minutes of a night. */
const ofNights = (resource: SampledResource, field: 'hrv_samples' | 'breathing_samples'): Pull =>
  async function* (api, { span }) {
    const nights = await nightsIn(api, span);
    if (nights.length === 0) return;
    const recharges = await rechargesByDay(api);
    for (const night of nights) {
      const wall = wallIn(night);
      const { offset } = instantOf(night.sleep_start_time);
      const series = Object.entries(recharges.get(night.date)?.[field] ?? {});
      const samples = series.map(([time, value]) => sampleOf({ at: wall(time), offset, value }));
      yield* samplesOf(resource, originIn(night.device_id), samples);
    }
  };

export const hrv = ofNights('hrv', 'hrv_samples');
export const respiratoryRate = ofNights('respiratory_rate', 'breathing_samples');

/** The exercises of thirty days are answered, whatever is asked. */
async function exercisesIn(api: Api, span: Span): Promise<wire.PolarExercise[]> {
  const query = { zones: 'true' };
  const all = (await api.find(wire.Exercises, '/v3/exercises', { query, ...NOTHING })) ?? [];
  return all
    .filter((exercise) => within(span, startOf(exercise).at))
    .toSorted((one, other) => startOf(one).at - startOf(other).at);
}

function startOf({ start_time, start_time_utc_offset: minutes }: wire.PolarExercise) {
  const offset = minutes == null ? null : minutes * 60;
  return { at: atWall(start_time, offset), offset };
}

function workoutOf(given: wire.PolarExercise): Reading {
  const { at, offset } = startOf(given);
  const seconds = durationSeconds(given.duration) ?? 0;
  const zones = given.heart_rate_zones?.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  const { samples: _samples, route: _route, ...raw } = given;
  return summaryOf({
    resource: 'workouts',
    origin: originIn(given.device_id, given.device),
    key: given.id,
    at,
    day: dayAt(at, offset),
    raw,
    body: {
      sport: sportOf(given.detailed_sport_info ?? given.sport),
      time_start: isoAt(at),
      time_end: isoAt(at + seconds * SECOND),
      timezone_offset: offset,
      average_hr: whole(given.heart_rate?.average),
      max_hr: whole(given.heart_rate?.maximum),
      hr_zones: zones ? zones.map((zone) => whole(durationSeconds(zone['in-zone'] ?? '')) ?? 0) : null,
      distance: orNull(given.distance),
      calories: orNull(given.calories),
    },
  });
}

export const workouts: Pull = async function* (api, { span }) {
  yield* (await exercisesIn(api, span)).map(workoutOf);
};

/** Each stream after its workout; one exercise at a time, for it may be of many hours. */
export const workoutStreams: Pull = async function* (api, { span, known }) {
  for (const listed of await exercisesIn(api, span)) {
    if (known.has(listed.id)) continue;
    const query = { samples: 'true', zones: 'true', route: 'true' };
    const path = `/v3/exercises/${encodeURIComponent(listed.id)}`;
    const exercise = await api.find(wire.PolarExercise, path, { query, ...NOTHING });
    const columns: StreamColumns | undefined = exercise && columnsOf(exercise, startOf(exercise).at / SECOND);
    if (!exercise || !columns) continue;
    yield workoutOf(exercise);
    yield {
      kind: 'workout_stream',
      origin: originIn(exercise.device_id, exercise.device),
      workoutKey: exercise.id,
      columns,
    };
  }
};

export const activity: Pull = async function* (api, { span }) {
  const { first, last } = daysAnywhere(span);
  const query = { from: first, to: last };
  const days = (await api.find(wire.Days, `${USERS}/activities`, { query, ...NOTHING })) ?? [];
  for (const given of days.toSorted((one, other) => (one.start_time < other.start_time ? -1 : 1))) {
    const day = given.start_time.slice(0, 10);
    yield summaryOf({
      resource: 'activity',
      origin: originIn(null),
      key: day,
      at: Date.parse(`${day}T00:00:00Z`),
      day,
      raw: given,
      body: {
        calories_total: orNull(given.calories),
        calories_active: orNull(given.active_calories),
        steps: whole(given.steps),
        distance: orNull(given.distance_from_steps),
      },
    });
  }
};

/** The clock of the device has no offset here: it is that of the nearest night or exercise. */
async function offsetsOf(api: Api): Promise<(day: string) => number | null> {
  const all = { from: new Date(0), to: new Date(8.64e15) };
  const nights = (await nightsIn(api, all)).map(({ date, sleep_end_time: end }) => ({
    day: date,
    offset: instantOf(end).offset,
  }));
  const exercises = (await exercisesIn(api, all)).map((one) => ({
    day: one.start_time.slice(0, 10),
    offset: startOf(one).offset,
  }));
  const known = [...nights, ...exercises].filter(({ offset }) => offset !== null);
  const far = (day: string, other: string) => Math.abs(Date.parse(day) - Date.parse(other));
  return (day) => known.toSorted((one, other) => far(day, one.day) - far(day, other.day))[0]?.offset ?? null;
}

export const heartrate: Pull = async function* (api, { span }) {
  const offsetOn = await offsetsOf(api);
  for (const day of eachDay(daysAnywhere(span))) {
    const beats = await api.find(wire.PolarBeats, `${USERS}/continuous-heart-rate/${day}`, NOTHING);
    if (!beats) continue;
    const offset = offsetOn(day);
    const samples: Sample[] = beats.heart_rate_samples
      .map(({ heart_rate: value, sample_time }) =>
        sampleOf({ at: atWall(`${beats.date}T${sample_time}`, offset), offset, value }),
      )
      .filter(({ at }) => within(span, at));
    yield* samplesOf('heartrate', originIn(null), samples);
  }
};

export const profile: Pull = async function* (api, { grant }) {
  const given = await api.find(wire.PolarPerson, `${USERS}/physical-info`, NOTHING);
  if (!given) return;
  const sex = given.gender?.toLowerCase();
  yield summaryOf({
    resource: 'profile',
    origin: originIn(null),
    key: grant.externalUserId ?? 'self',
    ...ofNoDay,
    raw: given,
    body: {
      height: whole(given.height),
      birth_date: dayOrNull(given.birthday),
      sex: sex === 'male' || sex === 'female' ? sex : null,
    },
  });
};
