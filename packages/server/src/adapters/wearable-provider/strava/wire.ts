import { z } from 'zod';
import { Id, createDurationSchema, Timestamp, Num, Str } from '../wire.ts';

/** Responses of Strava's API v3. */
export const StravaActivity = z.looseObject({
  id: Id,
  name: Str,
  type: Str,
  sport_type: Str,
  start_date: Timestamp,
  start_date_local: Str,
  elapsed_time: createDurationSchema(1),
  moving_time: Num,
  distance: Num,
  total_elevation_gain: Num,
  elev_high: Num,
  elev_low: Num,
  average_speed: Num,
  max_speed: Num,
  average_heartrate: Num,
  max_heartrate: Num,
  average_watts: Num,
  max_watts: Num,
  weighted_average_watts: Num,
  device_watts: z.boolean().nullish(),
  manual: z.boolean().nullish(),
  map: z.looseObject({ polyline: Str, summary_polyline: Str }).nullish(),
});
export type StravaActivity = z.output<typeof StravaActivity>;

/** The list of activities has no calories. */
export const StravaActivityDetail = z.object({ calories: Num });
export type StravaActivityDetail = z.output<typeof StravaActivityDetail>;

const column = <T extends z.ZodType>(value: T) => z.object({ data: z.array(value) }).nullish();
const Values = column(z.number().nullable());

export const StravaStreams = z.object({
  time: Values,
  latlng: column(z.tuple([z.number(), z.number()]).nullable()),
  distance: Values,
  altitude: Values,
  velocity_smooth: Values,
  heartrate: Values,
  cadence: Values,
  watts: Values,
  temp: Values,
});
export type StravaStreams = z.output<typeof StravaStreams>;

export const StravaAthlete = z.looseObject({ id: Id, sex: Str });

export const StravaSubscription = z.object({ id: Id, callback_url: z.string() });

export const StravaNotification = z.object({
  object_type: z.enum(['activity', 'athlete']),
  object_id: Id,
  aspect_type: z.enum(['create', 'update', 'delete']),
  owner_id: Id,
  updates: z.record(z.string(), z.unknown()).nullish(),
});
