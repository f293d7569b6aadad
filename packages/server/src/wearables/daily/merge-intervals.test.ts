import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeIntervals, type AmountInterval, type SourceLayer } from './merge-intervals.ts';

const DAY = [0, 1440];

/** `from-until amount`, in minutes; one number for an instant. */
const intervals = (...texts: string[]): AmountInterval[] =>
  texts.map((text) => {
    const [, from = '', until = from, amount = ''] = /^(\d+)(?:-(\d+))? (\d+)$/.exec(text) ?? [];
    return { from: Number(from), until: Number(until), amount: Number(amount) };
  });

interface MergeCase {
  what: string;
  watch: string[];
  phone: string[];
  amounts: [watch: number, phone: number];
  covered: [watch: number, phone: number];
}

// The cases of docs/explanation/daily-totals.md, in its order.
// prettier-ignore
const rows: MergeCase[] = [
  { what: 'two that overlap partly',                watch: ['0-60 600'],             phone: ['30-90 300'],           amounts: [600, 150], covered: [60, 30] },
  { what: 'a gap that the other fills',             watch: ['0-20 200', '40-60 200'], phone: ['0-60 540'],           amounts: [400, 180], covered: [40, 20] },
  { what: 'a gap of several small samples',         watch: ['0-20 200', '40-60 200'], phone: ['20-30 70', '30-40 50', '40-50 90'], amounts: [400, 120], covered: [40, 20] },
  { what: 'equal times',                            watch: ['0-15 100'],             phone: ['0-15 120'],            amounts: [100, 0],   covered: [15, 0] },
  { what: 'one inside the other',                   watch: ['20-30 80'],             phone: ['0-60 300'],            amounts: [80, 250],  covered: [10, 50] },
  { what: 'a watch on its charger that says 0',     watch: ['0-60 0'],               phone: ['0-30 300'],            amounts: [0, 300],   covered: [30, 30] },
  { what: 'times that only touch',                  watch: ['0-30 100'],             phone: ['30-60 100'],           amounts: [100, 100], covered: [30, 30] },
  { what: 'a moment that nobody covers',            watch: ['0-30 100'],             phone: ['30 7'],                amounts: [100, 7],   covered: [30, 0] },
  { what: 'a moment within a covered time',         watch: ['0-30 100'],             phone: ['10 7'],                amounts: [100, 0],   covered: [30, 0] },
  { what: 'the same moment twice',                  watch: ['10 5'],                 phone: ['10 7'],                amounts: [5, 0],     covered: [0, 0] },
  { what: 'a moment takes nothing from a time',     watch: ['10 5'],                 phone: ['0-30 60'],             amounts: [5, 60],    covered: [0, 30] },
  { what: 'samples of one source, which are added', watch: ['0-30 100', '20-50 60'], phone: [],                      amounts: [160, 0],   covered: [50, 0] },
  { what: 'what began on the day before',           watch: [],                       phone: ['1410-1470 60'],        amounts: [0, 30],    covered: [0, 30] },
];

describe('two sources, the watch first', () => {
  it.each(rows)('$what', ({ watch, phone, amounts, covered }) => {
    const merged = mergeIntervals(
      [
        { source: 'watch', intervals: intervals(...watch) },
        { source: 'phone', intervals: intervals(...phone) },
      ],
      DAY,
    );
    expect(merged.contributions.map(({ source }) => source)).toEqual(['watch', 'phone']);
    expect(merged.contributions.map(({ amount }) => amount)).toEqual(amounts);
    expect(merged.contributions.map(({ coveredMs }) => coveredMs)).toEqual(covered);
    expect(merged.total).toBe(amounts[0] + amounts[1]);
    expect(merged.coveredMs).toBe(covered[0] + covered[1]);
  });

  it('are split into the requested buckets in proportion', () => {
    const layers = [
      { source: 'watch', intervals: intervals('50-70 20') },
      { source: 'phone', intervals: intervals('0-120 120', '60 9', '120 9') },
    ];
    const { contributions, total } = mergeIntervals(layers, [0, 60, 120]);
    expect(contributions.map(({ amounts }) => amounts)).toEqual([
      [10, 10],
      [50, 50],
    ]);
    expect(contributions.map(({ covered }) => covered)).toEqual([
      [10, 10],
      [50, 50],
    ]);
    expect(total).toBe(120);
  });

  it('give nothing without buckets', () => {
    expect(mergeIntervals([{ source: 'watch', intervals: intervals('0-60 60') }], [])).toMatchObject({
      total: 0,
      coveredMs: 0,
    });
    expect(mergeIntervals([], DAY)).toEqual({ total: 0, coveredMs: 0, contributions: [] });
  });
});

describe('the merged total of any sources', () => {
  const MINUTES = 240;
  const interval = fc
    .tuple(fc.nat(MINUTES), fc.nat(60), fc.oneof(fc.constant(0), fc.nat(1000)))
    .map(([from, length, amount]): AmountInterval => ({ from, until: from + length, amount }));
  const layer = fc.array(interval, { maxLength: 12 });
  const sources = fc.array(layer, { maxLength: 4 });
  const edges = fc
    .uniqueArray(fc.nat(MINUTES + 80), { minLength: 2, maxLength: 8 })
    .map((list) => list.toSorted((one, other) => one - other));
  const everything = [0, MINUTES + 61];
  const named = (lists: readonly (readonly AmountInterval[])[]): SourceLayer<number>[] =>
    lists.map((list, source) => ({ source, intervals: list }));
  const totalOf = (lists: readonly (readonly AmountInterval[])[], cuts = everything) =>
    mergeIntervals(named(lists), cuts).total;
  /** Up to floating-point noise. */
  const HAIR = 1e-6;

  it('is never more than the sum of all', () => {
    fc.assert(
      fc.property(sources, edges, (lists, cuts) => {
        expect(totalOf(lists, cuts)).toBeLessThanOrEqual(
          lists.reduce((sum, list) => sum + totalOf([list], cuts), 0) + HAIR,
        );
        const said = lists.flat().reduce((sum, { amount }) => sum + amount, 0);
        expect(totalOf(lists)).toBeLessThanOrEqual(said + HAIR);
      }),
    );
  });

  it('is never less than the first source alone, which gives all that it counted', () => {
    fc.assert(
      fc.property(layer, sources, (first, others) => {
        const merged = mergeIntervals(named([first, ...others]), everything);
        const alone = first.reduce((sum, { amount }) => sum + amount, 0);
        expect(merged.contributions[0]?.amount).toBeCloseTo(alone, 6);
        expect(merged.total).toBeGreaterThanOrEqual(alone - HAIR);
      }),
    );
  });

  it('does not shrink when a source is added at the end', () => {
    fc.assert(
      fc.property(sources, layer, edges, (lists, another, cuts) => {
        expect(totalOf([...lists, another], cuts)).toBeGreaterThanOrEqual(totalOf(lists, cuts) - HAIR);
      }),
    );
  });

  it('includes all of a source that overlaps no other, in any position', () => {
    fc.assert(
      fc.property(sources, fc.nat(4), layer, (lists, place, another) => {
        const later = another.map(({ from, until, amount }) => ({
          from: from + 1000,
          until: until + 1000,
          amount,
        }));
        const all = [0, 3000];
        expect(totalOf([...lists.slice(0, place), later, ...lists.slice(place)], all)).toBeCloseTo(
          totalOf(lists, all) + totalOf([later], all),
          6,
        );
      }),
    );
  });

  it('does not depend on the order of samples', () => {
    fc.assert(
      fc.property(sources, edges, fc.func(fc.nat()), (lists, cuts, place) => {
        const shuffled = lists.map((list) => list.toSorted((one, other) => place(one) - place(other)));
        const [one, other] = [mergeIntervals(named(lists), cuts), mergeIntervals(named(shuffled), cuts)];
        expect(other.coveredMs).toBe(one.coveredMs);
        one.contributions.forEach(({ amount }, index) =>
          expect(other.contributions[index]?.amount).toBeCloseTo(amount, 6),
        );
      }),
    );
  });

  it('is the sum of its buckets, for any buckets', () => {
    fc.assert(
      fc.property(sources, edges, (lists, cuts) => {
        const fine = mergeIntervals(named(lists), cuts);
        const coarse = mergeIntervals(named(lists), [cuts[0] ?? 0, cuts.at(-1) ?? 0]);
        expect(fine.total).toBeCloseTo(coarse.total, 6);
        expect(fine.coveredMs).toBe(coarse.coveredMs);
      }),
    );
  });

  it('equals a minute-by-minute count', () => {
    fc.assert(
      fc.property(sources, (lists) => {
        const counted = lists.map((list) => list.filter(({ amount }) => amount > 0));
        let total = 0;
        const taken = new Set<number>();
        for (const list of counted) {
          for (const { from, until, amount } of list) {
            const minutes = Array.from({ length: until - from }, (_, minute) => from + minute);
            const free = minutes.filter((minute) => !taken.has(minute)).length;
            if (minutes.length > 0) total += (amount * free) / minutes.length;
            else if (!taken.has(from) && !taken.has(-1 - from)) total += amount;
          }
          for (const { from, until } of list) {
            if (from === until) taken.add(-1 - from);
            for (let minute = from; minute < until; minute += 1) taken.add(minute);
          }
        }
        expect(totalOf(lists)).toBeCloseTo(total, 6);
      }),
    );
  });
});
