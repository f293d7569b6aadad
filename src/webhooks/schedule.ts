import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';

/** How long after the first failure, the second, and so on, the message is tried again. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

const JITTER = 0.1;

/** A number from 0 to below 1; a test gives its own. */
export type Random = () => number;

/**
 * How long to wait after the `failures`-th failure of a message; undefined when it was the last.
 * The jitter only lengthens, so that nothing is tried earlier than the table says. A longer `retryAfterMs`
 * that the receiver asked for is respected, but no longer than the next step of the table.
 */
export function waitAfter(
  failures: number,
  { random, retryAfterMs = 0 }: { random: Random; retryAfterMs?: number | undefined },
): number | undefined {
  const step = RETRY_AFTER_MS[failures - 1];
  if (step === undefined) return undefined;
  const next = RETRY_AFTER_MS[failures] ?? step;
  return Math.round(Math.max(step * (1 + JITTER * random()), Math.min(retryAfterMs, next)));
}

const BUSY = new Set([429, 503]);

/** What a busy receiver asks for: seconds, or a date as HTTP writes it. */
export function retryAfterOf(status: number, header: string | undefined, now: Date): number | undefined {
  if (!BUSY.has(status) || header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now.getTime());
}
