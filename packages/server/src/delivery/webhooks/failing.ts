import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';

/** The failures of an endpoint since its last success, in tenant time. A success clears all three. */
export interface EndpointFailures {
  readonly firstFailureAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** The start of the period with only failures. */
  readonly failingSince: Date | null;
}

const WITHIN_MS = 24 * HOUR;
const APART_MS = 12 * HOUR;
const DISABLE_AFTER_MS = 5 * DAY;
/** Failures closer together than this are not saved separately. */
const RESOLUTION_MS = MINUTE;

export interface FailureAssessment {
  readonly failures: EndpointFailures;
  readonly changed: boolean;
  /** Whether it has failed for so long that it must be disabled. */
  readonly hopeless: boolean;
}

/**
 * Assesses one more failure. The five days start at a failure that is at least 12 and at most 24 hours after an earlier
 * one, so that one bad hour does not disable an endpoint.
 */
export function assessFailure(before: EndpointFailures, at: Date): FailureAssessment {
  const failures = addFailure(before, at);
  const { failingSince } = failures;
  return {
    failures,
    changed: failures !== before,
    hopeless: failingSince !== null && gap(failingSince, at) >= DISABLE_AFTER_MS,
  };
}

function addFailure(before: EndpointFailures, at: Date): EndpointFailures {
  const { firstFailureAt: first, lastFailureAt: last, failingSince } = before;
  if (first === null || last === null) return { firstFailureAt: at, lastFailureAt: at, failingSince };
  const start = gap(first, at) <= WITHIN_MS ? first : gap(last, at) <= WITHIN_MS ? last : at;
  const counting = failingSince ?? (gap(start, at) >= APART_MS ? at : null);
  const same = start === first && counting === failingSince && gap(last, at) < RESOLUTION_MS;
  return same ? before : { firstFailureAt: start, lastFailureAt: at, failingSince: counting };
}

const gap = (from: Date, to: Date): number => to.getTime() - from.getTime();
