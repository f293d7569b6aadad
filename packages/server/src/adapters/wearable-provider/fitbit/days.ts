import type { z } from 'zod';
import { addDays } from '../../../platform/time-zone.ts';
import type { HealthSample, SampledResource } from '../../../readings/readings.ts';
import { createSample, createSampleReadings, createSummary } from '../create-readings.ts';
import type { PullFunction } from '../definition.ts';
import { roundTo, toIntegerOrNull } from '../wire.ts';
import { TRACKER_ORIGIN } from './origins.ts';
import { listPoints, readCalendar, rollUpDays, startOfDay, toDayFilter } from './requests.ts';
import * as wire from './wire.ts';

interface DailyValue {
  readonly day: string;
  readonly value: number;
}

/** A data type with one value per day or night. */
interface DailyResource<T> {
  readonly schema: z.ZodType<T>;
  readonly dataType: string;
  readonly values: (point: T) => readonly DailyValue[];
  /** The sample spans the whole day. */
  readonly overDay?: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
}

const createDailyPull = <T>(resource: SampledResource, form: DailyResource<T>): PullFunction =>
  async function* (api, { span }) {
    const calendar = await readCalendar(api, span);
    const { dataType } = form;
    const filter = toDayFilter('date', calendar);
    const points = await listPoints(api, form.schema, { dataType, filter });
    const samples = points.flatMap(form.values).map(({ day, value }): HealthSample => {
      const { at, offset } = startOfDay(calendar, day);
      const until = form.overDay ? { until: startOfDay(calendar, addDays(day, 1)).at } : {};
      return createSample({ at, offset, value, ...until, ...(form.more && { more: form.more }) });
    });
    yield* createSampleReadings(resource, TRACKER_ORIGIN, samples);
  };

export const hrv = createDailyPull('hrv', {
  schema: wire.HeartRateVariability,
  dataType: 'daily-heart-rate-variability',
  values: ({ dailyHeartRateVariability: { date: day, averageHeartRateVariabilityMilliseconds: value } }) => [
    { day, value },
  ],
});

export const respiratoryRate = createDailyPull('respiratory_rate', {
  schema: wire.RespiratoryRate,
  dataType: 'daily-respiratory-rate',
  values: ({ dailyRespiratoryRate: { date: day, breathsPerMinute: value } }) => [{ day, value }],
});

export const bloodOxygen = createDailyPull('blood_oxygen', {
  schema: wire.OxygenSaturation,
  dataType: 'daily-oxygen-saturation',
  values: ({ dailyOxygenSaturation: { date: day, averagePercentage: value } }) => [{ day, value }],
});

/** The baseline is missing until about thirty nights are known. */
export const temperatureDelta = createDailyPull('body_temperature_delta', {
  schema: wire.SleepTemperature,
  dataType: 'daily-sleep-temperature-derivations',
  values: ({ dailySleepTemperatureDerivations: night }) =>
    night.baselineTemperatureCelsius === null
      ? []
      : [
          {
            day: night.date,
            value: roundTo(night.nightlyTemperatureCelsius - night.baselineTemperatureCelsius, 3),
          },
        ],
  overDay: true,
  more: { sensor_location: 'wrist' },
});

export const vo2Max = createDailyPull('vo2_max', {
  schema: wire.Vo2Max,
  dataType: 'daily-vo2-max',
  values: ({ dailyVo2Max: { date: day, vo2Max: value } }) => [{ day, value }],
  overDay: true,
});

export const water: PullFunction = async function* (api, { span }) {
  const calendar = await readCalendar(api, span);
  const days = await rollUpDays(api, 'hydration-log', calendar);
  const samples = days.flatMap(({ civilStartTime, hydrationLog }) => {
    const value = hydrationLog?.amountConsumed?.millilitersSum ?? 0;
    return value > 0 ? [createSample({ ...startOfDay(calendar, civilStartTime.date), value })] : [];
  });
  yield* createSampleReadings('water', TRACKER_ORIGIN, samples);
};

/** The data types whose sums make up a day. */
const ACTIVITY_TYPES = [
  'steps',
  'distance',
  'floors',
  'total-calories',
  'active-energy-burned',
  'active-minutes',
] as const;

export const activity: PullFunction = async function* (api, { span }) {
  const calendar = await readCalendar(api, span);
  const days = new Map<string, wire.GoogleDayRollup[]>();
  for (const dataType of ACTIVITY_TYPES) {
    for (const rollup of await rollUpDays(api, dataType, calendar)) {
      const { date } = rollup.civilStartTime;
      days.set(date, [...(days.get(date) ?? []), rollup]);
    }
  }
  const resting = await listPoints(api, wire.RestingHeartRate, {
    dataType: 'daily-resting-heart-rate',
    filter: toDayFilter('date', calendar),
  });
  const restingByDay = new Map(
    resting.map(({ dailyRestingHeartRate: { date, beatsPerMinute } }) => [date, beatsPerMinute]),
  );
  for (const day of [...days.keys()].toSorted()) {
    const rollups = days.get(day) ?? [];
    const { at, offset } = startOfDay(calendar, day);
    const restingBpm = restingByDay.get(day);
    yield createSummary({
      resource: 'activity',
      origin: TRACKER_ORIGIN,
      key: day,
      at,
      day,
      raw: Object.assign({}, ...rollups),
      body: {
        time_zone: calendar.zone,
        timezone_offset: offset,
        ...toActivityBody(rollups),
        heart_rate: restingBpm === undefined ? null : { resting_bpm: toIntegerOrNull(restingBpm) },
      },
    });
  }
};

function toActivityBody(rollups: readonly wire.GoogleDayRollup[]) {
  const find = (read: (rollup: wire.GoogleDayRollup) => number | null | undefined): number | null =>
    rollups.map(read).find((value) => value != null) ?? null;
  const minutesAt = (level: string) =>
    find(({ activeMinutes }) => {
      const levels = activeMinutes?.activeMinutesRollupByActivityLevel;
      return levels?.find(({ activityLevel }) => activityLevel === level)?.activeMinutesSum;
    });
  const millimeters = find(({ distance }) => distance?.millimetersSum);
  return {
    calories_total: find(({ totalCalories }) => totalCalories?.kcalSum),
    calories_active: find(({ activeEnergyBurned }) => activeEnergyBurned?.kcalSum),
    steps: toIntegerOrNull(find(({ steps }) => steps?.countSum)),
    distance: millimeters === null ? null : millimeters / 1000,
    low: minutesAt('LIGHT'),
    medium: minutesAt('MODERATE'),
    high: minutesAt('VIGOROUS'),
    floors_climbed: toIntegerOrNull(find(({ floors }) => floors?.countSum)),
  };
}
