import { refused } from './columns.ts';
import { byKeys, ROWS_MAX, type Group } from './engine.ts';
import type { Align } from './schema.ts';
import { before, bucketAfter, truncated, type Period } from './local-time.ts';
import type { Plan } from './plan.ts';

/** On the user's wall; `to` is the first moment that is not wanted. */
export interface WallRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A row for every bucket of the range, for each combination of the other keys: what is empty has the values of the row
 * that is carried to it, or nulls where none is near enough.
 */
export function aligned(plan: Plan, groups: readonly Group[], range: WallRange): Group[] {
  const { align, bucket, loc } = plan;
  if (!align || !bucket) return [...groups];
  const starts = bucketsOf(range, bucket.period);
  const series = seriesOf(groups, bucket.place);
  // Where time alone makes the rows, they are there for who has nothing at all, too.
  if (series.length === 0 && plan.keys.length === 1) series.push(new Map());
  if (starts.length * series.length > ROWS_MAX) {
    throw refused([...loc, 'align'], `the answer would have more than ${ROWS_MAX} rows`);
  }
  const nulls = plan.aggregates.map(() => null);
  const filled = series.flatMap((rows) => fill(rows, starts, { align, place: bucket.place, nulls }));
  return filled.toSorted(byKeys);
}

function bucketsOf({ from, to }: WallRange, period: Period): number[] {
  const starts: number[] = [];
  // One more than is allowed is enough to refuse them.
  for (let start = truncated(from, period); start < to && starts.length <= ROWS_MAX;) {
    starts.push(start);
    start = bucketAfter(start, period);
  }
  return starts;
}

function seriesOf(groups: readonly Group[], place: number): Map<number, Group>[] {
  const series = new Map<string, Map<number, Group>>();
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

function fill(
  rows: ReadonlyMap<number, Group>,
  starts: readonly number[],
  { align, place, nulls }: { align: Align; place: number; nulls: readonly null[] },
): Group[] {
  const [past, next] = [carried(rows, starts), carried(rows, starts.toReversed())];
  const [some] = rows.values();
  return starts.map((start) => {
    const own = rows.get(start);
    if (own) return own;
    const from = chosen(align, { start, past: past.get(start), next: next.get(start) });
    const keys = some ? some.keys.with(place, start) : [start];
    return { keys, values: (from === undefined ? undefined : rows.get(from)?.values) ?? nulls };
  });
}

/** For each start the last full bucket that was met on the way to it. */
function carried(rows: ReadonlyMap<number, Group>, starts: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  let last: number | undefined;
  for (const start of starts) {
    if (rows.has(start)) last = start;
    if (last !== undefined) found.set(start, last);
  }
  return found;
}

interface Near {
  readonly start: number;
  readonly past: number | undefined;
  readonly next: number | undefined;
}

function chosen({ carry }: Align, { start, past, next }: Near): number | undefined {
  const limit = carry.mode === 'carry_nearest' ? carry.span : carry.max_age;
  const isNear = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined && (!limit || one >= before(other, limit));
  const fromPast = isNear(past, start) ? past : undefined;
  const fromNext = isNear(start, next) ? next : undefined;
  if (carry.mode === 'carry_forward') return fromPast;
  if (carry.mode === 'carry_backward') return fromNext;
  if (fromPast === undefined || fromNext === undefined) return fromPast ?? fromNext;
  return start - fromPast <= fromNext - start ? fromPast : fromNext;
}
