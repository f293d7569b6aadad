import { expect, it } from 'vitest';
import { readOutcome } from './outcome.ts';

it('reads the number of passed tests, and the failed tests with their errors', () => {
  const log = `noise
failed: src/a.test.ts > adds
  expected 1 to be 2
  at src/a.test.ts:3
failed: outside of any test
  late query

7 passed, 1 failed, 0 skipped
`;
  expect(readOutcome(log, 1)).toEqual({
    ok: false,
    passed: 7,
    failures: [
      { name: 'src/a.test.ts > adds', why: ['expected 1 to be 2', 'at src/a.test.ts:3'] },
      { name: 'outside of any test', why: ['late query'] },
    ],
  });
});

it('accepts a run in which all tests passed', () => {
  expect(readOutcome('\n9 passed, 0 failed, 1 skipped\n', 0)).toEqual({ ok: true, passed: 9, failures: [] });
});

it('treats a run that ended before its summary as a failure', () => {
  const { ok, failures } = readOutcome('so far\nSegmentation fault\n', null);
  expect(ok).toBe(false);
  expect(failures).toEqual([
    { name: 'the run itself (exit code null)', why: ['so far', 'Segmentation fault'] },
  ]);
});
