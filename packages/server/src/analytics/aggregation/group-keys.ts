import { invalidQuery, type QueryErrorLocation } from './columns.ts';
import type { BucketPeriod } from './local-time.ts';
import type { GroupByExpression } from './schema.ts';

/** The date_trunc key of a query, by its index in the group keys. */
export interface GroupBucket {
  readonly place: number;
  readonly period: BucketPeriod;
}

export const listSourceKeys = (expression: GroupByExpression): string[] => {
  if ('source' in expression) return [expression.source];
  return Object.values(expression).filter(
    (value): value is string => typeof value === 'string' && value.startsWith('source_'),
  );
};
/** Merged sums keep only time and source, so they cannot be grouped by a column of the samples. */
export const isColumnKey = (expression: GroupByExpression) =>
  !('date_trunc' in expression || 'date_part' in expression);

export function isMinuteKey(expression: GroupByExpression): boolean {
  if ('date_trunc' in expression) return expression.date_trunc.unit === 'minute';
  return 'date_part' in expression && expression.date_part === 'minute';
}

export function findBucket(
  groupBy: readonly GroupByExpression[],
  loc: QueryErrorLocation,
): GroupBucket | null {
  let bucket: GroupBucket | null = null;
  for (const [place, expression] of groupBy.entries()) {
    if (!('date_trunc' in expression)) continue;
    if (bucket) throw invalidQuery([...loc, 'group_by', place], 'expected at most one date_trunc');
    bucket = { place, period: expression.date_trunc };
  }
  return bucket;
}
