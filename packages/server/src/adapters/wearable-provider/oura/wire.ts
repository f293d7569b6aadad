import { z } from 'zod';
import { lenientList, Timestamp, Num, Str } from '../wire.ts';

/** Responses of Oura's API v2. */
export const createPageSchema = <T>(item: z.ZodType<T>) =>
  z.object({ data: lenientList(item), next_token: Str });

const OuraSeries = z.object({
  interval: z.number().positive(),
  items: z.array(z.number().nullable()),
  timestamp: Timestamp,
});
type OuraSeries = z.output<typeof OuraSeries>;

export const OuraSleep = z.looseObject({
  id: z.string().min(1),
  day: z.iso.date(),
  bedtime_start: Timestamp,
  bedtime_end: Timestamp,
  time_in_bed: z.number(),
  type: Str,
  average_breath: Num,
  average_heart_rate: Num,
  average_hrv: Num,
  awake_time: Num,
  deep_sleep_duration: Num,
  efficiency: Num,
  heart_rate: OuraSeries.nullish(),
  hrv: OuraSeries.nullish(),
  latency: Num,
  light_sleep_duration: Num,
  lowest_heart_rate: Num,
  readiness: z.looseObject({ score: Num, temperature_deviation: Num }).nullish(),
  rem_sleep_duration: Num,
  sleep_phase_30_sec: Str,
  sleep_phase_5_min: Str,
  total_sleep_duration: Num,
});
export type OuraSleep = z.output<typeof OuraSleep>;

export const OuraDailySleep = z.object({ day: z.iso.date(), score: Num });

export const OuraActivity = z.looseObject({
  id: z.string().min(1),
  day: z.iso.date(),
  timestamp: Timestamp,
  active_calories: Num,
  total_calories: Num,
  steps: Num,
  equivalent_walking_distance: Num,
  low_activity_time: Num,
  medium_activity_time: Num,
  high_activity_time: Num,
});

export const OuraWorkout = z.looseObject({
  id: z.string().min(1),
  activity: z.string(),
  day: z.iso.date(),
  start_datetime: Timestamp,
  end_datetime: Timestamp,
  calories: Num,
  distance: Num,
  label: Str,
});

export const OuraBeat = z.object({ timestamp: Timestamp, bpm: z.number() });

export const OuraPerson = z.looseObject({ id: z.string().min(1), height: Num, biological_sex: Str });

export const OuraSubscription = z.object({
  id: z.string().min(1),
  callback_url: z.string(),
  event_type: z.string(),
  data_type: z.string(),
  expiration_time: z.string(),
});

export const OuraNotification = z.object({
  event_type: z.string(),
  data_type: z.string(),
  user_id: z.string().min(1),
  object_id: z.string().min(1).optional(),
});
