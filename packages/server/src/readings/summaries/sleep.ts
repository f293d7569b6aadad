import { z } from 'zod';
import { openEnum } from '../../platform/open-enum.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { NullableNumber, NullableInteger, Day, commonSummaryFields, TimeZoneOffset } from '../source.ts';
import { hypnogram, TIMESERIES } from '../timeseries/timeseries.ts';

const SleepType = openEnum(['long_sleep', 'short_sleep', 'acknowledged_nap', 'unknown']).meta({
  id: 'SleepType',
});
const SleepState = openEnum(['tentative', 'confirmed']).meta({ id: 'SleepSummaryState' });

/** The samples of one sleep. */
export const SleepStream = z
  .object({
    hrv: z.array(TIMESERIES.hrv.sample).nullable(),
    heartrate: z.array(TIMESERIES.heartrate.sample).nullable(),
    hypnogram: z.array(hypnogram.sample).nullable(),
    respiratory_rate: z.array(TIMESERIES.respiratory_rate.sample).nullable(),
  })
  .meta({ id: 'ClientFacingSleepStream' });

/** One sleep. Durations are in seconds. */
export const Sleep = z
  .object({
    ...commonSummaryFields,
    date: Timestamp.meta({ deprecated: true }),
    calendar_date: Day.describe('The day on which the sleep ended.'),
    bedtime_start: Timestamp,
    bedtime_stop: Timestamp,
    timezone_offset: TimeZoneOffset,
    type: SleepType,
    state: SleepState.nullable(),
    duration: z.int().describe('Seconds in bed.'),
    total: z.int().describe('Seconds asleep.'),
    awake: z.int().describe('Seconds.'),
    light: z.int().describe('Seconds.'),
    rem: z.int().describe('Seconds.'),
    deep: z.int().describe('Seconds.'),
    score: NullableInteger.describe('0 to 100, as computed by the provider.'),
    recovery_readiness_score: NullableInteger.describe('0 to 100, as computed by the provider.'),
    hr_lowest: NullableInteger,
    hr_average: NullableInteger,
    hr_resting: NullableInteger,
    efficiency: NullableNumber.describe('Percent of the time in bed.'),
    latency: NullableInteger.describe('Seconds until falling asleep.'),
    temperature_delta: NullableNumber.describe('Degrees Celsius, relative to the baseline of the user.'),
    skin_temperature: NullableNumber.describe('Degrees Celsius.'),
    hr_dip: NullableNumber.describe('Percent below the daytime heart rate.'),
    average_hrv: NullableNumber.describe('Milliseconds, RMSSD.'),
    respiratory_rate: NullableNumber.describe('Breaths per minute.'),
    sleep_stream: SleepStream.nullable().meta({ deprecated: true }),
  })
  .meta({ id: 'ClientFacingSleep' });
