import { z } from 'zod';
import { Amount, Count, Day, Moment, ofUser, TimeZone, TimeZoneOffset } from '../source.ts';

const HeartRate = z
  .object({
    avg_bpm: Amount,
    min_bpm: Amount,
    max_bpm: Amount,
    resting_bpm: Amount,
    avg_walking_bpm: Amount,
  })
  .meta({ id: 'ClientFacingHeartRate' });

/** A day's movement. */
export const Activity = z
  .object({
    ...ofUser,
    date: Moment.meta({ deprecated: true }),
    calendar_date: Day,
    time_zone: TimeZone,
    timezone_offset: TimeZoneOffset,
    calories_total: Amount.describe('Kilocalories, those of a body at rest too.'),
    calories_active: Amount.describe('Kilocalories.'),
    steps: Count,
    daily_movement: Amount.meta({ deprecated: true }),
    distance: Amount.describe('Meters.'),
    low: Amount.describe('Minutes of light activity.'),
    medium: Amount.describe('Minutes of moderate activity.'),
    high: Amount.describe('Minutes of vigorous activity.'),
    floors_climbed: Count,
    heart_rate: HeartRate.nullable(),
    wheelchair_use: z.literal(true).nullable(),
    wheelchair_push: Count,
  })
  .meta({ id: 'ClientFacingActivity' });
