import { describe, expect, it } from 'vitest';
import { countDuration, quantileOf } from './duration-histogram.ts';

const countsOf = (durations: readonly number[]): number[] => {
  const counts: number[] = [];
  for (const duration of durations) countDuration(counts, duration);
  return counts;
};

describe('a histogram of durations', () => {
  it('knows no quantile without durations', () => {
    expect(quantileOf([], 0.5)).toBeNull();
    expect(quantileOf([0, 0], 0.95)).toBeNull();
  });

  it('estimates quantiles within the factor of a step', () => {
    const durations = Array.from({ length: 5000 }, (_, n) => 1 + ((n * 7919) % 5000) ** 1.5 / 40);
    const sorted = durations.toSorted((a, b) => a - b);
    const counts = countsOf(durations);
    for (const share of [0.1, 0.5, 0.9, 0.95, 0.99]) {
      const exact = sorted[Math.floor(sorted.length * share)] ?? 0;
      const estimate = quantileOf(counts, share) ?? 0;
      expect(estimate / exact).toBeGreaterThan(0.7);
      expect(estimate / exact).toBeLessThan(1.42);
    }
  });

  it('takes durations of zero and of years', () => {
    expect(quantileOf(countsOf([0, 0, 0]), 0.95)).toBe(1);
    const counts = countsOf([3e11]);
    expect(counts.length).toBeLessThan(64);
    expect(quantileOf(counts, 0.5)).toBeGreaterThan(5e8);
  });
});
