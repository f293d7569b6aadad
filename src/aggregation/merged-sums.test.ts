import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../platform/clock.ts';
import type { StoredSource } from '../wearables/wearables.ts';
import { openMergedSums } from './merged-sums.ts';

const source = (id: number): StoredSource => ({
  id,
  provider: `p${id}`,
  type: 'watch',
  appId: null,
  deviceId: null,
  workoutId: null,
  sport: null,
});
const [watch, phone] = [source(1), source(2)];
const counted = (at: number, until: number, value: number) => ({
  at,
  until,
  value,
  offset: 3600,
  type: null,
  more: null,
});

/** The amount by the hour since 1970. */
function hours(samples: [StoredSource, number, number, number][]): Record<number, number> {
  const sums: Record<number, number> = {};
  const merged = openMergedSums(
    { resource: 'steps', isByMinute: false },
    (sources) => sources.toSorted((one, other) => one.id - other.id),
    ({ at, amount, offset }) => {
      expect(offset).toBe(3600);
      const hour = Math.floor(at / HOUR);
      sums[hour] = (sums[hour] ?? 0) + amount;
    },
  );
  for (const [from, start, end, value] of samples) merged.add(from, counted(start, end, value));
  merged.finish();
  return sums;
}

it('counts what two devices counted at the same time once', () => {
  const sums = hours([
    [watch, 0, HOUR, 600],
    [phone, 0, 2 * HOUR, 1000],
  ]);
  expect(sums).toEqual({ 0: 600, 1: 500 });
});

it('splits what lasts over midnight, and what covers it there as well', () => {
  const sums = hours([
    [phone, DAY - HOUR, DAY + HOUR, 1000],
    [watch, DAY - 30 * MINUTE, DAY + 30 * MINUTE, 60],
  ]);
  expect(sums).toEqual({ 23: 280, 24: 280 });
});

it('leaps over days without anything, and goes on to the end of what lasts longer', () => {
  const sums = hours([
    [watch, 0, HOUR, 5],
    [watch, 400.5 * DAY, 401.5 * DAY, 24],
  ]);
  expect(sums[0]).toBe(5);
  expect(sums[401 * 24 + 11]).toBeCloseTo(1);
  expect(Object.values(sums).reduce((sum, one) => sum + one, 0)).toBeCloseTo(29);
});
