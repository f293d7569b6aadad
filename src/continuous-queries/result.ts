import { z } from 'zod';
import { aligned, byKeys, bucketAfter, type Group, type Plan } from '../aggregation/aggregation.ts';

/** What is kept of a result: its groups, before they are aligned, and what they rest on beside the data. */
const Document = z.object({
  groups: z.array(
    z.object({
      keys: z.array(z.union([z.number(), z.string(), z.boolean(), z.null()])),
      values: z.array(z.union([z.number(), z.string(), z.boolean(), z.null()])),
    }),
  ),
  grounds: z.string().nullish(),
});

export interface Result {
  readonly groups: readonly Group[];
  /** As `groundsOf` says; null where it was not noted yet. */
  readonly grounds: string | null;
}

export function readResult(document: string | undefined): Result {
  if (document === undefined) return { groups: [], grounds: null };
  const { groups, grounds = null } = Document.parse(JSON.parse(document));
  return { groups, grounds };
}

export const writeResult = (result: Result): string => JSON.stringify(result);

interface Anew {
  readonly groups: readonly Group[];
  /** The first bucket that was looked at, and the first that is not kept any more. */
  readonly from: number;
  readonly oldest: number;
}

/** The groups of the buckets that were looked at, beside those before them that still count. */
export function renewed({ bucket }: Plan, old: readonly Group[], { groups, from, oldest }: Anew): Group[] {
  const kept = old.filter(({ keys }) => {
    const start = keys[bucket?.place ?? 0];
    return typeof start === 'number' && start < from && start >= oldest;
  });
  return [...kept, ...groups].toSorted(byKeys);
}

/** The rows as they are answered: from the first bucket that has something to the last. */
export function shown(plan: Plan, groups: readonly Group[]): Group[] {
  const { bucket } = plan;
  if (!bucket || groups.length === 0) return [...groups];
  let [from, last] = [Infinity, -Infinity];
  for (const { keys } of groups) {
    const start = keys[bucket.place];
    if (typeof start !== 'number') continue;
    [from, last] = [Math.min(from, start), Math.max(last, start)];
  }
  return aligned(plan, groups, { from, to: bucketAfter(last, bucket.period) });
}

/** Rows that are new, or say something else than before of the same keys. */
export function changedRows(old: readonly Group[], now: readonly Group[]): Group[] {
  const before = new Map(old.map(({ keys, values }) => [JSON.stringify(keys), JSON.stringify(values)]));
  return now.filter(({ keys, values }) => before.get(JSON.stringify(keys)) !== JSON.stringify(values));
}
