import { expect, it } from 'vitest';
import { toOutcome } from './read-report.ts';

const { signal } = new AbortController();
const FAILED = { failed: 'processing_error' };

it('tries a report again that ran out of time on a busy machine, twice', () => {
  const late = { end: 'limit', of: 'elapsed_time' } as const;
  expect([1, 2, 3].map((tries) => toOutcome(late, { tries }, signal))).toEqual(['again', 'again', FAILED]);
});

it('tries a report again that used up its processor time, once', () => {
  const costly = { end: 'limit', of: 'processor_time' } as const;
  expect([1, 2, 3].map((tries) => toOutcome(costly, { tries }, signal))).toEqual(['again', FAILED, FAILED]);
});

it('does not try a report again that needs too much memory', () => {
  expect(toOutcome({ end: 'limit', of: 'memory' }, { tries: 1 }, signal)).toEqual(FAILED);
});

it.each(['kill', 'refusal'] as const)(
  'tries a report later when the system is short of memory (%s), however often',
  (by) => {
    const starved = { end: 'memory_shortage', by } as const;
    expect([1, 3, 7].map((tries) => toOutcome(starved, { tries }, signal))).toEqual([
      'memory_shortage',
      'memory_shortage',
      'memory_shortage',
    ]);
  },
);

it('tries a report later that crashed its process, twice', () => {
  expect([1, 2, 3].map((tries) => toOutcome({ end: 'died' }, { tries }, signal))).toEqual([
    'later',
    'later',
    FAILED,
  ]);
});
