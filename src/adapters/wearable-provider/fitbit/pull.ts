import { MINUTE } from '../../../platform/clock.ts';
import type { Origin, Reading } from '../../../wearables/readings.ts';
import type { Api } from '../api.ts';
import type { Pull } from '../definition.ts';
import {
  ofNoDay,
  originOf,
  sampleOf,
  samplesOf,
  STAGE,
  stagesOf,
  summaryOf,
  type Stage,
  type StageRun,
} from '../made.ts';
import { ProviderAway } from '../port.ts';
import { sportOf } from '../sports.ts';
import { dayAt, eachDay, instantOf, isoAt, within } from '../times.ts';
import { dayOrNull, orNull, whole } from '../wire.ts';
import { midnightOf, placeOf, TRACKER, type Place } from './days.ts';
import * as wire from './wire.ts';

const USER = '/1/user/-';

export const profile: Pull = async function* (api) {
  const { user } = await api.read(wire.Profile, `${USER}/profile.json`);
  const sex = user.gender?.toLowerCase();
  yield summaryOf({
    resource: 'profile',
    origin: TRACKER,
    key: user.encodedId,
    ...ofNoDay,
    raw: user,
    body: {
      height: whole(user.height),
      birth_date: dayOrNull(user.dateOfBirth),
      sex: sex === 'male' || sex === 'female' ? sex : null,
    },
  });
};

export const activity: Pull = async function* (api, asked) {
  const place = await placeOf(api, asked);
  for (const day of eachDay(place)) {
    const given = await api.read(wire.DaySummary, `${USER}/activities/date/${day}.json`);
    const { summary } = given;
    const { at, offset } = midnightOf(place, day);
    const kilometers = summary.distances?.find((one) => one.activity === 'total')?.distance;
    yield summaryOf({
      resource: 'activity',
      origin: TRACKER,
      key: day,
      at,
      day,
      raw: given,
      body: {
        time_zone: place.zone,
        timezone_offset: offset,
        calories_total: orNull(summary.caloriesOut),
        calories_active: orNull(summary.activityCalories),
        steps: whole(summary.steps),
        distance: kilometers === undefined ? null : kilometers * 1000,
        low: orNull(summary.lightlyActiveMinutes),
        medium: orNull(summary.fairlyActiveMinutes),
        high: orNull(summary.veryActiveMinutes),
        floors_climbed: whole(summary.floors),
        heart_rate: summary.restingHeartRate == null ? null : { resting_bpm: summary.restingHeartRate },
      },
    });
  }
};

export const sleep: Pull = async function* (api, asked) {
  const place = await placeOf(api, asked);
  const path = `/1.2/user/-/sleep/date/${place.first}/${place.last}.json`;
  const { sleep: sleeps } = await api.read(wire.Sleeps, path);
  const oldestFirst = sleeps.toSorted((one, other) => (one.startTime < other.startTime ? -1 : 1));
  for (const given of oldestFirst) yield* sleepOf(given, place);
};

/** Levels of both kinds of log; `classic` ones know no stages. */
// prettier-ignore
const LEVELS: Readonly<Record<string, Stage>> = {
  deep: STAGE.deep, light: STAGE.light, rem: STAGE.rem, wake: STAGE.awake,
  asleep: STAGE.light, restless: STAGE.awake, awake: STAGE.awake,
};

function sleepOf(given: wire.FitbitSleep, place: Place): Reading[] {
  const { at, offset } = place.wall(given.startTime);
  const to = at + given.duration;
  const runs = runsOf(given, place);
  const secondsOf = (stage: Stage) =>
    Math.round(
      runs.filter((run) => run.stage === stage).reduce((sum, run) => sum + (run.until - run.at), 0) / 1000,
    );
  const staged = given.type === 'stages';
  const about = { key: given.logId, origin: TRACKER, day: given.dateOfSleep };
  return [
    summaryOf({
      ...about,
      resource: 'sleep',
      at,
      raw: given,
      body: {
        bedtime_start: isoAt(at),
        bedtime_stop: isoAt(to),
        timezone_offset: offset,
        type: given.isMainSleep === false ? 'short_sleep' : 'long_sleep',
        state: 'confirmed',
        duration: Math.round(given.duration / 1000),
        total: (given.minutesAsleep ?? 0) * 60,
        awake: (given.minutesAwake ?? 0) * 60,
        light: staged ? secondsOf(STAGE.light) : (given.minutesAsleep ?? 0) * 60,
        rem: staged ? secondsOf(STAGE.rem) : 0,
        deep: staged ? secondsOf(STAGE.deep) : 0,
        efficiency: orNull(given.efficiency),
        latency: given.minutesToFallAsleep == null ? null : given.minutesToFallAsleep * 60,
      },
    }),
    ...stagesOf({ ...about, from: at, to, offset, timeZone: place.zone, runs }),
  ];
}

/** The long stages, with the short awakenings cut out of them that are told beside them. */
function runsOf({ levels }: wire.FitbitSleep, { wall }: Place): StageRun[] {
  const read = (stages: readonly wire.FitbitStage[] | null | undefined): StageRun[] =>
    (stages ?? []).map(({ dateTime, level, seconds }) => {
      const { at } = wall(dateTime);
      return { at, until: at + seconds * 1000, stage: LEVELS[level] ?? STAGE.unknown };
    });
  const short = read(levels?.shortData);
  const long = read(levels?.data).flatMap((run) => without(run, short));
  return [...long, ...short].toSorted((one, other) => one.at - other.at);
}

function without(run: StageRun, cuts: readonly StageRun[]): StageRun[] {
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

export const workouts: Pull = async function* (api, { span }) {
  for await (const given of activityLogs(api, span)) {
    const { at, offset } = instantOf(given.startTime);
    if (!within(span, at)) continue;
    const kilometers = given.distanceUnit === 'Mile' ? 1.609344 : 1;
    yield summaryOf({
      resource: 'workouts',
      origin: originOfLog(given),
      key: given.logId,
      at,
      day: dayAt(at, offset),
      raw: given,
      body: {
        sport: sportOf(given.activityName),
        time_start: isoAt(at),
        time_end: isoAt(at + given.duration),
        timezone_offset: offset,
        moving_time: given.activeDuration == null ? null : Math.round(given.activeDuration / 1000),
        average_hr: whole(given.averageHeartRate),
        hr_zones: given.heartRateZones
          ? given.heartRateZones
              .toSorted((one, other) => (one.min ?? 0) - (other.min ?? 0))
              .map(({ minutes }) => (minutes ?? 0) * 60)
          : null,
        distance: given.distance == null ? null : given.distance * kilometers * 1000,
        calories: orNull(given.calories),
        total_elevation_gain: orNull(given.elevationGain),
        average_speed: given.speed == null ? null : (given.speed * kilometers) / 3.6,
        steps: whole(given.steps),
      },
    });
  }
};

const originOfLog = ({ source }: wire.FitbitActivity): Origin =>
  source?.type === 'app'
    ? { ...originOf('fitbit', 'app'), appId: source.id ?? source.name ?? null }
    : TRACKER;

/** A page ends with the address of the next one. Only its path is followed: the token goes nowhere else. */
async function* activityLogs(
  api: Api,
  span: Parameters<Pull>[1]['span'],
): AsyncIterable<wire.FitbitActivity> {
  // The day is the user's, who may still have yesterday.
  const afterDate = dayAt(span.from.getTime(), -86_400);
  const query = new URLSearchParams({ afterDate, sort: 'asc', offset: '0', limit: '100' });
  let next: string | undefined = `${USER}/activities/list.json?${query.toString()}`;
  while (next !== undefined) {
    const page: {
      activities: wire.FitbitActivity[];
      pagination?: { next?: string | null | undefined } | null | undefined;
    } = await api.read(wire.Activities, next);
    yield* page.activities;
    const last = page.activities.at(-1);
    if (!last || instantOf(last.startTime).at >= span.to.getTime()) return;
    next = pathOf(page.pagination?.next);
  }
}

function pathOf(address: string | null | undefined): string | undefined {
  if (address == null || address === '') return undefined;
  if (!URL.canParse(address)) throw new ProviderAway('Fitbit answered what cannot be read: pagination.next');
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
}

const weighedWith = ({ source }: wire.FitbitWeight): Origin =>
  /aria|withings|scale/i.test(source ?? '')
    ? originOf('fitbit', 'scale', { id: null, manufacturer: null, model: source ?? null, version: null })
    : originOf('fitbit', 'unknown');

async function weightsIn(api: Api, place: Place): Promise<wire.FitbitWeight[]> {
  const path = `${USER}/body/log/weight/date/${place.first}/${place.last}.json`;
  const { weight } = await api.read(wire.Weights, path);
  const when = ({ date, time }: wire.FitbitWeight) => `${date}T${time}`;
  return weight.toSorted((one, other) => (when(one) < when(other) ? -1 : 1));
}

export const body: Pull = async function* (api, asked) {
  const place = await placeOf(api, asked);
  for (const given of await weightsIn(api, place)) {
    yield summaryOf({
      resource: 'body',
      origin: weighedWith(given),
      key: given.logId,
      at: place.wall(`${given.date}T${given.time}`).at,
      day: given.date,
      raw: given,
      body: { weight: given.weight, fat: orNull(given.fat), body_mass_index: orNull(given.bmi) },
    });
  }
};

const ofScale = (resource: 'weight' | 'fat'): Pull =>
  async function* (api, asked) {
    const place = await placeOf(api, asked);
    for (const given of await weightsIn(api, place)) {
      const value = given[resource];
      const instant = place.wall(`${given.date}T${given.time}`);
      if (value != null) yield* samplesOf(resource, weighedWith(given), [sampleOf({ ...instant, value })]);
    }
  };

export const weight = ofScale('weight');
export const fat = ofScale('fat');

/** Fitbit shows applications of other people these only when it was asked to: without that there is nothing. */
const NOT_SHOWN = { absent: [403, 404] };

export const heartrate: Pull = async function* (api, asked) {
  const place = await placeOf(api, asked);
  for (const day of eachDay(place)) {
    const path = `${USER}/activities/heart/date/${day}/1d/1min.json`;
    const found = await api.find(wire.HeartIntraday, path, NOT_SHOWN);
    const beats = found?.['activities-heart-intraday']?.dataset ?? [];
    const samples = beats.map(({ time, value }) => sampleOf({ ...place.wall(`${day}T${time}`), value }));
    yield* samplesOf('heartrate', TRACKER, samples);
  }
};

const STEP_MINUTES = 15;

export const steps: Pull = async function* (api, asked) {
  const place = await placeOf(api, asked);
  for (const day of eachDay(place)) {
    const path = `${USER}/activities/steps/date/${day}/1d/${STEP_MINUTES}min.json`;
    const found = await api.find(wire.StepsIntraday, path, NOT_SHOWN);
    const walked = (found?.['activities-steps-intraday']?.dataset ?? []).filter(({ value }) => value > 0);
    const samples = walked.map(({ time, value }) => {
      const { at, offset } = place.wall(`${day}T${time}`);
      return sampleOf({ at, until: at + STEP_MINUTES * MINUTE, offset, value });
    });
    yield* samplesOf('steps', TRACKER, samples);
  }
};
