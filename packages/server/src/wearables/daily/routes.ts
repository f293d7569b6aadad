import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { addDays, localDay } from '../../platform/time-zone.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { getUnit } from './resources.ts';
import { DailyTotalQuery, DailyTotals, toDailyTotalView } from './schema.ts';
import { computeDailyTotals } from './totals.ts';

const DAYS_MAX = 366;

export function dailyTotalRoutes(http: Http): void {
  http.get('/v2/summary/daily_total/:user_id', {
    schema: {
      operationId: 'getDailyTotals',
      summary: 'Get daily totals across all devices (extension)',
      description:
        'At every instant, only the first source in the source priorities that counted something contributes, ' +
        'so that a watch and a phone are not added up. Computed on request, so late data is included.',
      tag: 'Summaries',
      params: z.object({ user_id: z.guid() }),
      query: DailyTotalQuery,
      response: { 200: DailyTotals },
    },
    handler: ({ work, params, query }) => readDailyTotals(work, params.user_id, query),
  });
}

async function readDailyTotals(
  work: Work,
  userId: string,
  query: DailyTotalQuery,
): Promise<z.input<typeof DailyTotals>> {
  const { resource, start_date: fromDay } = query;
  const user = await getUser(work, userId);
  const timeZone = query.time_zone ?? user.fallbackTimeZone?.value ?? 'UTC';
  const today = localDay(timeZone, work.now);
  const toDay = query.end_date ?? (fromDay > today ? fromDay : today);
  if (toDay < fromDay) throw invalidField(['query', 'end_date'], 'expected a date on or after start_date');
  if (toDay >= addDays(fromDay, DAYS_MAX)) {
    throw invalidField(['query', 'end_date'], `expected at most ${DAYS_MAX} days from start_date`);
  }
  const totals = await computeDailyTotals(work, { userId: user.id, resource, fromDay, toDay, timeZone });
  return { resource, unit: getUnit(resource), time_zone: timeZone, data: totals.map(toDailyTotalView) };
}
