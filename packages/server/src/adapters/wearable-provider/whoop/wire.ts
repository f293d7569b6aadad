import { z } from 'zod';
import { Id, lenientList, Timestamp, Num, Str } from '../wire.ts';

/** Responses of WHOOP's API v2. */
export const createPageSchema = <T>(item: z.ZodType<T>) =>
  z.object({ records: lenientList(item), next_token: Str });

const timed = { start: Timestamp, end: Str, timezone_offset: z.string(), score_state: z.string() };

export const WhoopSleep = z.looseObject({
  ...timed,
  id: Id,
  end: Timestamp,
  nap: z.boolean(),
  score: z
    .looseObject({
      stage_summary: z.looseObject({
        total_in_bed_time_milli: Num,
        total_awake_time_milli: Num,
        total_light_sleep_time_milli: Num,
        total_slow_wave_sleep_time_milli: Num,
        total_rem_sleep_time_milli: Num,
      }),
      respiratory_rate: Num,
      sleep_performance_percentage: Num,
      sleep_efficiency_percentage: Num,
    })
    .nullish(),
});
export type WhoopSleep = z.output<typeof WhoopSleep>;

export const WhoopRecovery = z.looseObject({
  cycle_id: Id,
  sleep_id: Id,
  created_at: Timestamp,
  score_state: z.string(),
  score: z
    .looseObject({
      recovery_score: Num,
      resting_heart_rate: Num,
      hrv_rmssd_milli: Num,
      spo2_percentage: Num,
      skin_temp_celsius: Num,
    })
    .nullish(),
});
export type WhoopRecovery = z.output<typeof WhoopRecovery>;

export const WhoopCycle = z.looseObject({
  ...timed,
  id: Id,
  score: z.looseObject({ kilojoule: Num, average_heart_rate: Num, max_heart_rate: Num }).nullish(),
});

export const WhoopWorkout = z.looseObject({
  ...timed,
  id: Id,
  end: Timestamp,
  sport_name: Str,
  score: z
    .looseObject({
      average_heart_rate: Num,
      max_heart_rate: Num,
      kilojoule: Num,
      distance_meter: Num,
      altitude_gain_meter: Num,
      zone_durations: z.record(z.string(), z.number().nullable()).nullish(),
    })
    .nullish(),
});

export const WhoopPerson = z.looseObject({ user_id: Id });
export const WhoopBody = z.looseObject({ height_meter: Num, weight_kilogram: Num, max_heart_rate: Num });

export const WhoopNotification = z.object({ user_id: Id, type: z.string(), id: Id.optional() });
