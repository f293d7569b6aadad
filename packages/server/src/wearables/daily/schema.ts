import { z } from 'zod';
import { TimeZone } from '../../users/users/schema.ts';
import { Day, Source } from '../../readings/schema.ts';
import type { DailyTotal } from './totals.ts';
import { COUNTED_RESOURCES } from './resources.ts';
import { toSourceView } from '../samples/samples.ts';

/** Time zone data does not cover other years. */
const SupportedDay = Day.regex(/^(19[7-9]|2[01]\d)/, 'expected a date from 1970 to 2199');

export const DailyTotalQuery = z.object({
  resource: z.enum(COUNTED_RESOURCES).meta({ id: 'CountedResource' }),
  start_date: SupportedDay.describe('The first day.'),
  end_date: SupportedDay.nullish().describe('The last day, inclusive; default today.'),
  time_zone: TimeZone.nullish().describe(
    'An IANA time zone name. Default: the fallback_time_zone of the user, else UTC.',
  ),
});
export type DailyTotalQuery = z.output<typeof DailyTotalQuery>;

const DailyTotalView = z
  .object({
    calendar_date: Day,
    total: z.number().nullable().describe('In the unit of the resource; null for a day without data.'),
    covered_seconds: z.int().describe('The seconds of the day that any source covered.'),
    hours: z
      .array(z.number())
      .describe('By hour since the start of the day: 24 values, 23 or 25 on days with a clock change.'),
    sources: z
      .array(z.object({ source: Source, amount: z.number(), covered_seconds: z.int() }))
      .describe('The contribution of each source, highest priority first.'),
  })
  .meta({ id: 'DailyTotal' });

export const DailyTotals = z
  .object({ resource: z.string(), unit: z.string(), time_zone: z.string(), data: z.array(DailyTotalView) })
  .meta({ id: 'DailyTotals' });

export const toDailyTotalView = (total: DailyTotal): z.input<typeof DailyTotalView> => ({
  calendar_date: total.day,
  total: total.total,
  covered_seconds: total.coveredSeconds,
  hours: [...total.hours],
  sources: total.sources.map(({ source, amount, coveredSeconds }) => ({
    source: toSourceView(source),
    amount,
    covered_seconds: coveredSeconds,
  })),
});
