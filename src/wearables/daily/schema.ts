import { z } from 'zod';
import { TimeZone } from '../../users/schema.ts';
import { Day, Source } from '../source.ts';
import type { DailyTotal } from './totals.ts';
import { COUNTED } from './resources.ts';
import { viewSource } from '../samples/samples.ts';

/** Zone data know no others, and nobody wore anything then. */
const DayOfNow = Day.regex(/^(19[7-9]|2[01]\d)/, 'expected a day from 1970 to 2199');

export const DailyTotalQuery = z.object({
  resource: z.enum(COUNTED).meta({ id: 'CountedResource' }),
  start_date: DayOfNow.describe('The first day.'),
  end_date: DayOfNow.nullish().describe('The last day, which belongs to it; today when left out.'),
  time_zone: TimeZone.nullish().describe(
    'An IANA name. When left out, the user’s fallback_time_zone, and UTC without one.',
  ),
});
export type DailyTotalQuery = z.output<typeof DailyTotalQuery>;

const DailyTotalView = z
  .object({
    calendar_date: Day,
    total: z.number().nullable().describe('In the unit of the resource; null on a day that nobody measured.'),
    covered_seconds: z.int().describe('For how much of the day any source measured.'),
    hours: z
      .array(z.number())
      .describe('By the hours since the day began: 24 of them, 23 or 25 where the clock is changed.'),
    sources: z
      .array(z.object({ source: Source, amount: z.number(), covered_seconds: z.int() }))
      .describe('What each source added, the first in priority first.'),
  })
  .meta({ id: 'DailyTotal' });

export const DailyTotals = z
  .object({ resource: z.string(), unit: z.string(), time_zone: z.string(), data: z.array(DailyTotalView) })
  .meta({ id: 'DailyTotals' });

export const viewDailyTotal = (total: DailyTotal): z.input<typeof DailyTotalView> => ({
  calendar_date: total.day,
  total: total.total,
  covered_seconds: total.coveredSeconds,
  hours: [...total.hours],
  sources: total.sources.map(({ source, amount, coveredSeconds }) => ({
    source: viewSource(source),
    amount,
    covered_seconds: coveredSeconds,
  })),
});
