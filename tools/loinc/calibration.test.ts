import { expect, test } from 'vitest';
import {
  LOGISTIC_COEFFICIENTS,
  estimateConfidence,
} from '../../packages/report-reader/src/coding/confidence.ts';
import { sampleAnswers, accuracyByBand } from './calibration.ts';

// A different seed from calibrate.ts: other unknown analytes, other names, other corruptions.
const answers = sampleAnswers(2, 1_500);

test('at least nine in ten codings with a confidence of 0.9 are right', () => {
  const sure = answers.filter((answer) => estimateConfidence(answer) >= 0.9);
  expect(sure.length).toBeGreaterThan(answers.length * 0.5);
  expect(sure.filter(({ isRight }) => isRight).length / sure.length).toBeGreaterThanOrEqual(0.93);
});

test('codings with a lower confidence are less often right', () => {
  const bands = accuracyByBand(answers, LOGISTIC_COEFFICIENTS);
  const share = (from: number, to: number): number => {
    const some = bands.filter((band) => band.from >= from && band.from < to);
    const count = some.reduce((sum, band) => sum + band.count, 0);
    return some.reduce((sum, band) => sum + band.count * band.right, 0) / Math.max(1, count);
  };
  expect(share(0, 0.45)).toBeLessThan(0.5);
  expect(share(0.45, 0.85)).toBeGreaterThan(0.5);
  expect(share(0.45, 0.85)).toBeLessThan(share(0.85, 1));
});
