import { z } from 'zod';
import { Id, createDurationSchema, lenientList, Timestamp, Num, Str, NumericString } from '../wire.ts';

/** Responses of Fitbit's Web API 1 and 1.2. Without a language header, lengths and masses are metric. */
const FitbitUser = z.looseObject({
  encodedId: z.string().min(1),
  timezone: Str,
  offsetFromUTCMillis: z.number().min(-50_400_000).max(50_400_000).nullish(),
  height: Num,
  dateOfBirth: Str,
  gender: Str,
});
export const Profile = z.object({ user: FitbitUser });

export const DaySummary = z.looseObject({
  summary: z.looseObject({
    steps: Num,
    caloriesOut: Num,
    activityCalories: Num,
    floors: Num,
    lightlyActiveMinutes: Num,
    fairlyActiveMinutes: Num,
    veryActiveMinutes: Num,
    restingHeartRate: Num,
    distances: z.array(z.looseObject({ activity: z.string(), distance: z.number() })).nullish(),
  }),
});

const Stage = z.object({ dateTime: z.string(), level: z.string(), seconds: z.number() });
export type FitbitStage = z.output<typeof Stage>;

export const FitbitSleep = z.looseObject({
  logId: Id,
  dateOfSleep: z.iso.date(),
  startTime: Timestamp,
  endTime: Str,
  duration: createDurationSchema(1000),
  efficiency: Num,
  isMainSleep: z.boolean().nullish(),
  logType: Str,
  minutesAsleep: Num,
  minutesAwake: Num,
  minutesToFallAsleep: Num,
  timeInBed: Num,
  type: Str,
  levels: z.looseObject({ data: z.array(Stage).nullish(), shortData: z.array(Stage).nullish() }).nullish(),
});
export type FitbitSleep = z.output<typeof FitbitSleep>;
export const Sleeps = z.object({ sleep: lenientList(FitbitSleep) });

export const FitbitActivity = z.looseObject({
  logId: Id,
  activityName: Str,
  startTime: Timestamp,
  duration: createDurationSchema(1000),
  activeDuration: Num,
  calories: Num,
  distance: Num,
  distanceUnit: Str,
  steps: Num,
  averageHeartRate: Num,
  elevationGain: Num,
  speed: Num,
  heartRateZones: z.array(z.looseObject({ min: Num, minutes: Num })).nullish(),
  source: z.looseObject({ id: Str, name: Str, type: Str }).nullish(),
});
export type FitbitActivity = z.output<typeof FitbitActivity>;
export const Activities = z.object({
  activities: lenientList(FitbitActivity),
  pagination: z.looseObject({ next: Str }).nullish(),
});

export const FitbitWeight = z.looseObject({
  logId: Id,
  date: z.iso.date(),
  time: z.iso.time(),
  weight: z.number(),
  bmi: Num,
  fat: Num,
  source: Str,
});
export type FitbitWeight = z.output<typeof FitbitWeight>;
export const Weights = z.object({ weight: lenientList(FitbitWeight) });

const dataset = z.object({ dataset: z.array(z.object({ time: z.string(), value: z.number() })) });
export const HeartIntraday = z.object({ 'activities-heart-intraday': dataset.nullish() });
export const StepsIntraday = z.object({ 'activities-steps-intraday': dataset.nullish() });

const dated = <S extends z.ZodType>(value: S) => lenientList(z.object({ dateTime: z.iso.date(), value }));
export const Hrv = z.object({ hrv: dated(z.object({ dailyRmssd: z.number() })) });
export const Breathing = z.object({ br: dated(z.object({ breathingRate: z.number() })) });
export const Oxygen = dated(z.object({ avg: z.number() }));
export const SkinTemperature = z.object({ tempSkin: dated(z.object({ nightlyRelative: z.number() })) });
export const CardioScore = z.object({ cardioScore: dated(z.object({ vo2Max: z.string() })) });
export const Water = z.object({ 'foods-log-water': dated(NumericString) });

export const FitbitNotifications = z.array(
  z.object({ collectionType: z.string(), ownerId: z.string().min(1), date: z.iso.date().optional() }),
);
