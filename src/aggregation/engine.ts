import type { Accumulator } from './aggregates.ts';
import { refused } from './columns.ts';
import type { Plan, PlannedAggregate } from './plan.ts';
import type { Row, RowSource, Value } from './row.ts';

/** The most rows that one query answers. */
export const ROWS_MAX = 10_000;

/** One row of the answer, before its columns are chosen and written. */
export interface Group {
  readonly keys: readonly Value[];
  /** Of the aggregates, or of the plain columns where nothing is aggregated. */
  readonly values: readonly Value[];
}

/** Whose data count first, where several tell of the same. */
export type Prefer = (one: RowSource, other: RowSource) => number;

/** Takes the rows of a query in any order, and keeps no more of them than the answer needs. */
export interface Engine {
  take(row: Row): void;
  /** A part of a sum that was merged over the sources. */
  takeMerged(row: Row): void;
  finish(): Group[];
}

export const openEngine = (plan: Plan, prefer: Prefer): Engine =>
  plan.columns.length > 0 || plan.aggregates.length === 0 ? openList(plan) : openGroups(plan, prefer);

function openList(plan: Plan): Engine {
  const rows: { at: number; group: Group }[] = [];
  const isKeys = plan.columns.length === 0;
  const known = new Set<string>();
  return {
    take: (row) => {
      if (plan.where && plan.where(row) !== true) return;
      const keys = plan.keys.map(({ of }) => of(row));
      // Keys alone are asked for: each combination once.
      if (isKeys && known.size === known.add(JSON.stringify(keys)).size) return;
      rows.push({ at: row.at, group: { keys, values: plan.columns.map(({ of }) => of(row)) } });
      requireRoom(plan, rows.length);
    },
    takeMerged: () => undefined,
    finish: () =>
      isKeys
        ? rows.map(({ group }) => group).toSorted(byKeys)
        : rows.toSorted((one, other) => one.at - other.at).map(({ group }) => group),
  };
}

interface OneSource {
  readonly source: RowSource;
  readonly sums: readonly Accumulator[];
  /** Whether it says anything of what is asked: a night without a score says nothing of scores. */
  isSaid: boolean;
}

interface Open {
  readonly keys: readonly Value[];
  readonly bySource: Map<string, OneSource>;
  readonly merged: readonly Accumulator[];
}

function openGroups(plan: Plan, prefer: Prefer): Engine {
  const { keys, aggregates, where } = plan;
  const groups = new Map<string, Open>();
  const groupOf = (row: Row): Open => {
    const values = keys.map(({ of }) => of(row));
    const name = keys.length === 1 ? `${typeof values[0]}${String(values[0])}` : JSON.stringify(values);
    const known = groups.get(name);
    if (known) return known;
    const group = { keys: values, bySource: new Map(), merged: aggregates.map(({ open }) => open()) };
    groups.set(name, group);
    requireRoom(plan, groups.size);
    return group;
  };
  const nothing: Open = { keys: [], bySource: new Map(), merged: aggregates.map(({ open }) => open()) };
  if (keys.length === 0) groups.set('[]', nothing);
  return {
    take: (row) => {
      if (where && where(row) !== true) return;
      const group = keys.length === 0 ? nothing : groupOf(row);
      const own = sourceIn(group, plan, row.source);
      if (add(aggregates, own.sums, { row, isMerged: false })) own.isSaid = true;
    },
    takeMerged: (row) => {
      const group = keys.length === 0 ? nothing : groupOf(row);
      add(aggregates, group.merged, { row, isMerged: true });
    },
    finish: () => [...groups.values()].map((group) => closed(group, plan, prefer)).toSorted(byKeys),
  };
}

function sourceIn({ bySource }: Open, { isPrioritised, aggregates }: Plan, source: RowSource): OneSource {
  const name = isPrioritised ? `${source.provider}/${source.type}` : '';
  const known = bySource.get(name);
  if (known) return known;
  const fresh = { source, sums: aggregates.map(({ open }) => open()), isSaid: false };
  bySource.set(name, fresh);
  return fresh;
}

/** Answers whether the row says anything of what is aggregated. */
function add(
  aggregates: readonly PlannedAggregate[],
  sums: readonly Accumulator[],
  { row, isMerged }: { row: Row; isMerged: boolean },
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

function closed({ keys, bySource, merged }: Open, { aggregates }: Plan, prefer: Prefer): Group {
  const [best] = [...bySource.values()].toSorted(
    (one, other) => Number(other.isSaid) - Number(one.isSaid) || prefer(one.source, other.source),
  );
  const values = aggregates.map(({ isMerged, open }, place) => {
    const sum = isMerged ? merged[place] : best?.sums[place];
    return (sum ?? open()).result();
  });
  return { keys, values };
}

function requireRoom({ loc }: Plan, rows: number): void {
  if (rows <= ROWS_MAX) return;
  throw refused(loc, `the answer has more than ${ROWS_MAX} rows: ask for a shorter time or longer groups`);
}

/** Ascending by the keys in their order; what says nothing comes last. */
export function byKeys(one: Group, other: Group): number {
  for (const [place, key] of one.keys.entries()) {
    const order = compareValues(key, other.keys[place] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
