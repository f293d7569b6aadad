import { z } from 'zod';
import {
  NullableNumber,
  NullableInteger,
  Day,
  commonSummaryFields,
  TimeZone,
  TimeZoneOffset,
} from '../source.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const HeartRate = z
  .object({
    avg_bpm: NullableNumber,
    min_bpm: NullableNumber,
    max_bpm: NullableNumber,
    resting_bpm: NullableNumber,
    avg_walking_bpm: NullableNumber,
  })
  .meta({ id: 'ClientFacingHeartRate' });

/** The activity of a day. */
export const Activity = z
  .object({
    ...commonSummaryFields,
    date: Timestamp.meta({ deprecated: true }),
    calendar_date: Day,
    time_zone: TimeZone,
    timezone_offset: TimeZoneOffset,
    calories_total: NullableNumber.describe('Kilocalories, including the basal part.'),
    calories_active: NullableNumber.describe('Kilocalories.'),
    steps: NullableInteger,
    daily_movement: NullableNumber.meta({ deprecated: true }),
    distance: NullableNumber.describe('Meters.'),
    low: NullableNumber.describe('Minutes of light activity.'),
    medium: NullableNumber.describe('Minutes of moderate activity.'),
    high: NullableNumber.describe('Minutes of vigorous activity.'),
    floors_climbed: NullableInteger,
    heart_rate: HeartRate.nullable(),
    wheelchair_use: z.literal(true).nullable(),
    wheelchair_push: NullableInteger,
    derived: z
      .literal(true)
      .optional()
      .describe('Extension. Derived from samples, because the provider sent no summary of the day.'),
    replaces: z
      .array(z.guid())
      .optional()
      .describe(
        'Extension. Only in events: the ids of derived summaries of the day, which this one replaced and which no longer exist.',
      ),
  })
  .meta({ id: 'ClientFacingActivity' });
