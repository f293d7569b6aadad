import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { dayAfter, localDay } from '../../platform/time-zone.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { unitOf } from './resources.ts';
import { DailyTotalQuery, DailyTotals, viewDailyTotal } from './schema.ts';
import { dailyTotals } from './totals.ts';

export const DAYS_MAX = 366;

export function dailyTotalRoutes(http: Http): void {
  http.get('/v2/summary/daily_total/:user_id', {
    schema: {
      operationId: 'getDailyTotals',
      summary: 'Read what all devices together counted, day by day (ours)',
      description:
        'At every instant the source counts that comes first in the priority of sources and counted something then, so ' +
        'that a watch and a phone are neither added up nor dropped. Computed when asked: what comes late counts.',
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
  if (toDay < fromDay)
    throw invalidField(['query', 'end_date'], 'expected a day that is not before start_date');
  if (toDay >= dayAfter(fromDay, DAYS_MAX)) {
    throw invalidField(['query', 'end_date'], `expected at most ${DAYS_MAX} days from start_date on`);
  }
  const totals = await dailyTotals(work, { userId: user.id, resource, fromDay, toDay, timeZone });
  return { resource, unit: unitOf(resource), time_zone: timeZone, data: totals.map(viewDailyTotal) };
}
