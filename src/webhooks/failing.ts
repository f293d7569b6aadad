import { DAY, HOUR, MINUTE } from '../platform/clock.ts';

/** The failures of an endpoint since its last success, on the tenant's clock. A success clears all three. */
export interface Failures {
  readonly firstFailureAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** From when the days of nothing but failures are counted. */
  readonly failingSince: Date | null;
}

const WITHIN_MS = 24 * HOUR;
const APART_MS = 12 * HOUR;
const PATIENCE_MS = 5 * DAY;
/** Failures closer together than this are not worth a write each. */
const GRAIN_MS = MINUTE;

export interface Judgement {
  readonly failures: Failures;
  readonly changed: boolean;
  /** It has failed for so long that it is to be disabled. */
  readonly hopeless: boolean;
}

/**
 * What one more failure means. The count of five days starts at a failure that lies at least 12 and
 * at most 24 hours after an earlier one, so that one bad hour disables nothing.
 */
export function judgeFailure(before: Failures, at: Date): Judgement {
  const failures = withFailure(before, at);
  const { failingSince } = failures;
  return {
    failures,
    changed: failures !== before,
    hopeless: failingSince !== null && gap(failingSince, at) >= PATIENCE_MS,
  };
}

function withFailure(before: Failures, at: Date): Failures {
  const { firstFailureAt: first, lastFailureAt: last, failingSince } = before;
  if (first === null || last === null) return { firstFailureAt: at, lastFailureAt: at, failingSince };
  const start = gap(first, at) <= WITHIN_MS ? first : gap(last, at) <= WITHIN_MS ? last : at;
  const counting = failingSince ?? (gap(start, at) >= APART_MS ? at : null);
  const same = start === first && counting === failingSince && gap(last, at) < GRAIN_MS;
  return same ? before : { firstFailureAt: start, lastFailureAt: at, failingSince: counting };
}

const gap = (from: Date, to: Date): number => to.getTime() - from.getTime();
