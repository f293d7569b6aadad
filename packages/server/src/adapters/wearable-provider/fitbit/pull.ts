import { MINUTE } from '../../../platform/clock.ts';
import type { ReadingOrigin, HealthReading } from '../../../readings/readings.ts';
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
  type SleepStageInterval,
} from '../create-readings.ts';
import { ProviderUnavailableError } from '../port.ts';
import { toSport } from '../sports.ts';
import { toLocalDay, iterateDays, parseInstant, toIsoTimestamp, isWithin } from '../times.ts';
import { toDayOrNull, toNullable, toIntegerOrNull } from '../wire.ts';
import { startOfDay, readCalendar, TRACKER_ORIGIN, type FitbitCalendar } from './days.ts';
import * as wire from './wire.ts';

const USER = '/1/user/-';

export const profile: PullFunction = async function* (api) {
  const { user } = await api.read(wire.Profile, `${USER}/profile.json`);
  const sex = user.gender?.toLowerCase();
  yield createSummary({
    resource: 'profile',
    origin: TRACKER_ORIGIN,
    key: user.encodedId,
    ...UNDATED,
    raw: user,
    body: {
      height: toIntegerOrNull(user.height),
      birth_date: toDayOrNull(user.dateOfBirth),
      sex: sex === 'male' || sex === 'female' ? sex : null,
    },
  });
};

export const activity: PullFunction = async function* (api, asked) {
  const place = await readCalendar(api, asked);
  for (const day of iterateDays(place)) {
    const given = await api.read(wire.DaySummary, `${USER}/activities/date/${day}.json`);
    const { summary } = given;
    const { at, offset } = startOfDay(place, day);
    const kilometers = summary.distances?.find((one) => one.activity === 'total')?.distance;
    yield createSummary({
      resource: 'activity',
      origin: TRACKER_ORIGIN,
      key: day,
      at,
      day,
      raw: given,
      body: {
        time_zone: place.zone,
        timezone_offset: offset,
        calories_total: toNullable(summary.caloriesOut),
        calories_active: toNullable(summary.activityCalories),
        steps: toIntegerOrNull(summary.steps),
        distance: kilometers === undefined ? null : kilometers * 1000,
        low: toNullable(summary.lightlyActiveMinutes),
        medium: toNullable(summary.fairlyActiveMinutes),
        high: toNullable(summary.veryActiveMinutes),
        floors_climbed: toIntegerOrNull(summary.floors),
        heart_rate: summary.restingHeartRate == null ? null : { resting_bpm: summary.restingHeartRate },
      },
    });
  }
};

export const sleep: PullFunction = async function* (api, asked) {
  const place = await readCalendar(api, asked);
  const path = `/1.2/user/-/sleep/date/${place.first}/${place.last}.json`;
  const { sleep: sleeps } = await api.read(wire.Sleeps, path);
  const oldestFirst = sleeps.toSorted((one, other) => (one.startTime < other.startTime ? -1 : 1));
  for (const given of oldestFirst) yield* toSleepReadings(given, place);
};

/** Levels of both log types; `classic` logs have no real stages. */
// prettier-ignore
const STAGE_BY_LEVEL: Readonly<Record<string, SleepStageCode>> = {
  deep: SLEEP_STAGE.deep, light: SLEEP_STAGE.light, rem: SLEEP_STAGE.rem, wake: SLEEP_STAGE.awake,
  asleep: SLEEP_STAGE.light, restless: SLEEP_STAGE.awake, awake: SLEEP_STAGE.awake,
};

function toSleepReadings(given: wire.FitbitSleep, place: FitbitCalendar): HealthReading[] {
  const { at, offset } = place.parseLocalTime(given.startTime);
  const to = at + given.duration;
  const runs = toStageIntervals(given, place);
  const secondsOf = (stage: SleepStageCode) =>
    Math.round(
      runs.filter((run) => run.stage === stage).reduce((sum, run) => sum + (run.until - run.at), 0) / 1000,
    );
  const staged = given.type === 'stages';
  const about = { key: given.logId, origin: TRACKER_ORIGIN, day: given.dateOfSleep };
  return [
    createSummary({
      ...about,
      resource: 'sleep',
      at,
      raw: given,
      body: {
        bedtime_start: toIsoTimestamp(at),
        bedtime_stop: toIsoTimestamp(to),
        timezone_offset: offset,
        type: given.isMainSleep === false ? 'short_sleep' : 'long_sleep',
        state: 'confirmed',
        duration: Math.round(given.duration / 1000),
        total: (given.minutesAsleep ?? 0) * 60,
        awake: (given.minutesAwake ?? 0) * 60,
        light: staged ? secondsOf(SLEEP_STAGE.light) : (given.minutesAsleep ?? 0) * 60,
        rem: staged ? secondsOf(SLEEP_STAGE.rem) : 0,
        deep: staged ? secondsOf(SLEEP_STAGE.deep) : 0,
        efficiency: toNullable(given.efficiency),
        latency: given.minutesToFallAsleep == null ? null : given.minutesToFallAsleep * 60,
      },
    }),
    ...createStageReadings({ ...about, from: at, to, offset, timeZone: place.zone, runs }),
  ];
}

/** The main stages, cut where the separately reported short awakenings are. */
function toStageIntervals(
  { levels }: wire.FitbitSleep,
  { parseLocalTime }: FitbitCalendar,
): SleepStageInterval[] {
  const read = (stages: readonly wire.FitbitStage[] | null | undefined): SleepStageInterval[] =>
    (stages ?? []).map(({ dateTime, level, seconds }) => {
      const { at } = parseLocalTime(dateTime);
      return { at, until: at + seconds * 1000, stage: STAGE_BY_LEVEL[level] ?? SLEEP_STAGE.unknown };
    });
  const short = read(levels?.shortData);
  const long = read(levels?.data).flatMap((run) => subtractIntervals(run, short));
  return [...long, ...short].toSorted((one, other) => one.at - other.at);
}

function subtractIntervals(
  run: SleepStageInterval,
  cuts: readonly SleepStageInterval[],
): SleepStageInterval[] {
  let rest = [run];
  for (const cut of cuts) {
    rest = rest.flatMap((part) =>
      cut.until <= part.at || cut.at >= part.until
        ? [part]
        : [
            { ...part, until: cut.at },
            { ...part, at: cut.until },
          ].filter(({ at, until }) => until > at),
    );
  }
  return rest;
}

export const workouts: PullFunction = async function* (api, { span }) {
  for await (const given of fetchActivityLogs(api, span)) {
    const { at, offset } = parseInstant(given.startTime);
    if (!isWithin(span, at)) continue;
    const kilometers = given.distanceUnit === 'Mile' ? 1.609344 : 1;
    yield createSummary({
      resource: 'workouts',
      origin: toActivityOrigin(given),
      key: given.logId,
      at,
      day: toLocalDay(at, offset),
      raw: given,
      body: {
        sport: toSport(given.activityName),
        time_start: toIsoTimestamp(at),
        time_end: toIsoTimestamp(at + given.duration),
        timezone_offset: offset,
        moving_time: given.activeDuration == null ? null : Math.round(given.activeDuration / 1000),
        average_hr: toIntegerOrNull(given.averageHeartRate),
        hr_zones: given.heartRateZones
          ? given.heartRateZones
              .toSorted((one, other) => (one.min ?? 0) - (other.min ?? 0))
              .map(({ minutes }) => (minutes ?? 0) * 60)
          : null,
        distance: given.distance == null ? null : given.distance * kilometers * 1000,
        calories: toNullable(given.calories),
        total_elevation_gain: toNullable(given.elevationGain),
        average_speed: given.speed == null ? null : (given.speed * kilometers) / 3.6,
        steps: toIntegerOrNull(given.steps),
      },
    });
  }
};

const toActivityOrigin = ({ source }: wire.FitbitActivity): ReadingOrigin =>
  source?.type === 'app'
    ? { ...createOrigin('fitbit', 'app'), appId: source.id ?? source.name ?? null }
    : TRACKER_ORIGIN;

/** Pages link to the next one. Only the path of the link is used, so that the token goes to no other host. */
async function* fetchActivityLogs(
  api: ProviderApi,
  span: Parameters<PullFunction>[1]['span'],
): AsyncIterable<wire.FitbitActivity> {
  // The parameter is a local day, which can be one day behind UTC.
  const afterDate = toLocalDay(span.from.getTime(), -86_400);
  const query = new URLSearchParams({ afterDate, sort: 'asc', offset: '0', limit: '100' });
  let next: string | undefined = `${USER}/activities/list.json?${query.toString()}`;
  while (next !== undefined) {
    const page: {
      activities: wire.FitbitActivity[];
      pagination?: { next?: string | null | undefined } | null | undefined;
    } = await api.read(wire.Activities, next);
    yield* page.activities;
    const last = page.activities.at(-1);
    if (!last || parseInstant(last.startTime).at >= span.to.getTime()) return;
    next = toPath(page.pagination?.next);
  }
}

function toPath(address: string | null | undefined): string | undefined {
  if (address == null || address === '') return undefined;
  if (!URL.canParse(address))
    throw new ProviderUnavailableError('Fitbit sent a response that cannot be read: pagination.next');
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
}

const toWeightOrigin = ({ source }: wire.FitbitWeight): ReadingOrigin =>
  /aria|withings|scale/i.test(source ?? '')
    ? createOrigin('fitbit', 'scale', { id: null, manufacturer: null, model: source ?? null, version: null })
    : createOrigin('fitbit', 'unknown');

async function fetchWeights(api: ProviderApi, place: FitbitCalendar): Promise<wire.FitbitWeight[]> {
  const path = `${USER}/body/log/weight/date/${place.first}/${place.last}.json`;
  const { weight } = await api.read(wire.Weights, path);
  const when = ({ date, time }: wire.FitbitWeight) => `${date}T${time}`;
  return weight.toSorted((one, other) => (when(one) < when(other) ? -1 : 1));
}

export const body: PullFunction = async function* (api, asked) {
  const place = await readCalendar(api, asked);
  for (const given of await fetchWeights(api, place)) {
    yield createSummary({
      resource: 'body',
      origin: toWeightOrigin(given),
      key: given.logId,
      at: place.parseLocalTime(`${given.date}T${given.time}`).at,
      day: given.date,
      raw: given,
      body: { weight: given.weight, fat: toNullable(given.fat), body_mass_index: toNullable(given.bmi) },
    });
  }
};

const createWeightPull = (resource: 'weight' | 'fat'): PullFunction =>
  async function* (api, asked) {
    const place = await readCalendar(api, asked);
    for (const given of await fetchWeights(api, place)) {
      const value = given[resource];
      const instant = place.parseLocalTime(`${given.date}T${given.time}`);
      if (value != null)
        yield* createSampleReadings(resource, toWeightOrigin(given), [createSample({ ...instant, value })]);
    }
  };

export const weight = createWeightPull('weight');
export const fat = createWeightPull('fat');

/** Fitbit grants intraday data only to approved applications; others get these statuses. */
const INTRADAY_NOT_GRANTED = { emptyStatuses: [403, 404] };

export const heartrate: PullFunction = async function* (api, asked) {
  const place = await readCalendar(api, asked);
  for (const day of iterateDays(place)) {
    const path = `${USER}/activities/heart/date/${day}/1d/1min.json`;
    const found = await api.find(wire.HeartIntraday, path, INTRADAY_NOT_GRANTED);
    const beats = found?.['activities-heart-intraday']?.dataset ?? [];
    const samples = beats.map(({ time, value }) =>
      createSample({ ...place.parseLocalTime(`${day}T${time}`), value }),
    );
    yield* createSampleReadings('heartrate', TRACKER_ORIGIN, samples);
  }
};

const STEP_MINUTES = 15;

export const steps: PullFunction = async function* (api, asked) {
  const place = await readCalendar(api, asked);
  for (const day of iterateDays(place)) {
    const path = `${USER}/activities/steps/date/${day}/1d/${STEP_MINUTES}min.json`;
    const found = await api.find(wire.StepsIntraday, path, INTRADAY_NOT_GRANTED);
    const walked = (found?.['activities-steps-intraday']?.dataset ?? []).filter(({ value }) => value > 0);
    const samples = walked.map(({ time, value }) => {
      const { at, offset } = place.parseLocalTime(`${day}T${time}`);
      return createSample({ at, until: at + STEP_MINUTES * MINUTE, offset, value });
    });
    yield* createSampleReadings('steps', TRACKER_ORIGIN, samples);
  }
};
