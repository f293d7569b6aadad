import { z } from 'zod';
import { publicStatus, type TopLevelStatus } from '../ordering/orders/status.ts';
import { isoTimestamp } from '../platform/clock.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { TimeZone } from '../users/users/schema.ts';
import { COUNT_MAX, ATTENTION_KINDS, KINDS_DESCRIPTION, type AttentionSection } from './attention.ts';
import type { AttentionItem } from './attention-store.ts';
import { DAYS_MAX } from './trends.ts';

const AttentionItemView = z
  .object({
    id: z.string(),
    order_id: z.uuid().nullable(),
    user_id: z.uuid().nullable(),
    message_id: z.string().nullable(),
    state: z
      .string()
      .nullable()
      .describe(
        'The status of the order, of the critical result or of the review; the provider; a direction.',
      ),
    at: Timestamp.describe('Since when it needs a person.'),
    due_at: Timestamp.nullable(),
  })
  .meta({ id: 'AttentionItem' });

export const OverviewView = z
  .object({
    as_of: Timestamp.describe('On the clock of the tenant.'),
    data: z.array(
      z
        .object({
          kind: z.enum(ATTENTION_KINDS).describe(KINDS_DESCRIPTION),
          count: z.int().describe(`Exact up to ${COUNT_MAX}.`),
          has_more: z.boolean().describe(`There are more than ${COUNT_MAX}.`),
          items: z.array(AttentionItemView).describe('The first items, most urgent first.'),
        })
        .meta({ id: 'AttentionSection' }),
    ),
  })
  .meta({ id: 'Overview' });

export const toOverviewView = (
  now: Date,
  sections: readonly AttentionSection[],
): z.input<typeof OverviewView> => ({
  as_of: isoTimestamp(now),
  data: sections.map(({ kind, count, items }) => ({
    kind,
    count: Math.min(count, COUNT_MAX),
    has_more: count > COUNT_MAX,
    items: items.map(toItemView),
  })),
});

const toItemView = (item: AttentionItem): z.input<typeof AttentionItemView> => ({
  id: item.id,
  order_id: item.order_id ?? null,
  user_id: item.user_id ?? null,
  message_id: item.message_id ?? null,
  state: item.modality && item.step ? publicStatus(item.modality, item.step) : (item.state ?? null),
  at: isoTimestamp(new Date(item.at)),
  due_at: item.due_at === undefined ? null : isoTimestamp(new Date(item.due_at)),
});

export const TrendsQuery = z.object({
  days: z.int().min(1).max(DAYS_MAX).default(30).describe('How many days, up to `until`.'),
  until: z.iso
    .date()
    .refine((day) => day >= '2000-01-01' && day < '2200-01-01', 'expected a day from 2000 to 2199')
    .optional()
    .describe('The last day, from 2000 to 2199; today by default.'),
  time_zone: TimeZone.default('UTC').describe('Days begin at midnight in this time zone (IANA name).'),
});

const count = z.int().min(0);

export const TrendsView = z
  .object({
    time_zone: z.string(),
    data: z
      .array(
        z
          .object({
            day: z.iso.date(),
            orders_created: count,
            orders_by_status: z
              .object({
                received: count,
                collecting_sample: count,
                sample_with_lab: count,
                completed: count,
                cancelled: count,
                failed: count,
              } satisfies Record<TopLevelStatus, typeof count>)
              .describe('The orders created on this day, by their status now.'),
            results: count.describe('Results received, corrections included.'),
            deliveries_succeeded: count.describe('Successful webhook attempts.'),
            deliveries_failed: count.describe('Failed webhook attempts.'),
            connections_created: count.describe('Provider connections created that still exist.'),
            samples: count.describe(
              'Samples of devices received that were new or changed, whenever they were measured.',
            ),
          })
          .meta({ id: 'TrendDay' }),
      )
      .describe('Oldest first; the last is `until`.'),
  })
  .meta({ id: 'OverviewTrends' });
