import { z } from 'zod';
import { Id, lenientList, Num, UnixSeconds, Str } from '../wire.ts';

/** Responses of Withings. The status is in the body; the HTTP status is always 200. */
export const Envelope = z.looseObject({ status: z.number(), body: z.unknown() });

const more = { more: z.union([z.boolean(), z.number()]).nullish(), offset: Num };

const Measure = z.object({ value: z.number(), type: z.number(), unit: z.number() });

export const WithingsMeasureGroup = z.looseObject({
  grpid: Id,
  date: UnixSeconds,
  category: Num,
  deviceid: Str,
  hash_deviceid: Str,
  model: z.union([z.string(), z.number()]).nullish(),
  timezone: Str,
  measures: z.array(Measure),
});
export type WithingsMeasureGroup = z.output<typeof WithingsMeasureGroup>;
export const Measures = z.object({ timezone: Str, measuregrps: lenientList(WithingsMeasureGroup), ...more });

const WithingsActivity = z.looseObject({
  date: z.iso.date(),
  timezone: Str,
  deviceid: Str,
  hash_deviceid: Str,
  model: z.union([z.string(), z.number()]).nullish(),
  steps: Num,
  distance: Num,
  elevation: Num,
  soft: Num,
  moderate: Num,
  intense: Num,
  calories: Num,
  totalcalories: Num,
  hr_average: Num,
  hr_min: Num,
  hr_max: Num,
});
export const Activities = z.object({ activities: lenientList(WithingsActivity), ...more });

const WithingsWorkout = z.looseObject({
  id: Id,
  category: z.number(),
  timezone: Str,
  startdate: UnixSeconds,
  enddate: UnixSeconds,
  date: Str,
  deviceid: Str,
  data: z.looseObject({
    calories: Num,
    manual_calories: Num,
    distance: Num,
    manual_distance: Num,
    steps: Num,
    hr_average: Num,
    hr_max: Num,
    hr_zone_0: Num,
    hr_zone_1: Num,
    hr_zone_2: Num,
    hr_zone_3: Num,
    pause_duration: Num,
  }),
});
export const Workouts = z.object({ series: lenientList(WithingsWorkout), ...more });

export const WithingsSleep = z.looseObject({
  id: Id,
  timezone: Str,
  startdate: UnixSeconds,
  enddate: UnixSeconds,
  date: z.iso.date(),
  hash_deviceid: Str,
  completed: z.boolean().nullish(),
  data: z.looseObject({
    total_timeinbed: Num,
    total_sleep_time: Num,
    asleepduration: Num,
    lightsleepduration: Num,
    remsleepduration: Num,
    deepsleepduration: Num,
    wakeupduration: Num,
    sleep_efficiency: Num,
    sleep_latency: Num,
    hr_average: Num,
    hr_min: Num,
    rr_average: Num,
    sleep_score: Num,
  }),
});
export type WithingsSleep = z.output<typeof WithingsSleep>;
export const Sleeps = z.object({ series: lenientList(WithingsSleep), ...more });

export const Stages = z.object({
  series: lenientList(z.object({ startdate: UnixSeconds, enddate: UnixSeconds, state: z.number() })),
});

/** Points by Unix second. An empty object arrives as an empty list (PHP). */
export const Intraday = z.object({
  series: z.union([
    z
      .array(z.unknown())
      .length(0)
      .transform((): Record<string, IntradayPoint> => ({})),
    z.record(
      z.string(),
      z.lazy(() => Point),
    ),
  ]),
});
const Point = z.object({
  deviceid: Str,
  model: Str,
  duration: Num,
  steps: Num,
  distance: Num,
  calories: Num,
  heart_rate: Num,
  spo2_auto: Num,
  rmssd: Num,
});
type IntradayPoint = z.output<typeof Point>;

export const Nonce = z.object({ nonce: z.string().min(1) });
export const Profiles = z.object({
  profiles: z.array(z.object({ appli: z.number(), callbackurl: z.string() })),
});

export const WithingsNotification = z.object({
  userid: Id,
  appli: z.coerce.number(),
  startdate: z.coerce.number().optional(),
  enddate: z.coerce.number().optional(),
  action: z.string().optional(),
});
