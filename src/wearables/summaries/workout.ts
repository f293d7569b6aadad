import { z } from 'zod';
import { Amount, Count, Day, Moment, ofUser, Source, Text, TimeZoneOffset } from '../source.ts';

const Sport = z
  .object({ id: z.int().meta({ deprecated: true }), name: z.string(), slug: z.string() })
  .meta({ id: 'ClientFacingSport' });

const WorkoutMap = z
  .object({ polyline: Text, summary_polyline: Text })
  .meta({ id: 'ClientFacingWorkoutMap' });

export const Workout = z
  .object({
    ...ofUser,
    provider_id: z.string().describe('The provider’s own id of the workout.'),
    title: Text,
    sport: Sport,
    calendar_date: Day,
    time_start: Moment,
    time_end: Moment,
    timezone_offset: TimeZoneOffset,
    moving_time: Count.describe('Seconds.'),
    average_hr: Count,
    max_hr: Count,
    hr_zones: z.array(z.int()).nullable().describe('Seconds in each zone, from 50 % of the maximum up.'),
    distance: Amount.describe('Meters.'),
    calories: Amount.describe('Kilocalories.'),
    total_elevation_gain: Amount.describe('Meters.'),
    elev_high: Amount.describe('Meters.'),
    elev_low: Amount.describe('Meters.'),
    average_speed: Amount.describe('Meters a second.'),
    max_speed: Amount.describe('Meters a second.'),
    average_watts: Amount,
    device_watts: Amount,
    max_watts: Amount,
    weighted_average_watts: Amount,
    steps: Count,
    map: WorkoutMap.nullable(),
  })
  .meta({ id: 'ClientFacingWorkout' });

/** Says that the stream of a workout can be read; it is too long for an event. */
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
