import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import * as store from './store.ts';

/** A Monday, from whose midnight in UTC weeks are counted. */
const ORIGIN = new Date('1970-01-05T00:00:00Z');
const WEEK_MS = 7 * DAY;
const WEEKS_MAX = 52;

/** One week of the connections that there are. */
export interface Week {
  readonly startsAt: Date;
  /** How many of them were made in it. */
  readonly made: number;
  /** How many of them there were at its end. */
  readonly all: number;
}

/** The weeks from that of the first connection up to this one, a year of them at most; none where nothing is connected. */
export async function connectionsByWeek(work: Work): Promise<Week[]> {
  const rows = await store.countByPeriod(work, { origin: ORIGIN, periodMs: WEEK_MS });
  if (rows.length === 0) return [];
  const made = new Map(rows.map(({ period, count }) => [period, count]));
  const first = Math.min(...made.keys());
  const current = Math.floor((work.now.getTime() - ORIGIN.getTime()) / WEEK_MS);
  // A sandbox clock may have been set back, and what was made on it lies ahead.
  const last = Math.max(current, ...made.keys());
  const from = Math.max(first, last - WEEKS_MAX + 1);
  let all = rows.filter(({ period }) => period < from).reduce((sum, { count }) => sum + count, 0);
  return Array.from({ length: last - from + 1 }, (_, index) => {
    const count = made.get(from + index) ?? 0;
    all += count;
    return { startsAt: new Date(ORIGIN.getTime() + (from + index) * WEEK_MS), made: count, all };
  });
}
