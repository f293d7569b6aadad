import { z } from 'zod';
import { Id, lenientList, Timestamp, Num, Str } from '../wire.ts';

/** Responses of Polar's AccessLink v3. Field names use both `_` and `-`. */
const Series = z.record(z.string(), z.number()).nullish();

export const PolarNight = z.looseObject({
  date: z.iso.date(),
  sleep_start_time: Timestamp,
  sleep_end_time: Timestamp,
  device_id: Str,
  light_sleep: Num,
  deep_sleep: Num,
  rem_sleep: Num,
  unrecognized_sleep_stage: Num,
  total_interruption_duration: Num,
  sleep_score: Num,
  hypnogram: Series,
  heart_rate_samples: Series,
});
export type PolarNight = z.output<typeof PolarNight>;
export const Nights = z.object({ nights: lenientList(PolarNight) });

const PolarRecharge = z.looseObject({
  date: z.iso.date(),
  heart_rate_avg: Num,
  heart_rate_variability_avg: Num,
  breathing_rate_avg: Num,
  hrv_samples: Series,
  breathing_samples: Series,
});
export const Recharges = z.object({ recharges: lenientList(PolarRecharge) });

const Zone = z.looseObject({ index: Num, 'in-zone': Str });
const Track = z.object({
  'recording-rate': z.union([z.number(), z.string().transform(Number)]).nullish(),
  'sample-type': z.union([z.string(), z.number().transform(String)]),
  data: z.string(),
});
export type PolarTrack = z.output<typeof Track>;
const Point = z.object({
  latitude: z.number(),
  longitude: z.number(),
  time: z.string(),
});

export const PolarExercise = z.looseObject({
  id: Id,
  start_time: Timestamp,
  start_time_utc_offset: z.number().min(-840).max(840).nullish(),
  duration: z.string(),
  device: Str,
  device_id: Str,
  calories: Num,
  distance: Num,
  heart_rate: z.looseObject({ average: Num, maximum: Num }).nullish(),
  sport: Str,
  detailed_sport_info: Str,
  heart_rate_zones: z.array(Zone).nullish(),
  samples: z.array(Track).nullish(),
  route: z.array(Point).nullish(),
});
export type PolarExercise = z.output<typeof PolarExercise>;
export const Exercises = lenientList(PolarExercise);

const PolarDay = z.looseObject({
  start_time: Timestamp,
  calories: Num,
  active_calories: Num,
  steps: Num,
  distance_from_steps: Num,
});
export const Days = lenientList(PolarDay);

export const PolarBeats = z.object({
  date: z.iso.date(),
  heart_rate_samples: z.array(z.object({ heart_rate: z.number(), sample_time: z.string() })),
});

export const PolarPerson = z
  .looseObject({ height: Num, birthday: Str, gender: Str })
  .refine((person) => Object.keys(person).length > 0, 'expected at least one field');

export const Webhooks = z.object({
  data: z.array(z.object({ id: Id, url: z.string(), active: z.boolean().nullish() })).nullish(),
});

export const PolarNotification = z.object({
  event: z.string(),
  user_id: Id.optional(),
  date: z.iso.date().optional(),
});
