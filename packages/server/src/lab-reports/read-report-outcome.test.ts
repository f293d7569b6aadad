import { expect, it } from 'vitest';
import { toOutcome } from './read-report.ts';

const { signal } = new AbortController();
const FAILED = { failed: 'processing_error' };

it('tries a report again that ran out of time, twice', () => {
  const late = { end: 'limit', of: 'time' } as const;
  expect([1, 2, 3].map((tries) => toOutcome(late, { tries }, signal))).toEqual(['again', 'again', FAILED]);
});

it('does not try a report again that needs too much memory', () => {
  expect(toOutcome({ end: 'limit', of: 'memory' }, { tries: 1 }, signal)).toEqual(FAILED);
});
