import { later } from '../platform/clock.ts';
import { attemptId } from './attempt-id.ts';
import type { Claimed } from './claim.ts';
import type { Sent } from './exchange.ts';
import type { Answered } from './answered.ts';
import { retryAfterOf, waitAfter, type Random } from './schedule.ts';
import type { DeliveryStatus } from './table.ts';

/** What came of an attempt: the receiver took the message, or what the message is from then on. */
export type OutcomeStatus = Exclude<DeliveryStatus, 'held'> | 'delivered';

/** What came of one attempt, as it will be written down. */
export interface Outcome {
  readonly claimed: Claimed;
  readonly attemptId: string;
  readonly answered: Answered;
  /** null when nothing could be sent. */
  readonly sent: Sent | null;
  /** When the attempt ended, on the system's clock. */
  readonly wall: Date;
  readonly status: OutcomeStatus;
  /** When the next attempt is due, on the system's clock; null when there is none. */
  readonly dueWall: Date | null;
  /** The endpoint answered 410. */
  readonly gone: boolean;
}

const GONE = 410;

/** The rule: 2xx is success; anything else is tried again by the schedule, until its last step. */
export function outcomeOf(
  claimed: Claimed,
  { sent, ...answered }: Answered & { sent: Sent | null },
  { now, random }: { now: Date; random: Random },
): Outcome {
  const { statusCode } = answered;
  const common = {
    claimed,
    attemptId: attemptId(claimed.row.id, now),
    answered,
    sent,
    wall: now,
    gone: statusCode === GONE,
  };
  if (isSuccess(answered)) return { ...common, status: 'delivered', dueWall: null };
  const retryAfterMs = retryAfterOf(statusCode ?? 0, answered.retryAfter, now);
  const wait = waitAfter(claimed.row.attempts + 1, { random, retryAfterMs });
  if (wait === undefined) return { ...common, status: 'failed', dueWall: null };
  return { ...common, status: 'pending', dueWall: later(now, wait) };
}

/** An answer that did not come whole within the time has an error beside its status, and is none. */
export const isSuccess = ({ statusCode, error }: Answered): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;
