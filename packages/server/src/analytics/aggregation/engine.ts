import type { Accumulator } from './aggregates.ts';
import { invalidQuery } from './columns.ts';
import type { QueryPlan, PlannedAggregate } from './plan.ts';
import type { AggregationRow, RowSource, ColumnValue } from './row.ts';

/** Maximum number of rows in the result of one query. */
export const ROWS_MAX = 10_000;

/** One row of the result, before its columns are selected and formatted. */
export interface ResultGroup {
  readonly keys: readonly ColumnValue[];
  /** The aggregates, or the plain columns if nothing is aggregated. */
  readonly values: readonly ColumnValue[];
}

/** Compares sources by priority: negative if the first one is preferred. */
export type SourceComparator = (one: RowSource, other: RowSource) => number;

/** Aggregates the rows of a query in any order. Memory grows with the result, not with the input (except medians). */
export interface AggregationEngine {
  addRow(row: AggregationRow): void;
  /** Adds one part of a sum that was already merged across sources. */
  addMergedRow(row: AggregationRow): void;
  finish(): ResultGroup[];
}

export const createEngine = (plan: QueryPlan, prefer: SourceComparator): AggregationEngine =>
  plan.columns.length > 0 || plan.aggregates.length === 0
    ? createListEngine(plan)
    : createGroupEngine(plan, prefer);

function createListEngine(plan: QueryPlan): AggregationEngine {
  const rows: { at: number; group: ResultGroup }[] = [];
  const isKeys = plan.columns.length === 0;
  const known = new Set<string>();
  return {
    addRow: (row) => {
      if (plan.where && plan.where(row) !== true) return;
      const keys = plan.keys.map(({ of }) => of(row));
      // Only keys are selected: return each combination once.
      if (isKeys && known.size === known.add(JSON.stringify(keys)).size) return;
      rows.push({ at: row.at, group: { keys, values: plan.columns.map(({ of }) => of(row)) } });
      assertRowLimit(plan, rows.length);
    },
    addMergedRow: () => undefined,
    finish: () =>
      isKeys
        ? rows.map(({ group }) => group).toSorted(compareByKeys)
        : rows.toSorted((one, other) => one.at - other.at).map(({ group }) => group),
  };
}

interface SourceAccumulators {
  readonly source: RowSource;
  readonly accumulators: readonly Accumulator[];
  /** Whether the source has a value for any of the aggregates. */
  hasValues: boolean;
}

interface OpenGroup {
  readonly keys: readonly ColumnValue[];
  readonly bySource: Map<string, SourceAccumulators>;
  readonly merged: readonly Accumulator[];
}

function createGroupEngine(plan: QueryPlan, prefer: SourceComparator): AggregationEngine {
  const { keys, aggregates, where } = plan;
  const groups = new Map<string, OpenGroup>();
  const groupOf = (row: AggregationRow): OpenGroup => {
    const values = keys.map(({ of }) => of(row));
    const name = keys.length === 1 ? `${typeof values[0]}${String(values[0])}` : JSON.stringify(values);
    const known = groups.get(name);
    if (known) return known;
    const group = { keys: values, bySource: new Map(), merged: aggregates.map(({ open }) => open()) };
    groups.set(name, group);
    assertRowLimit(plan, groups.size);
    return group;
  };
  const nothing: OpenGroup = { keys: [], bySource: new Map(), merged: aggregates.map(({ open }) => open()) };
  if (keys.length === 0) groups.set('[]', nothing);
  return {
    addRow: (row) => {
      if (where && where(row) !== true) return;
      const group = keys.length === 0 ? nothing : groupOf(row);
      const own = getSourceAccumulators(group, plan, row.source);
      if (addValues(aggregates, own.accumulators, { row, isMerged: false })) own.hasValues = true;
    },
    addMergedRow: (row) => {
      const group = keys.length === 0 ? nothing : groupOf(row);
      addValues(aggregates, group.merged, { row, isMerged: true });
    },
    finish: () =>
      [...groups.values()].map((group) => finishGroup(group, plan, prefer)).toSorted(compareByKeys),
  };
}

function getSourceAccumulators(
  { bySource }: OpenGroup,
  { isPrioritised, aggregates }: QueryPlan,
  source: RowSource,
): SourceAccumulators {
  const name = isPrioritised ? `${source.provider}/${source.type}` : '';
  const known = bySource.get(name);
  if (known) return known;
  const fresh = { source, accumulators: aggregates.map(({ open }) => open()), hasValues: false };
  bySource.set(name, fresh);
  return fresh;
}

/** Returns whether the row has a value for any of the aggregates. */
function addValues(
  aggregates: readonly PlannedAggregate[],
  sums: readonly Accumulator[],
  { row, isMerged }: { row: AggregationRow; isMerged: boolean },
): boolean {
  let isSaid = false;
  for (const [place, aggregate] of aggregates.entries()) {
    if (aggregate.isMerged !== isMerged) continue;
    const value = aggregate.of(row);
    if (value === null) continue;
    sums[place]?.add(value, row.at);
    isSaid = true;
  }
  return isSaid;
}

function finishGroup(
  { keys, bySource, merged }: OpenGroup,
  { aggregates }: QueryPlan,
  prefer: SourceComparator,
): ResultGroup {
  const [best] = [...bySource.values()].toSorted(
    (one, other) => Number(other.hasValues) - Number(one.hasValues) || prefer(one.source, other.source),
  );
  const values = aggregates.map(({ isMerged, open }, place) => {
    const sum = isMerged ? merged[place] : best?.accumulators[place];
    return (sum ?? open()).result();
  });
  return { keys, values };
}

function assertRowLimit({ loc }: QueryPlan, rows: number): void {
  if (rows <= ROWS_MAX) return;
  throw invalidQuery(
    loc,
    `the result has more than ${ROWS_MAX} rows: use a shorter timeframe or longer periods`,
  );
}

/** Ascending by the keys in order; nulls last. */
export function compareByKeys(one: ResultGroup, other: ResultGroup): number {
  for (const [place, key] of one.keys.entries()) {
    const order = compareValues(key, other.keys[place] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(one: ColumnValue, other: ColumnValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
