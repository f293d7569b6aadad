import { z } from 'zod';
import {
  NullableNumber,
  NullableInteger,
  Day,
  commonSummaryFields,
  Source,
  NullableString,
  TimeZoneOffset,
} from '../source.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const Sport = z
  .object({ id: z.int().meta({ deprecated: true }), name: z.string(), slug: z.string() })
  .meta({ id: 'ClientFacingSport' });

const WorkoutMap = z
  .object({ polyline: NullableString, summary_polyline: NullableString })
  .meta({ id: 'ClientFacingWorkoutMap' });

export const Workout = z
  .object({
    ...commonSummaryFields,
    provider_id: z.string().describe('The id of the workout at the provider.'),
    title: NullableString,
    sport: Sport,
    calendar_date: Day,
    time_start: Timestamp,
    time_end: Timestamp,
    timezone_offset: TimeZoneOffset,
    moving_time: NullableInteger.describe('Seconds.'),
    average_hr: NullableInteger,
    max_hr: NullableInteger,
    hr_zones: z
      .array(z.int())
      .nullable()
      .describe('Seconds in each heart rate zone, from 50 % of the maximum up.'),
    distance: NullableNumber.describe('Meters.'),
    calories: NullableNumber.describe('Kilocalories.'),
    total_elevation_gain: NullableNumber.describe('Meters.'),
    elev_high: NullableNumber.describe('Meters.'),
    elev_low: NullableNumber.describe('Meters.'),
    average_speed: NullableNumber.describe('Meters per second.'),
    max_speed: NullableNumber.describe('Meters per second.'),
    average_watts: NullableNumber,
    device_watts: NullableNumber,
    max_watts: NullableNumber,
    weighted_average_watts: NullableNumber,
    steps: NullableInteger,
    map: WorkoutMap.nullable(),
  })
  .meta({ id: 'ClientFacingWorkout' });

/** Announces the stream of a workout, which is too long for an event. */
export const ShallowWorkoutStream = z
  .object({
    user_id: z.guid(),
    workout_id: z.guid(),
    provider_id: z.string(),
    message: z.string().describe('Where to read the stream.'),
    source: Source,
    sport: Sport,
  })
  .meta({ id: 'ClientFacingShallowWorkoutStream' });
