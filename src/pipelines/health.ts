import { later, MINUTE, SECOND } from '../platform/clock.ts';

/** How a destination does after a batch, on the system's clock. */
export interface Health {
  /** How often in a row the connection failed. */
  readonly failures: number;
  /** Nobody speaks with it before; null: at once. */
  readonly retryAt: Date | null;
  readonly failingSince: Date | null;
  readonly succeededAt: Date | null;
  readonly failedAt: Date | null;
  readonly error: string | null;
}

/** What came of a batch: how many were taken, and why others were not. */
export interface BatchOutcome {
  readonly confirmed: number;
  /** The connection failed, or the broker stopped answering. */
  readonly broken: string | null;
  /** Messages were refused by themselves. */
  readonly refusal: string | null;
}

/** How long a main broker may fail before its reserve gets its events as well. */
export const GRACE_MS = 10 * MINUTE;

const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = MINUTE;
const JITTER = 0.2;
const ERROR_LENGTH_MAX = 300;

export type Random = () => number;

/** 1 s after the first failure and double after each, at most a minute; the jitter only shortens. For ever. */
export function waitAfter(failures: number, random: Random): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(full * (1 - JITTER * random()));
}

/**
 * A destination is well from the first message that it takes, and fails while it takes none. Only a broken connection
 * keeps us away from it for a while: what it refused waits by itself and holds up nothing else.
 */
export function judge(
  before: { failures: number; failingSince: Date | null },
  { confirmed, broken, refusal }: BatchOutcome,
  { now, random }: { now: Date; random: Random },
): Health {
  const taken = confirmed > 0;
  const error = broken ?? refusal;
  const failures = broken === null ? 0 : taken ? 1 : before.failures + 1;
  const isWell = error === null || (taken && broken === null);
  // A moment that has not come was told by a clock that has since been set back.
  const isBelievable = before.failingSince !== null && before.failingSince <= now;
  const since = isBelievable && !taken ? before.failingSince : now;
  return {
    failures,
    retryAt: broken === null ? null : later(now, waitAfter(failures, random)),
    failingSince: isWell ? null : since,
    succeededAt: taken ? now : null,
    failedAt: error === null ? null : now,
    error: error === null ? null : error.slice(0, ERROR_LENGTH_MAX),
  };
}
