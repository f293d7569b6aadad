import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import type { StoredSource } from '../../wearables/wearables.ts';
import { createMergedSumAccumulator } from './merged-sums.ts';

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
  const merged = createMergedSumAccumulator(
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

it('counts what two devices measured at the same time once', () => {
  const sums = hours([
    [watch, 0, HOUR, 600],
    [phone, 0, 2 * HOUR, 1000],
  ]);
  expect(sums).toEqual({ 0: 600, 1: 500 });
});

it('splits an interval at midnight, and what covers it too', () => {
  const sums = hours([
    [phone, DAY - HOUR, DAY + HOUR, 1000],
    [watch, DAY - 30 * MINUTE, DAY + 30 * MINUTE, 60],
  ]);
  expect(sums).toEqual({ 23: 280, 24: 280 });
});

it('skips days without data, and continues to the end of a long interval', () => {
  const sums = hours([
    [watch, 0, HOUR, 5],
    [watch, 400.5 * DAY, 401.5 * DAY, 24],
  ]);
  expect(sums[0]).toBe(5);
  expect(sums[401 * 24 + 11]).toBeCloseTo(1);
  expect(Object.values(sums).reduce((sum, one) => sum + one, 0)).toBeCloseTo(29);
});

it('keeps the offset of each part on the day when the clock is set back', () => {
  const parts: [number, number | null][] = [];
  const merged = createMergedSumAccumulator(
    { resource: 'steps', isByMinute: false },
    (sources) => sources,
    ({ at, offset }) => parts.push([at / HOUR, offset]),
  );
  const at = (hour: number, offset: number | null) =>
    merged.add(watch, { ...counted(hour * HOUR, (hour + 0.25) * HOUR, 10), offset });
  at(4, -14_400);
  at(5, null);
  at(6, -18_000);
  merged.finish();
  expect(parts).toEqual([
    [4, -14_400],
    [5, null],
    [6, -18_000],
  ]);
});

/** A row of numbers that looks like chance and is the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const sources = [watch, phone, source(3)];
/** The clock is set back in the middle of the second day. */
const BACK = DAY + 6 * HOUR;
const offsetAt = (moment: number) => (moment < BACK ? -14_400 : -18_000);

interface WalkedInterval {
  readonly from: StoredSource;
  readonly at: number;
  readonly until: number;
  readonly value: number;
}

function walksOf(seed: number): WalkedInterval[] {
  const below = chance(seed);
  return Array.from({ length: 60 }, () => {
    const at = below(4 * 24 * 60) * MINUTE;
    const until = at + (1 + below([15, 60, 600][below(3)] ?? 1)) * MINUTE;
    const from = sources[below(3)] ?? watch;
    return { from, at, until: at < BACK ? Math.min(until, BACK) : until, value: below(4) * below(100) };
  }).toSorted((one, other) => one.at - other.at);
}

/** A naive reference implementation: for each minute, the first source that counted something. */
function minuteByMinute(walks: readonly WalkedInterval[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (let minute = 0; minute < 5 * DAY; minute += MINUTE) {
    const there = walks.filter(({ at, until, value }) => at <= minute && minute < until && value > 0);
    const first = sources.find((one) => there.some(({ from }) => from === one));
    const shown = `${Math.floor(minute / HOUR)} at ${offsetAt(minute)}`;
    for (const { at, until, value } of there.filter(({ from }) => from === first))
      sums.set(shown, (sums.get(shown) ?? 0) + value / ((until - at) / MINUTE));
  }
  return sums;
}

it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
  'matches a minute-by-minute count of random walks: seed %i',
  (seed) => {
    const walks = walksOf(seed);
    const sums = new Map<string, number>();
    const merged = createMergedSumAccumulator(
      { resource: 'steps', isByMinute: false },
      (some) => some.toSorted((one, other) => one.id - other.id),
      ({ at, amount, offset }) => {
        const shown = `${Math.floor(at / HOUR)} at ${offset}`;
        if (amount > 0) sums.set(shown, (sums.get(shown) ?? 0) + amount);
      },
    );
    for (const { from, at, until, value } of walks)
      merged.add(from, { ...counted(at, until, value), offset: offsetAt(at) });
    merged.finish();
    const expected = minuteByMinute(walks);
    expect([...sums.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
    for (const [shown, amount] of expected) expect(sums.get(shown)).toBeCloseTo(amount, 6);
  },
);
