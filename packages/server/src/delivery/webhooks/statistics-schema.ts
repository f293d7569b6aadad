import { z } from 'zod';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const BUCKETS = ['15m', '1h', '6h', '1d'] as const;
export type StatisticsBucket = (typeof BUCKETS)[number];

/** 92 days. */
const HOURS_MAX = 2208;
const HOURS_DEFAULT = 24;

export const StatisticsQuery = z.object({
  from: TimestampInput.optional().describe(
    'From this time on, rounded down to a whole bucket; at most 92 days before `to`. Default: `hours` before it.',
  ),
  hours: z
    .int()
    .min(1)
    .max(HOURS_MAX)
    .default(HOURS_DEFAULT)
    .describe('How long before `to`, without `from`.'),
  to: TimestampInput.optional().describe(
    'Until before this time. Default: the end of the current 15 minutes, on the clock of the tenant.',
  ),
  bucket: z.enum(BUCKETS).default('1h').describe('What one point covers; at most 1,000 points.'),
});
export type StatisticsQuery = z.output<typeof StatisticsQuery>;

const Quantiles = z
  .object({ p50: z.int().nullable(), p95: z.int().nullable() })
  .meta({ id: 'DurationQuantiles' });

const counts = {
  succeeded: z.int().describe('Attempts that succeeded.'),
  failed: z.int().describe('Attempts that failed.'),
  answer_ms: Quantiles.describe('From sending a request to its answer, of all attempts that got one.'),
  receipt_ms: Quantiles.describe(
    'From the event to the successful answer: with waiting, retries, and the time that a message sent again was old.',
  ),
};

export const StatisticsView = z
  .object({
    from: Timestamp,
    to: Timestamp,
    bucket: z.enum(BUCKETS),
    total: z.object(counts).meta({ id: 'WebhookStatisticsTotal' }),
    data: z
      .array(
        z
          .object({ at: Timestamp.describe('The start of the bucket, in UTC.'), ...counts })
          .meta({ id: 'WebhookStatisticsPoint' }),
      )
      .describe('Oldest first; buckets without attempts are included.'),
  })
  .meta({ id: 'WebhookStatistics' });
