import { expect, test } from 'vitest';
import { CURVE, confidenceOf } from '../../src/lab-reports/coding/confidence.ts';
import { fittingSet, judge } from './calibration.ts';

// Another seed than calibrate.ts fits with: other analytes are unknown, other names, other misreadings.
const answers = fittingSet(2, 1_500);

test('of the answers that are said to be 0.9 sure, nine in ten are right', () => {
  const sure = answers.filter((answer) => confidenceOf(answer) >= 0.9);
  expect(sure.length).toBeGreaterThan(answers.length * 0.5);
  expect(sure.filter(({ isRight }) => isRight).length / sure.length).toBeGreaterThanOrEqual(0.93);
});

test('what is not said to be sure is less often right, step by step', () => {
  const bands = judge(answers, CURVE);
  const share = (from: number, to: number): number => {
    const some = bands.filter((band) => band.from >= from && band.from < to);
    const count = some.reduce((sum, band) => sum + band.count, 0);
    return some.reduce((sum, band) => sum + band.count * band.right, 0) / Math.max(1, count);
  };
  expect(share(0, 0.45)).toBeLessThan(0.5);
  expect(share(0.45, 0.85)).toBeGreaterThan(0.5);
  expect(share(0.45, 0.85)).toBeLessThan(share(0.85, 1));
});
