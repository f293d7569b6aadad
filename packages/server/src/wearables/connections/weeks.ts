import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import * as store from './store.ts';

/** Weeks are counted from this Monday, midnight UTC. */
const FIRST_MONDAY = new Date('1970-01-05T00:00:00Z');
const WEEK_MS = 7 * DAY;
const WEEKS_MAX = 52;

/** The connections of one week. */
interface ConnectionWeek {
  readonly startsAt: Date;
  /** The number created in this week. */
  readonly made: number;
  /** The number that existed at the end of it. */
  readonly all: number;
}

/** The weeks from the first connection to now, at most 52; empty if there are no connections. */
export async function connectionsByWeek(work: Work): Promise<ConnectionWeek[]> {
  const rows = await store.countByPeriod(work, { origin: FIRST_MONDAY, periodMs: WEEK_MS });
  if (rows.length === 0) return [];
  const made = new Map(rows.map(({ period, count }) => [period, count]));
  const first = Math.min(...made.keys());
  const current = Math.floor((work.now.getTime() - FIRST_MONDAY.getTime()) / WEEK_MS);
  // A sandbox clock may have been set back, so that connections were created in the future.
  const last = Math.max(current, ...made.keys());
  const from = Math.max(first, last - WEEKS_MAX + 1);
  let all = rows.filter(({ period }) => period < from).reduce((sum, { count }) => sum + count, 0);
  return Array.from({ length: last - from + 1 }, (_, index) => {
    const count = made.get(from + index) ?? 0;
    all += count;
    return { startsAt: new Date(FIRST_MONDAY.getTime() + (from + index) * WEEK_MS), made: count, all };
  });
}
