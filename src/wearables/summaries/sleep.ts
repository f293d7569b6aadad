import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';
import { Amount, Count, Day, Moment, ofUser, TimeZoneOffset } from '../source.ts';
import { hypnogram, TIMESERIES } from '../timeseries/timeseries.ts';

const SleepType = openList(['long_sleep', 'short_sleep', 'acknowledged_nap', 'unknown']).meta({
  id: 'SleepType',
});
const SleepState = openList(['tentative', 'confirmed']).meta({ id: 'SleepSummaryState' });

/** What was measured during one sleep. */
export const SleepStream = z
  .object({
    hrv: z.array(TIMESERIES.hrv.sample).nullable(),
    heartrate: z.array(TIMESERIES.heartrate.sample).nullable(),
    hypnogram: z.array(hypnogram.sample).nullable(),
    respiratory_rate: z.array(TIMESERIES.respiratory_rate.sample).nullable(),
  })
  .meta({ id: 'ClientFacingSleepStream' });

/** One sleep. Its parts are in seconds. */
export const Sleep = z
  .object({
    ...ofUser,
    date: Moment.meta({ deprecated: true }),
    calendar_date: Day.describe('The day on which the sleep ended.'),
    bedtime_start: Moment,
    bedtime_stop: Moment,
    timezone_offset: TimeZoneOffset,
    type: SleepType,
    state: SleepState.nullable(),
    duration: z.int().describe('Seconds in bed.'),
    total: z.int().describe('Seconds asleep.'),
    awake: z.int().describe('Seconds.'),
    light: z.int().describe('Seconds.'),
    rem: z.int().describe('Seconds.'),
    deep: z.int().describe('Seconds.'),
    score: Count.describe('0 to 100, as the provider scores it.'),
    recovery_readiness_score: Count.describe('0 to 100, as the provider scores it.'),
    hr_lowest: Count,
    hr_average: Count,
    hr_resting: Count,
    efficiency: Amount.describe('Percent of the time in bed.'),
    latency: Count.describe('Seconds until asleep.'),
    temperature_delta: Amount.describe('Degrees Celsius, against what is usual for the user.'),
    skin_temperature: Amount.describe('Degrees Celsius.'),
    hr_dip: Amount.describe('Percent below the rate of the day.'),
    average_hrv: Amount.describe('Milliseconds, RMSSD.'),
    respiratory_rate: Amount.describe('Breaths a minute.'),
    sleep_stream: SleepStream.nullable().meta({ deprecated: true }),
  })
  .meta({ id: 'ClientFacingSleep' });
