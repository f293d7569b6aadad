import { later } from '../../platform/clock.ts';
import type { ClaimedMessage } from './claim.ts';
import type { SentRequest } from './exchange.ts';
import type { WebhookResponse } from './response.ts';
import { parseRetryAfter, retryDelayAfter, type RetryJitter } from './schedule.ts';
import type { DeliveryStatus } from './table.ts';

/** The status after an attempt: delivered, or the new status of the message. */
export type OutcomeStatus = Exclude<DeliveryStatus, 'held'> | 'delivered';

/** The outcome of one attempt, ready to be recorded. */
export interface AttemptOutcome {
  readonly claimed: ClaimedMessage;
  readonly response: WebhookResponse;
  /** null if nothing could be sent. */
  readonly sent: SentRequest | null;
  /** When the attempt ended, in system time. */
  readonly endedAt: Date;
  readonly status: OutcomeStatus;
  /** When the next attempt is due, in system time; null if there is none. */
  readonly nextDueAt: Date | null;
  /** Whether the endpoint responded with 410 Gone. */
  readonly gone: boolean;
}

const GONE = 410;

/** Determines the outcome: 2xx is success; anything else is retried by the schedule until its last step. */
export function outcomeOf(
  claimed: ClaimedMessage,
  { answered, sent }: { answered: WebhookResponse; sent: SentRequest | null },
  { now, random }: { now: Date; random: RetryJitter },
): AttemptOutcome {
  const next = nextStepOf(claimed, answered, { now, random });
  return {
    claimed,
    response: answered,
    sent,
    endedAt: now,
    status: next === 'delivered' ? 'delivered' : next === undefined ? 'failed' : 'pending',
    nextDueAt: next instanceof Date ? next : null,
    gone: answered.statusCode === GONE,
  };
}

/** When it is retried; undefined: never. */
function nextStepOf(
  { row }: ClaimedMessage,
  answered: WebhookResponse,
  { now, random }: { now: Date; random: RetryJitter },
): Date | 'delivered' | undefined {
  if (isSuccess(answered)) return 'delivered';
  const retryAfterMs = parseRetryAfter(answered.statusCode ?? 0, answered.retryAfter, now);
  const wait = retryDelayAfter(row.attempts + 1, { random, retryAfterMs });
  return wait === undefined ? undefined : later(now, wait);
}

/** A response that was not complete in time has an error next to its status, and is a failure. */
export const isSuccess = ({ statusCode, error }: WebhookResponse): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;
