import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';

/** A UTC day is closed this long after its end: most late data has arrived by then. */
const CLOSING_DELAY_MS = 2 * DAY;

/** The timer of compact.ts. */
export const compactionTimer = { name: 'samples.fold', input: z.object({ user_id: z.guid() }) };

/** The end of the last closed day, in milliseconds since 1970. */
export const getClosedUntil = ({ now }: Work): number =>
  Math.floor((now.getTime() - CLOSING_DELAY_MS) / DAY) * DAY;

/**
 * Schedules compaction of a user's samples: in the first hours of the next day, or within about an hour if the samples
 * are in closed days. The due time is a multiple of the period, so frequent writes do not postpone it.
 */
export async function scheduleCompaction(work: Work, userId: string, first: number): Promise<void> {
  const isLate = first < getClosedUntil(work);
  const [every, within] = isLate ? [HOUR, 10 * MINUTE] : [DAY, 6 * HOUR];
  const dueAt = nextMultiple(work.now.getTime(), every) + getUserJitter(userId, within);
  const key = `${userId}/${isLate ? 'late' : 'day'}`;
  await setTimer(work, compactionTimer, { key, dueAt: new Date(dueAt), input: { user_id: userId } });
}

const nextMultiple = (moment: number, of: number): number => (Math.floor(moment / of) + 1) * of;

/** A fixed offset per user, which spreads the load. */
const getUserJitter = (userId: string, within: number): number =>
  Math.floor((Number.parseInt(userId.slice(-8), 16) / 2 ** 32) * within);
