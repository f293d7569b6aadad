import { describe, expect, test } from 'vitest';
import { describeDuration, secondsLeft } from './time-left.ts';

const step = (name: string, expectedSeconds?: number) =>
  expectedSeconds === undefined ? { name } : { name, expectedSeconds };

describe('secondsLeft', () => {
  test('is what is expected before anything has been measured', () => {
    const remaining = [step('a', 20), step('b', 40)];
    expect(secondsLeft({ ended: [], current: undefined, remaining })).toBe(60);
  });

  test('is unknown before the first step has ended when nothing is expected', () => {
    const current = { step: step('a'), seconds: 3, secondsLeft: undefined };
    expect(secondsLeft({ ended: [], current, remaining: [step('b')] })).toBeUndefined();
  });

  test('takes the mean of the steps that have ended when nothing is expected', () => {
    const ended = [
      { step: step('a'), seconds: 2 },
      { step: step('b'), seconds: 4 },
    ];
    const current = { step: step('c'), seconds: 1, secondsLeft: undefined };
    expect(secondsLeft({ ended, current, remaining: [step('d'), step('e')] })).toBe(2 + 6);
  });

  test('grows with the steps that took longer than expected, but one short step does not decide', () => {
    const plan = { current: undefined, remaining: [step('long', 90)] };
    const left = secondsLeft({ ended: [{ step: step('short', 10), seconds: 20 }], ...plan }) ?? 0;
    expect(left).toBeGreaterThan(90);
    expect(left).toBeLessThan(180);
  });

  test('never falls below zero for a step that takes longer than expected', () => {
    const current = { step: step('a', 10), seconds: 25, secondsLeft: undefined };
    expect(secondsLeft({ ended: [], current, remaining: [] })).toBe(0);
  });

  test('takes the rest of the current step from the pace of its parts', () => {
    const current = { step: step('a', 10), seconds: 30, secondsLeft: 90 };
    expect(secondsLeft({ ended: [], current, remaining: [step('b', 5)] })).toBe(90 + 5);
  });

  test('knows the rest of the only step by its parts alone', () => {
    const current = { step: step('a'), seconds: 30, secondsLeft: 30 };
    expect(secondsLeft({ ended: [], current, remaining: [] })).toBe(30);
  });
});

describe('describeDuration', () => {
  test.each([
    [0, '0 s'],
    [44.6, '45 s'],
    [60, '1 min'],
    [135, '2 min 15 s'],
    [599.9, '10 min'],
    [754, '12 min'],
    [3600, '1 h'],
    [3905, '1 h 5 min'],
  ])('says %d as %s', (seconds, text) => {
    expect(describeDuration(seconds)).toBe(text);
  });
});
