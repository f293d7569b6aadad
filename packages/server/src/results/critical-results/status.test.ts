import { describe, expect, it } from 'vitest';
import {
  canBecome,
  CRITICAL_RESULT_STATUSES,
  criticalResultMachine,
  type CriticalResultStatus,
} from './status.ts';

const next = (from: CriticalResultStatus) => CRITICAL_RESULT_STATUSES.filter((to) => canBecome(from, to));

/** Every status that can be come to from one, itself included. */
function reachable(from: CriticalResultStatus): Set<CriticalResultStatus> {
  const seen = new Set<CriticalResultStatus>();
  const waiting = [from];
  for (let status = waiting.pop(); status; status = waiting.pop()) {
    if (seen.has(status)) continue;
    seen.add(status);
    waiting.push(...next(status));
  }
  return seen;
}

describe('the statuses of a critical result', () => {
  it('are those of the state machine', () => {
    expect(Object.keys(criticalResultMachine).toSorted()).toEqual([...CRITICAL_RESULT_STATUSES].toSorted());
  });

  it('are all reachable from the first', () => {
    expect(reachable('open').size).toBe(CRITICAL_RESULT_STATUSES.length);
  });

  it.each(CRITICAL_RESULT_STATUSES)('%s can end, and only by being acknowledged', (status) => {
    expect(reachable(status).has('acknowledged')).toBe(true);
    expect(next(status).length === 0).toBe(status === 'acknowledged');
  });

  it('never go back', () => {
    for (const status of CRITICAL_RESULT_STATUSES)
      for (const to of next(status)) expect(reachable(to).has(status)).toBe(false);
  });
});
