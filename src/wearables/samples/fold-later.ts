import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';

/** A day of UTC is closed so long after its end: most of what comes late has come by then. */
const CLOSES_AFTER_MS = 2 * DAY;

/** What the folding of a user's samples has to be told: see fold.ts. */
export const foldTimer = { name: 'samples.fold', input: z.object({ user_id: z.guid() }) };

/** The end of the days that are closed, in milliseconds since 1970. */
export const closedTo = ({ now }: Work): number => Math.floor((now.getTime() - CLOSES_AFTER_MS) / DAY) * DAY;

/**
 * Has the samples of a user folded in time: in the first hours of the next day, or within the hour what lies in days
 * that are closed already. Setting it again within the same time moves nothing, so nobody puts it off by coming often.
 */
export async function foldLater(work: Work, userId: string, first: number): Promise<void> {
  const isLate = first < closedTo(work);
  const [every, within] = isLate ? [HOUR, 10 * MINUTE] : [DAY, 6 * HOUR];
  const dueAt = nextMultiple(work.now.getTime(), every) + spread(userId, within);
  const key = `${userId}/${isLate ? 'late' : 'day'}`;
  await setTimer(work, foldTimer, { key, dueAt: new Date(dueAt), input: { user_id: userId } });
}

const nextMultiple = (moment: number, of: number): number => (Math.floor(moment / of) + 1) * of;

/** Some of them sooner and some later, each user always at the same time: not all of them at once. */
const spread = (userId: string, within: number): number =>
  Math.floor((Number.parseInt(userId.slice(-8), 16) / 2 ** 32) * within);
