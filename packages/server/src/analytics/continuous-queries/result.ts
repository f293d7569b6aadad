import { z } from 'zod';
import {
  alignGroups,
  compareByKeys,
  nextBucketStart,
  type ResultGroup,
  type QueryPlan,
} from '../aggregation/aggregation.ts';

/** A stored result: its groups before alignment, and the context key that they were computed with. */
const ResultDocument = z.object({
  groups: z.array(
    z.object({
      keys: z.array(z.union([z.number(), z.string(), z.boolean(), z.null()])),
      values: z.array(z.union([z.number(), z.string(), z.boolean(), z.null()])),
    }),
  ),
  grounds: z.string().nullish(),
});

interface ContinuousQueryResult {
  readonly groups: readonly ResultGroup[];
  /** The key from `computeContextKey`; null for results stored before the key existed. */
  readonly grounds: string | null;
}

export function parseResult(document: string | undefined): ContinuousQueryResult {
  if (document === undefined) return { groups: [], grounds: null };
  const { groups, grounds = null } = ResultDocument.parse(JSON.parse(document));
  return { groups, grounds };
}

export const serializeResult = (result: ContinuousQueryResult): string => JSON.stringify(result);

interface RecomputedGroups {
  readonly groups: readonly ResultGroup[];
  /** Local time of the first bucket that was recomputed; older buckets keep their stored groups. */
  readonly from: number;
  /** Local time of the first bucket that is still retained. */
  readonly oldest: number;
}

/** Replaces the recomputed buckets, keeps the stored ones before them and drops those past retention. */
export function mergeRecomputed(
  { bucket }: QueryPlan,
  old: readonly ResultGroup[],
  { groups, from, oldest }: RecomputedGroups,
): ResultGroup[] {
  const kept = old.filter(({ keys }) => {
    const start = keys[bucket?.place ?? 0];
    return typeof start === 'number' && start < from && start >= oldest;
  });
  return [...kept, ...groups].toSorted(compareByKeys);
}

/** The rows of the result table: aligned from the first bucket with data to the last. */
export function toResultRows(plan: QueryPlan, groups: readonly ResultGroup[]): ResultGroup[] {
  const { bucket } = plan;
  if (!bucket || groups.length === 0) return [...groups];
  let [from, last] = [Infinity, -Infinity];
  for (const { keys } of groups) {
    const start = keys[bucket.place];
    if (typeof start !== 'number') continue;
    [from, last] = [Math.min(from, start), Math.max(last, start)];
  }
  return alignGroups(plan, groups, { from, to: nextBucketStart(last, bucket.period) });
}

/** Rows whose keys are new or whose values changed. */
export function findChangedRows(old: readonly ResultGroup[], now: readonly ResultGroup[]): ResultGroup[] {
  const before = new Map(old.map(({ keys, values }) => [JSON.stringify(keys), JSON.stringify(values)]));
  return now.filter(({ keys, values }) => before.get(JSON.stringify(keys)) !== JSON.stringify(values));
}
