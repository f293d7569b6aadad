import type { HealthReading } from '../../../readings/readings.ts';
import {
  createStageReadings,
  createSummary,
  SLEEP_STAGE,
  type SleepStageCode,
  type SleepStageInterval,
} from '../create-readings.ts';
import type { PullFunction } from '../definition.ts';
import { toSport } from '../sports.ts';
import { isWithin, parseInstant, toIsoTimestamp, toLocalDay } from '../times.ts';
import { toIntegerOrNull } from '../wire.ts';
import { toPointKey, toSessionOrigin } from './origins.ts';
import { listPoints, readCalendar, toDayFilter, toPhysicalFilter } from './requests.ts';
import * as wire from './wire.ts';

export const sleep: PullFunction = async function* (api, { span }) {
  const filter = toPhysicalFilter('interval.end_time', span);
  const nights = await listPoints(api, wire.Sleep, { dataType: 'sleep', filter });
  for (const night of nights) yield* toSleepReadings(night);
};

/** The stages of both types; those of classic sleeps are no real stages. */
// prettier-ignore
const STAGES: Readonly<Record<string, SleepStageCode>> = {
  DEEP: SLEEP_STAGE.deep, LIGHT: SLEEP_STAGE.light, REM: SLEEP_STAGE.rem, AWAKE: SLEEP_STAGE.awake,
  ASLEEP: SLEEP_STAGE.light, RESTLESS: SLEEP_STAGE.awake,
};

function toSleepReadings(given: wire.GoogleSleep): HealthReading[] {
  const { interval, stages, summary, metadata, type } = given.sleep;
  const { at } = parseInstant(interval.startTime);
  const to = parseInstant(interval.endTime).at;
  if (to <= at) return [];
  const runs = (stages ?? []).map((stage): SleepStageInterval => ({
    at: parseInstant(stage.startTime).at,
    until: parseInstant(stage.endTime).at,
    stage: STAGES[stage.type] ?? SLEEP_STAGE.unknown,
  }));
  const secondsOf = (code: SleepStageCode) =>
    Math.round(
      runs.filter(({ stage }) => stage === code).reduce((sum, run) => sum + (run.until - run.at), 0) / 1000,
    );
  const toSeconds = (minutes: number | null | undefined) => toIntegerOrNull((minutes ?? 0) * 60) ?? 0;
  const asleep = toSeconds(summary?.minutesAsleep);
  const staged = type === 'STAGES';
  const offset = interval.startUtcOffset;
  const about = {
    key: toPointKey(given.name, at),
    origin: toSessionOrigin(given.dataSource),
    // A night belongs to the day on which it ends.
    day: toLocalDay(to, interval.endUtcOffset ?? offset),
  };
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
        type: metadata?.nap === true ? 'short_sleep' : 'long_sleep',
        state: 'confirmed',
        duration: Math.round((to - at) / 1000),
        total: asleep,
        awake: toSeconds(summary?.minutesAwake),
        light: staged ? secondsOf(SLEEP_STAGE.light) : asleep,
        rem: staged ? secondsOf(SLEEP_STAGE.rem) : 0,
        deep: staged ? secondsOf(SLEEP_STAGE.deep) : 0,
        latency: summary?.minutesToFallAsleep == null ? null : toSeconds(summary.minutesToFallAsleep),
      },
    }),
    ...createStageReadings({ ...about, from: at, to, offset, runs }),
  ];
}

export const workouts: PullFunction = async function* (api, { span }) {
  const calendar = await readCalendar(api, span);
  const filter = toDayFilter('interval.civil_start_time', calendar);
  const exercises = await listPoints(api, wire.Exercise, { dataType: 'exercise', filter });
  for (const given of exercises) {
    const { at } = parseInstant(given.exercise.interval.startTime);
    if (isWithin(span, at)) yield toWorkout(given, at);
  }
};

function toWorkout(given: wire.GoogleExercise, at: number): HealthReading {
  const { interval, metricsSummary: metrics, activeDuration } = given.exercise;
  const offset = interval.startUtcOffset;
  const zones = metrics?.heartRateZoneDurations;
  const toMeters = (millimeters: number | null | undefined) =>
    millimeters == null ? null : millimeters / 1000;
  return createSummary({
    resource: 'workouts',
    origin: toSessionOrigin(given.dataSource),
    key: toPointKey(given.name, at),
    at,
    day: toLocalDay(at, offset),
    raw: given,
    body: {
      sport: toSport(getSportName(given)),
      time_start: toIsoTimestamp(at),
      time_end: toIsoTimestamp(parseInstant(interval.endTime).at),
      timezone_offset: offset,
      moving_time: toIntegerOrNull(activeDuration),
      average_hr: toIntegerOrNull(metrics?.averageHeartRateBeatsPerMinute),
      hr_zones: zones
        ? [zones.lightTime, zones.moderateTime, zones.vigorousTime, zones.peakTime].map(
            (seconds) => toIntegerOrNull(seconds) ?? 0,
          )
        : null,
      distance: toMeters(metrics?.distanceMillimeters),
      calories: metrics?.caloriesKcal ?? null,
      total_elevation_gain: toMeters(metrics?.elevationGainMillimeters),
      average_speed: toMeters(metrics?.averageSpeedMillimetersPerSecond),
      steps: toIntegerOrNull(metrics?.steps),
    },
  });
}

const UNSPECIFIC_TYPES = new Set(['OTHER', 'WORKOUT', 'EXERCISE_TYPE_UNSPECIFIED']);

/** The display name is in the user's language: it is only used if the type says nothing. */
const getSportName = ({ exercise: { exerciseType, displayName } }: wire.GoogleExercise) =>
  exerciseType == null || UNSPECIFIC_TYPES.has(exerciseType) ? (displayName ?? exerciseType) : exerciseType;
