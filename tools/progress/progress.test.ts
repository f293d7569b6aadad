import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openProgress, type ProgressOptions } from './progress.ts';

const STEPS = [
  { name: 'load', expectedSeconds: 20 },
  { name: 'measure', expectedSeconds: 60 },
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function openWritten(isTTY: boolean, options: ProgressOptions = {}) {
  let written = '';
  const output = { isTTY, columns: 60, write: (text: string) => (written += text) };
  return { progress: openProgress(STEPS, { output, ...options }), written: () => written };
}

describe('without a terminal', () => {
  test('announces every step with its number and the time left', () => {
    const { progress, written } = openWritten(false);
    progress.begin('load');
    vi.advanceTimersByTime(20_000);
    progress.begin('measure');
    vi.advanceTimersByTime(10_000);
    expect(progress.close()).toBe(30);
    expect(written()).toBe(
      '[1/2] load, about 20 s; about 1 min 20 s left\n[2/2] measure, about 1 min; about 1 min left\n',
    );
  });

  test('reports a long step again, with how much of it is done', () => {
    const { progress, written } = openWritten(false, { announcesSteps: false });
    progress.begin('load');
    vi.advanceTimersByTime(21_000);
    progress.advance(0, 4);
    vi.advanceTimersByTime(9000);
    progress.advance(3, 4);
    vi.advanceTimersByTime(30_000);
    progress.close();
    vi.advanceTimersByTime(300_000);
    expect(written()).toBe(
      '[1/2] load: 30 s so far, 0 of 4; about 1 min left\n' +
        '[1/2] load: 1 min so far, 3 of 4; about 1 min 13 s left\n',
    );
  });

  test('reports while short steps follow each other that are not announced', () => {
    const { progress, written } = openWritten(false, { announcesSteps: false });
    progress.begin('load');
    vi.advanceTimersByTime(20_000);
    progress.begin('measure');
    vi.advanceTimersByTime(20_000);
    progress.close();
    expect(written()).toBe('[2/2] measure: 10 s so far; about 50 s left\n');
  });

  test('omits the time left when the last step takes longer than expected', () => {
    const { progress, written } = openWritten(false, { announcesSteps: false });
    progress.begin('measure');
    vi.advanceTimersByTime(90_000);
    progress.close();
    expect(written()).toContain('[2/2] measure: 1 min 30 s so far\n');
  });

  test('writes plain lines only', () => {
    const { progress, written } = openWritten(false);
    progress.begin('load');
    progress.print('a result');
    vi.advanceTimersByTime(60_000);
    progress.close();
    expect(written()).toMatch(/^a result$/m);
    expect(written().replaceAll('\n', '')).toMatch(/^[ -~]*$/);
  });
});

describe('on a terminal', () => {
  test('keeps a status line below the output and removes it at the end', () => {
    const { progress, written } = openWritten(true);
    progress.begin('load');
    vi.advanceTimersByTime(1000);
    expect(written().endsWith('\r\u001B[2K[1/2] load: 1 s so far; about 1 min 19 s left')).toBe(true);
    progress.print('a result');
    expect(written()).toContain('\r\u001B[2Ka result\n');
    progress.close();
    expect(written().endsWith('\r\u001B[2K')).toBe(true);
  });

  test('cuts the status line to the width of the terminal', () => {
    const { progress, written } = openWritten(true, { announcesSteps: false });
    progress.begin('measure');
    progress.advance(123_456_789, 987_654_321_000);
    vi.advanceTimersByTime(1000);
    progress.close();
    const lines = written().split('\r\u001B[2K');
    expect(Math.max(...lines.map((line) => line.length))).toBe(59);
  });
});

test('counts skipped steps as done', () => {
  const { progress, written } = openWritten(false);
  progress.begin('measure');
  progress.close();
  expect(written()).toBe('[2/2] measure, about 1 min; about 1 min left\n');
});

test('rejects a step that is unknown or already done', () => {
  const { progress } = openWritten(false);
  expect(() => progress.begin('rest')).toThrow('No step rest is ahead; there are load, measure');
  progress.begin('measure');
  expect(() => progress.begin('load')).toThrow('No step load is ahead');
  progress.close();
});

test('returns the duration of a step', () => {
  const { progress } = openWritten(false);
  progress.begin('load');
  vi.advanceTimersByTime(1500);
  expect(progress.end()).toBe(1.5);
  expect(progress.end()).toBe(0);
});
