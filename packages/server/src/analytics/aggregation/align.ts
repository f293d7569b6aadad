import { invalidQuery } from './columns.ts';
import { compareByKeys, ROWS_MAX, type ResultGroup } from './engine.ts';
import type { AlignExpression } from './schema.ts';
import { subtractPeriod, nextBucketStart, truncateToBucket, type BucketPeriod } from './local-time.ts';
import type { QueryPlan } from './plan.ts';

/** A half-open interval of the user's local time, in milliseconds: `to` is excluded. */
export interface LocalTimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns a row for every bucket of the range, for each combination of the other keys. An empty bucket gets the values
 * of the bucket that is carried to it, or nulls if none is near enough.
 */
export function alignGroups(
  plan: QueryPlan,
  groups: readonly ResultGroup[],
  range: LocalTimeRange,
): ResultGroup[] {
  const { align, bucket, loc } = plan;
  if (!align || !bucket) return [...groups];
  const starts = listBucketStarts(range, bucket.period);
  const series = groupIntoSeries(groups, bucket.place);
  // With only a date_trunc key, emit empty buckets even for users without data.
  if (series.length === 0 && plan.keys.length === 1) series.push(new Map());
  if (starts.length * series.length > ROWS_MAX) {
    throw invalidQuery(
      [...loc, 'align'],
      `the result would have more than ${ROWS_MAX} rows: use a shorter timeframe or longer periods`,
    );
  }
  const nulls = plan.aggregates.map(() => null);
  const filled = series.flatMap((rows) => fillSeries(rows, starts, { align, place: bucket.place, nulls }));
  return filled.toSorted(compareByKeys);
}

function listBucketStarts({ from, to }: LocalTimeRange, period: BucketPeriod): number[] {
  const starts: number[] = [];
  // One bucket more than the limit is enough to reject the query.
  for (let start = truncateToBucket(from, period); start < to && starts.length <= ROWS_MAX;) {
    starts.push(start);
    start = nextBucketStart(start, period);
  }
  return starts;
}

function groupIntoSeries(groups: readonly ResultGroup[], place: number): Map<number, ResultGroup>[] {
  const series = new Map<string, Map<number, ResultGroup>>();
  for (const group of groups) {
    const start = group.keys[place];
    if (typeof start !== 'number') continue;
    const name = JSON.stringify(group.keys.toSpliced(place, 1));
    const rows = series.get(name);
    if (rows) rows.set(start, group);
    else series.set(name, new Map([[start, group]]));
  }
  return [...series.values()];
}

function fillSeries(
  rows: ReadonlyMap<number, ResultGroup>,
  starts: readonly number[],
  { align, place, nulls }: { align: AlignExpression; place: number; nulls: readonly null[] },
): ResultGroup[] {
  const [past, next] = [findCarriedBuckets(rows, starts), findCarriedBuckets(rows, starts.toReversed())];
  const [some] = rows.values();
  return starts.map((start) => {
    const own = rows.get(start);
    if (own) return own;
    const from = chooseCarriedBucket(align, { start, past: past.get(start), next: next.get(start) });
    const keys = some ? some.keys.with(place, start) : [start];
    return { keys, values: (from === undefined ? undefined : rows.get(from)?.values) ?? nulls };
  });
}

/** For each start, the last bucket with data at or before it in the order of `starts`. */
function findCarriedBuckets(
  rows: ReadonlyMap<number, ResultGroup>,
  starts: readonly number[],
): Map<number, number> {
  const found = new Map<number, number>();
  let last: number | undefined;
  for (const start of starts) {
    if (rows.has(start)) last = start;
    if (last !== undefined) found.set(start, last);
  }
  return found;
}

interface CarryCandidates {
  readonly start: number;
  readonly past: number | undefined;
  readonly next: number | undefined;
}

function chooseCarriedBucket(
  { carry }: AlignExpression,
  { start, past, next }: CarryCandidates,
): number | undefined {
  const limit = carry.mode === 'carry_nearest' ? carry.span : carry.max_age;
  const isNear = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined && (!limit || one >= subtractPeriod(other, limit));
  const fromPast = isNear(past, start) ? past : undefined;
  const fromNext = isNear(start, next) ? next : undefined;
  if (carry.mode === 'carry_forward') return fromPast;
  if (carry.mode === 'carry_backward') return fromNext;
  if (fromPast === undefined || fromNext === undefined) return fromPast ?? fromNext;
  return start - fromPast <= fromNext - start ? fromPast : fromNext;
}
