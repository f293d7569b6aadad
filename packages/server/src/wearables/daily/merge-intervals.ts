/** An amount counted over an interval: steps, meters, kilocalories. Timestamps are milliseconds since 1970. */
export interface AmountInterval {
  readonly from: number;
  /** The exclusive end; equal to `from` for an instantaneous amount. */
  readonly until: number;
  readonly amount: number;
}

/** The intervals of one source, in any order. `source` is opaque. */
export interface SourceLayer<S> {
  readonly source: S;
  readonly intervals: readonly AmountInterval[];
}

/** What a source contributed to the total. */
export interface SourceContribution<S> {
  readonly source: S;
  readonly amount: number;
  /** The time for which this source was the one that counted. */
  readonly coveredMs: number;
  /** Per bucket, like the lists below. */
  readonly amounts: readonly number[];
  readonly covered: readonly number[];
  /** The number of instantaneous amounts that counted, including zeros: they cover no time but are reported. */
  readonly moments: readonly number[];
}

export interface MergedIntervals<S> {
  readonly total: number;
  /** The time covered by any source. */
  readonly coveredMs: number;
  /** One per layer, in the order of the layers, including empty ones. */
  readonly contributions: readonly SourceContribution<S>[];
}

/**
 * Merges the amounts of several sources without double counting. At every instant, the first layer with a positive
 * amount counts; an interval of a later layer contributes in proportion to the part that no earlier layer covers.
 * docs/explanation/daily-totals.md illustrates the rule.
 *
 * `layers`: one per source, in the order of `sortByPriority`. `edges`: the ascending edges of the buckets, n + 1 for n
 * buckets of any length (`listHourEdges` has those of a local day). Intervals are clipped to the edges in proportion,
 * so also read the day before the first edge. The sum of `contributions[i].amounts[b]` over i is the total of bucket b.
 * O(n log n) in the number of intervals.
 */
export function mergeIntervals<S>(
  layers: readonly SourceLayer<S>[],
  edges: readonly number[],
): MergedIntervals<S> {
  const slots = Math.max(0, edges.length - 1);
  const sums = layers.map(() => ({ amounts: zeros(slots), covered: zeros(slots), moments: zeros(slots) }));
  let claimed = addCoverage(NO_TIME, []);
  // Positive amounts first: a zero may come from a device that was not worn, and must not hide another's count.
  for (const counted of [true, false]) {
    layers.forEach(({ intervals }, index) => {
      const own = intervals
        .filter(({ amount }) => (counted ? amount > 0 && Number.isFinite(amount) : amount === 0))
        .toSorted((one, other) => one.from - other.from);
      const sum = sums[index];
      if (!sum || own.length === 0) return;
      const after = addCoverage(claimed, own);
      addAmounts(sum, { intervals: own, claimed, edges });
      forEachBucket(edges, rangeOf(edges), (bucket, from, until) => {
        sum.covered[bucket] =
          at(sum.covered, bucket) + coveredWithin(after, from, until) - coveredWithin(claimed, from, until);
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

interface MergeRange {
  readonly from: number;
  readonly until: number;
}

interface MergeInput {
  readonly intervals: readonly AmountInterval[];
  readonly claimed: CoveredTime;
  readonly edges: readonly number[];
}

interface BucketSums {
  readonly amounts: number[];
  readonly moments: number[];
}

function addAmounts({ amounts, moments }: BucketSums, { intervals, claimed, edges }: MergeInput): void {
  const whole = rangeOf(edges);
  for (const interval of intervals) {
    const { from, until, amount } = interval;
    if (until <= from) {
      if (from < whole.from || from >= whole.until || isCovered(claimed, from)) continue;
      const bucket = upperBound(edges, from) - 1;
      amounts[bucket] = at(amounts, bucket) + amount;
      moments[bucket] = at(moments, bucket) + 1;
      continue;
    }
    forEachBucket(edges, interval, (bucket, start, end) => {
      const free = end - start - coveredWithin(claimed, start, end);
      amounts[bucket] = at(amounts, bucket) + amount * (free / (until - from));
    });
  }
}

/** Calls back for each bucket that overlaps the range, with the overlap. */
function forEachBucket(
  edges: readonly number[],
  span: MergeRange,
  call: (bucket: number, from: number, until: number) => void,
): void {
  for (let bucket = Math.max(0, upperBound(edges, span.from) - 1); bucket + 1 < edges.length; bucket += 1) {
    const from = Math.max(span.from, at(edges, bucket));
    const until = Math.min(span.until, at(edges, bucket + 1));
    if (from >= span.until) return;
    if (until > from) call(bucket, from, until);
  }
}

/** Time that is already counted: disjoint sorted intervals, and instants. */
interface CoveredTime {
  readonly froms: readonly number[];
  readonly untils: readonly number[];
  /** The total length of all intervals before this one. */
  readonly before: readonly number[];
  readonly moments: ReadonlySet<number>;
}

const NO_TIME: CoveredTime = { froms: [], untils: [], before: [], moments: new Set() };

/** The union of the covered time and these intervals, which are sorted by start. */
function addCoverage(claimed: CoveredTime, intervals: readonly AmountInterval[]): CoveredTime {
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

const coveredWithin = (claimed: CoveredTime, from: number, until: number): number =>
  coveredBefore(claimed, until) - coveredBefore(claimed, from);

function coveredBefore({ froms, untils, before }: CoveredTime, moment: number): number {
  const index = upperBound(froms, moment) - 1;
  if (index < 0) return 0;
  return at(before, index) + Math.min(moment, at(untils, index)) - at(froms, index);
}

function isCovered({ froms, untils, moments }: CoveredTime, moment: number): boolean {
  const index = upperBound(froms, moment) - 1;
  return (index >= 0 && moment < at(untils, index)) || moments.has(moment);
}

/** The index of the first element greater than `value`. O(log n). */
function upperBound(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(sorted, middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const at = (list: readonly number[], index: number): number => list[index] ?? 0;
const rangeOf = (edges: readonly number[]): MergeRange => ({ from: edges[0] ?? 0, until: edges.at(-1) ?? 0 });
const zeros = (length: number): number[] => Array.from({ length }, () => 0);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
