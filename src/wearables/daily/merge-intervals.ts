/** An amount that was counted over a time: steps, meters, kilocalories. Moments are milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  /** The end, not counted in. Of what was counted at a moment: the same as `from`. */
  readonly until: number;
  readonly amount: number;
}

/** What one source says, in any order. `source` is whatever the caller knows it by. */
export interface Layer<S> {
  readonly source: S;
  readonly intervals: readonly Interval[];
}

/** What a source added to the whole. */
export interface Contribution<S> {
  readonly source: S;
  readonly amount: number;
  /** How long it was the one that counted. */
  readonly coveredMs: number;
  /** By bucket. */
  readonly amounts: readonly number[];
  readonly covered: readonly number[];
  /** How many moments without a duration counted, those of nothing too: they cover no time and are said all the same. */
  readonly moments: readonly number[];
}

export interface Merged<S> {
  readonly total: number;
  /** How long any source measured. */
  readonly coveredMs: number;
  /** One for each layer, in their order, those of nothing too. */
  readonly contributions: readonly Contribution<S>[];
}

/**
 * Amounts of several devices as one truth: at every instant that source counts which comes first of those that counted
 * something then; what a later one says of a longer time is taken by the part of it that nobody before it covers.
 * docs/daily-totals.md has the rule in pictures.
 *
 * To call it: one layer for each source (`readSamples` gives a group for each; `inPriority` of this folder puts them
 * in order), and the edges of the buckets that are asked for, ascending: n + 1 moments for n hours, days or weeks of
 * one length or another (`hoursOf` has those of a local day). What lies outside the edges is cut off by its part, so
 * read a day before the first edge as well. The sum of `contributions[i].amounts[b]` over i is the amount of bucket b.
 */
export function mergeIntervals<S>(layers: readonly Layer<S>[], edges: readonly number[]): Merged<S> {
  const slots = Math.max(0, edges.length - 1);
  const sums = layers.map(() => ({ amounts: zeros(slots), covered: zeros(slots), moments: zeros(slots) }));
  let claimed = claim(NOTHING, []);
  // A counter that lies on a table says 0, as one does that is worn at a desk. So who counted something comes first.
  for (const counted of [true, false]) {
    layers.forEach(({ intervals }, index) => {
      const own = intervals
        .filter(({ amount }) => (counted ? amount > 0 && Number.isFinite(amount) : amount === 0))
        .toSorted((one, other) => one.from - other.from);
      const sum = sums[index];
      if (!sum || own.length === 0) return;
      const after = claim(claimed, own);
      addAmounts(sum, { intervals: own, claimed, edges });
      eachBucket(edges, spanOf(edges), (bucket, from, until) => {
        sum.covered[bucket] =
          at(sum.covered, bucket) + measure(after, from, until) - measure(claimed, from, until);
      });
      claimed = after;
    });
  }
  const contributions = layers.map(({ source }, index) => {
    const sum = sums[index] ?? { amounts: [], covered: [], moments: [] };
    return { source, amount: sumOf(sum.amounts), coveredMs: sumOf(sum.covered), ...sum };
  });
  return {
    total: sumOf(contributions.map(({ amount }) => amount)),
    coveredMs: sumOf(contributions.map(({ coveredMs }) => coveredMs)),
    contributions,
  };
}

interface Span {
  readonly from: number;
  readonly until: number;
}

interface Adding {
  readonly intervals: readonly Interval[];
  readonly claimed: Claimed;
  readonly edges: readonly number[];
}

interface Sums {
  readonly amounts: number[];
  readonly moments: number[];
}

function addAmounts({ amounts, moments }: Sums, { intervals, claimed, edges }: Adding): void {
  const whole = spanOf(edges);
  for (const interval of intervals) {
    const { from, until, amount } = interval;
    if (until <= from) {
      if (from < whole.from || from >= whole.until || isClaimed(claimed, from)) continue;
      const bucket = indexAfter(edges, from) - 1;
      amounts[bucket] = at(amounts, bucket) + amount;
      moments[bucket] = at(moments, bucket) + 1;
      continue;
    }
    eachBucket(edges, interval, (bucket, start, end) => {
      const free = end - start - measure(claimed, start, end);
      amounts[bucket] = at(amounts, bucket) + amount * (free / (until - from));
    });
  }
}

/** Calls with each bucket that the span touches, and with the part of the span that lies in it. */
function eachBucket(
  edges: readonly number[],
  span: Span,
  call: (bucket: number, from: number, until: number) => void,
): void {
  for (let bucket = Math.max(0, indexAfter(edges, span.from) - 1); bucket + 1 < edges.length; bucket += 1) {
    const from = Math.max(span.from, at(edges, bucket));
    const until = Math.min(span.until, at(edges, bucket + 1));
    if (from >= span.until) return;
    if (until > from) call(bucket, from, until);
  }
}

/** Time that is taken: stretches that neither touch nor overlap, and moments. */
interface Claimed {
  readonly froms: readonly number[];
  readonly untils: readonly number[];
  /** How long all stretches before this one are together. */
  readonly before: readonly number[];
  readonly moments: ReadonlySet<number>;
}

const NOTHING: Claimed = { froms: [], untils: [], before: [], moments: new Set() };

/** What is taken when these, in the order of their starts, take what is theirs as well. */
function claim(claimed: Claimed, intervals: readonly Interval[]): Claimed {
  const froms: number[] = [];
  const untils: number[] = [];
  const before: number[] = [];
  const moments = new Set(claimed.moments);
  const take = (from: number, until: number) => {
    const last = untils.length - 1;
    if (last >= 0 && from <= at(untils, last)) {
      untils[last] = Math.max(at(untils, last), until);
      return;
    }
    before.push(last < 0 ? 0 : at(before, last) + at(untils, last) - at(froms, last));
    froms.push(from);
    untils.push(until);
  };
  let old = 0;
  for (const { from, until } of intervals) {
    for (; old < claimed.froms.length && at(claimed.froms, old) <= from; old += 1) {
      take(at(claimed.froms, old), at(claimed.untils, old));
    }
    if (until > from) take(from, until);
    else moments.add(from);
  }
  for (; old < claimed.froms.length; old += 1) take(at(claimed.froms, old), at(claimed.untils, old));
  return { froms, untils, before, moments };
}

const measure = (claimed: Claimed, from: number, until: number): number =>
  takenBefore(claimed, until) - takenBefore(claimed, from);

function takenBefore({ froms, untils, before }: Claimed, moment: number): number {
  const index = indexAfter(froms, moment) - 1;
  if (index < 0) return 0;
  return at(before, index) + Math.min(moment, at(untils, index)) - at(froms, index);
}

function isClaimed({ froms, untils, moments }: Claimed, moment: number): boolean {
  const index = indexAfter(froms, moment) - 1;
  return (index >= 0 && moment < at(untils, index)) || moments.has(moment);
}

/** The index of the first that is greater. */
function indexAfter(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(sorted, middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const at = (list: readonly number[], index: number): number => list[index] ?? 0;
const spanOf = (edges: readonly number[]): Span => ({ from: edges[0] ?? 0, until: edges.at(-1) ?? 0 });
const zeros = (length: number): number[] => Array.from({ length }, () => 0);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
