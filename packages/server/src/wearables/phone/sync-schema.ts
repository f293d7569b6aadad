import { z } from 'zod';
import { Timestamp } from '../../platform/timestamp.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { PhoneProviderName } from './schema.ts';

export const ManualConnectionParams = z.object({ phone_provider: PhoneProviderName });
export const ManualConnectionBody = z
  .object({
    user_id: z.guid().describe('The user of the phone.'),
    provider_id: z.string().max(200).nullish().describe('Ignored.'),
    granted_permissions: z.array(z.string().max(200)).max(500).nullish().describe('Ignored.'),
  })
  .meta({ id: 'ManualConnectionData' });

export const PhoneParams = z.object({ user_id: z.guid(), phone_provider: PhoneProviderName });

export const PhoneSuccess = z.object({ success: z.boolean() }).meta({ id: 'PhoneSuccess' });

export const SyncStateBody = z
  .object({
    tzinfo: z.string().max(100).describe('The IANA time zone of the phone.'),
    request_start_date: TimestampInput.nullish().describe('Only data from here on; returned as it is.'),
    request_end_date: TimestampInput.nullish().describe('Only data until here; returned as it is.'),
    granted_permissions: z.array(z.string().max(200)).max(500).nullish().describe('Ignored.'),
  })
  .meta({ id: 'UserSDKSyncStateBody' });

const QueryChunkSizes = z
  .object({
    timeseries: z.int(),
    activity_timeseries: z.int(),
    electrocardiogram: z.int(),
    workout: z.int(),
    sleep: z.int(),
  })
  .meta({ id: 'QueryChunkSizes' });

export const SyncStateView = z
  .object({
    status: z
      .enum(['active', 'paused', 'error'])
      .describe('`error`: there is no connection, so nothing is sent.'),
    request_start_date: Timestamp.nullable(),
    request_end_date: Timestamp.nullable(),
    per_device_activity_ts: z
      .boolean()
      .describe('Whether activity is sent by device, or merged by the phone.'),
    expires_in: z.int().describe('Seconds after which the phone asks again.'),
    reporting_interval: z.int().describe('Seconds between two reports of progress.'),
    pull_preferences: z.object({ historical_days_to_pull: z.int() }).meta({ id: 'PhonePullPreferences' }),
    health_kit_params: z
      .object({
        query_chunk_sizes_background: QueryChunkSizes,
        query_chunk_sizes_foreground: QueryChunkSizes,
        workout_stream: z.boolean(),
        workout_heart_rate: z.boolean(),
      })
      .meta({ id: 'UserSDKHealthKitParams' }),
  })
  .meta({ id: 'UserSDKSyncStateResponse' });

export const HistoryBeginBody = z
  .object({
    range_start: TimestampInput.describe('Where the history begins.'),
    range_end: TimestampInput.describe('Where it ends.'),
    backfill_type: z.string().min(1).max(100).describe('The resource.'),
  })
  .meta({ id: 'UserSDKHistoricalStageBeginBody' });
