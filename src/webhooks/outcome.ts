import { later } from '../platform/clock.ts';
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
  { answered, sent }: { answered: Answered; sent: Sent | null },
  { now, random }: { now: Date; random: Random },
): Outcome {
  const next = nextOf(claimed, answered, { now, random });
  return {
    claimed,
    answered,
    sent,
    wall: now,
    status: next === 'delivered' ? 'delivered' : next === undefined ? 'failed' : 'pending',
    dueWall: next instanceof Date ? next : null,
    gone: answered.statusCode === GONE,
  };
}

/** When it is tried again; undefined: never. */
function nextOf(
  { row }: Claimed,
  answered: Answered,
  { now, random }: { now: Date; random: Random },
): Date | 'delivered' | undefined {
  if (isSuccess(answered)) return 'delivered';
  const retryAfterMs = retryAfterOf(answered.statusCode ?? 0, answered.retryAfter, now);
  const wait = waitAfter(row.attempts + 1, { random, retryAfterMs });
  return wait === undefined ? undefined : later(now, wait);
}

/** An answer that did not come whole within the time has an error beside its status, and is none. */
export const isSuccess = ({ statusCode, error }: Answered): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;
