import { z } from 'zod';
import { lenientList, Str, Timestamp } from '../wire.ts';

/**
 * Responses of the Google Health API v4. Lengths are in millimeters, masses in grams, durations are texts such as
 * `3600s`. 64-bit integers are texts, and a missing double can be the text `NaN`.
 */
const Quantity = z
  .union([z.number(), z.string()])
  .nullish()
  .transform((given) => {
    const value = given == null || given === '' ? Number.NaN : Number(given);
    return Number.isFinite(value) ? value : null;
  });
const Amount = Quantity.refine((value) => value !== null, 'expected a number').transform(
  (value) => value ?? 0,
);

/** Three years: no activity is longer. */
const DURATION_MAX_SECONDS = 1e8;
/** Seconds; null if missing or invalid. */
const Duration = Str.transform((text) => {
  const [, seconds] = /^(-?\d+(?:\.\d+)?)s$/.exec(text ?? '') ?? [];
  const value = seconds === undefined ? Number.NaN : Number(seconds);
  return Math.abs(value) < DURATION_MAX_SECONDS ? value : null;
});

const CivilDate = z
  .object({ year: z.int().min(1).max(9999), month: z.int().min(1).max(12), day: z.int().min(1).max(31) })
  .transform(({ year, month, day }) =>
    [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-'),
  )
  .pipe(z.iso.date());

const SampleTime = z.looseObject({ physicalTime: Timestamp, utcOffset: Duration });
const Interval = z.looseObject({
  startTime: Timestamp,
  startUtcOffset: Duration,
  endTime: Timestamp,
  endUtcOffset: Duration,
});

const DataSource = z
  .looseObject({
    platform: Str,
    recordingMethod: Str,
    device: z.looseObject({ formFactor: Str, manufacturer: Str, displayName: Str }).nullish(),
    application: z.looseObject({ packageName: Str, webClientId: Str, googleWebClientId: Str }).nullish(),
  })
  .nullish();
export type GoogleDataSource = z.output<typeof DataSource>;

const point = <S extends z.ZodRawShape>(data: S) =>
  z.looseObject({ name: Str, dataSource: DataSource, ...data });

/** Google omits empty lists. */
export const createPageSchema = <T>(item: z.ZodType<T>) =>
  z.object({ dataPoints: lenientList(item).optional(), nextPageToken: Str });
export const createRollupSchema = <T>(item: z.ZodType<T>) =>
  z.object({ rollupDataPoints: lenientList(item).optional(), nextPageToken: Str });

export const Identity = z.object({ healthUserId: z.string().min(1), legacyUserId: Str });
export const Settings = z
  .object({ timeZone: Str, utcOffset: Duration })
  .refine(({ timeZone, utcOffset }) => timeZone != null || utcOffset !== null, 'expected a time zone');

const daily = <N extends string, S extends z.ZodRawShape>(name: N, data: S) =>
  point({ [name]: z.looseObject({ date: CivilDate, ...data }) } as Record<
    N,
    z.ZodObject<{ date: typeof CivilDate } & S>
  >);
export const RestingHeartRate = daily('dailyRestingHeartRate', { beatsPerMinute: Amount });
export const HeartRateVariability = daily('dailyHeartRateVariability', {
  averageHeartRateVariabilityMilliseconds: Amount,
});
export const OxygenSaturation = daily('dailyOxygenSaturation', { averagePercentage: Amount });
export const RespiratoryRate = daily('dailyRespiratoryRate', { breathsPerMinute: Amount });
export const SleepTemperature = daily('dailySleepTemperatureDerivations', {
  nightlyTemperatureCelsius: Amount,
  baselineTemperatureCelsius: Quantity,
});
export const Vo2Max = daily('dailyVo2Max', { vo2Max: Amount });

export const Weight = point({ weight: z.looseObject({ sampleTime: SampleTime, weightGrams: Amount }) });
export const BodyFat = point({ bodyFat: z.looseObject({ sampleTime: SampleTime, percentage: Amount }) });
export const Height = point({ height: z.looseObject({ heightMillimeters: Amount }) });

const Stage = z.object({ startTime: Timestamp, endTime: Timestamp, type: z.string() });
export const Sleep = point({
  sleep: z.looseObject({
    interval: Interval,
    type: Str,
    stages: z.array(Stage).nullish(),
    metadata: z.looseObject({ nap: z.boolean().nullish() }).nullish(),
    summary: z
      .looseObject({ minutesAsleep: Quantity, minutesAwake: Quantity, minutesToFallAsleep: Quantity })
      .nullish(),
  }),
});
export type GoogleSleep = z.output<typeof Sleep>;

const Metrics = z.looseObject({
  caloriesKcal: Quantity,
  distanceMillimeters: Quantity,
  steps: Quantity,
  averageSpeedMillimetersPerSecond: Quantity,
  averageHeartRateBeatsPerMinute: Quantity,
  elevationGainMillimeters: Quantity,
  heartRateZoneDurations: z
    .looseObject({ lightTime: Duration, moderateTime: Duration, vigorousTime: Duration, peakTime: Duration })
    .nullish(),
});
export const Exercise = point({
  exercise: z.looseObject({
    interval: Interval,
    exerciseType: Str,
    displayName: Str,
    activeDuration: Duration,
    metricsSummary: Metrics.nullish(),
  }),
});
export type GoogleExercise = z.output<typeof Exercise>;

/** A sum or mean over one physical window. */
const rolled = { startTime: Timestamp, endTime: Timestamp };
export const StepsRollup = z.looseObject({ ...rolled, steps: z.looseObject({ countSum: Amount }).nullish() });
export const HeartRateRollup = z.looseObject({
  ...rolled,
  heartRate: z.looseObject({ beatsPerMinuteAvg: Amount }).nullish(),
});

/** The sums of one calendar day of one data type; the other fields are missing. */
export const DayRollup = z.looseObject({
  civilStartTime: z.looseObject({ date: CivilDate }),
  steps: z.looseObject({ countSum: Quantity }).nullish(),
  distance: z.looseObject({ millimetersSum: Quantity }).nullish(),
  floors: z.looseObject({ countSum: Quantity }).nullish(),
  totalCalories: z.looseObject({ kcalSum: Quantity }).nullish(),
  activeEnergyBurned: z.looseObject({ kcalSum: Quantity }).nullish(),
  activeMinutes: z
    .looseObject({
      activeMinutesRollupByActivityLevel: z
        .array(z.looseObject({ activityLevel: Str, activeMinutesSum: Quantity }))
        .nullish(),
    })
    .nullish(),
  hydrationLog: z
    .looseObject({ amountConsumed: z.looseObject({ millilitersSum: Quantity }).nullish() })
    .nullish(),
});
export type GoogleDayRollup = z.output<typeof DayRollup>;

/** One change, or a list of changes, of one user and data type each. */
const Notification = z.object({
  data: z.looseObject({
    healthUserId: z.string().min(1),
    dataType: z.string(),
    operation: Str,
    intervals: z
      .array(
        z.looseObject({
          physicalTimeInterval: z
            .looseObject({ startTime: Timestamp, endTime: Timestamp.nullish() })
            .nullish(),
          civilIso8601TimeInterval: z
            .looseObject({ startTime: Timestamp, endTime: Timestamp.nullish() })
            .nullish(),
        }),
      )
      .nullish(),
  }),
});
export type GoogleNotification = z.output<typeof Notification>;
export const Notifications = z.union([z.array(Notification), Notification.transform((one) => [one])]);
