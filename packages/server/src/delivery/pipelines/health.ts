import { later, MINUTE, SECOND } from '../../platform/clock.ts';

/** The health of a destination after a batch, in system time. */
export interface DestinationHealth {
  /** Consecutive connection failures. */
  readonly failures: number;
  /** No connection is tried before this time; null means at once. */
  readonly retryAt: Date | null;
  readonly failingSince: Date | null;
  readonly succeededAt: Date | null;
  readonly failedAt: Date | null;
  readonly error: string | null;
}

/** The outcome of publishing a batch: how many messages were confirmed, and why others were not. */
interface PublishOutcome {
  readonly confirmed: number;
  /** The connection failed, or the broker stopped answering. */
  readonly broken: string | null;
  /** The broker rejected individual messages. */
  readonly refusal: string | null;
}

/** How long a main broker may fail before its events also go to the reserve. */
export const FAILOVER_AFTER_MS = 10 * MINUTE;

const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = MINUTE;
const JITTER = 0.2;
const ERROR_LENGTH_MAX = 300;

export type JitterSource = () => number;

/** Exponential backoff in milliseconds: 1 s after the first failure, at most a minute; jitter only shortens it. */
export function backoffMs(failures: number, random: JitterSource): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(full * (1 - JITTER * random()));
}

/**
 * The health of a destination after a batch. It is healthy once it confirms a message, and failing while it confirms
 * none. Only a broken connection causes a pause; rejected messages are retried on their own and do not delay others.
 */
export function nextHealth(
  before: { failures: number; failingSince: Date | null },
  { confirmed, broken, refusal }: PublishOutcome,
  { now, random }: { now: Date; random: JitterSource },
): DestinationHealth {
  const taken = confirmed > 0;
  const error = broken ?? refusal;
  const failures = broken === null ? 0 : taken ? 1 : before.failures + 1;
  const isWell = error === null || (taken && broken === null);
  // A timestamp in the future comes from a system clock that has since been set back.
  const isBelievable = before.failingSince !== null && before.failingSince <= now;
  const since = isBelievable && !taken ? before.failingSince : now;
  return {
    failures,
    retryAt: broken === null ? null : later(now, backoffMs(failures, random)),
    failingSince: isWell ? null : since,
    succeededAt: taken ? now : null,
    failedAt: error === null ? null : now,
    error: error === null ? null : error.slice(0, ERROR_LENGTH_MAX),
  };
}
