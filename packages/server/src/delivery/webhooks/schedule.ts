import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Delays after the first failure, the second, and so on, before a message is retried. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

const JITTER = 0.1;

/** A number from 0 to below 1; tests inject their own. */
export type RetryJitter = () => number;

/**
 * The delay after the `failures`-th failure of a message; undefined after the last. Jitter only lengthens the delay. A
 * longer `retryAfterMs` requested by the receiver is respected, up to the next step of the table.
 */
export function retryDelayAfter(
  failures: number,
  { random, retryAfterMs = 0 }: { random: RetryJitter; retryAfterMs?: number | undefined },
): number | undefined {
  const step = RETRY_DELAYS_MS[failures - 1];
  if (step === undefined) return undefined;
  const next = RETRY_DELAYS_MS[failures] ?? step;
  return Math.round(Math.max(step * (1 + JITTER * random()), Math.min(retryAfterMs, next)));
}

const BUSY = new Set([429, 503]);

/** Parses Retry-After of a 429 or 503: seconds, or an HTTP date. Returns milliseconds. */
export function parseRetryAfter(status: number, header: string | undefined, now: Date): number | undefined {
  if (!BUSY.has(status) || header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now.getTime());
}
