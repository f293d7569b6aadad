import type { DomainError } from '../platform/errors.ts';
import type { FunctionName } from './aggregates.ts';
import {
  aggregateOf,
  columnOf,
  named,
  refused,
  whereOf,
  type ColumnExpression,
  type Loc,
} from './columns.ts';
import type { Align, GroupedBy, Query, Selected, Subquery } from './schema.ts';
import { asksForStages } from './macros.ts';
import { datePart, truncated, type Period } from './local-time.ts';
import type { Column, Kind, Row, Value } from './row.ts';
import { countedOf, sourceColumn, summaryTable, type Table } from './tables.ts';
import type { Test } from './where/compile.ts';

/** One column of the answer. */
export interface Output {
  readonly name: string;
  readonly kind: Kind;
}

export interface PlannedAggregate extends Output {
  readonly func: FunctionName;
  readonly of: (row: Row) => Value;
  readonly open: ReturnType<typeof aggregateOf>['open'];
  /** The sum of what several devices counted, each time once. */
  readonly isMerged: boolean;
}

/** A query that was understood. */
export interface Plan {
  readonly loc: Loc;
  readonly table: Table;
  readonly where: Test | null;
  /** In the order of the answer: a group key, an aggregate or a plain column, by its place in the lists below. */
  readonly outputs: readonly (Output & {
    readonly from: 'keys' | 'aggregates' | 'columns';
    readonly place: number;
  })[];
  readonly keys: readonly Column[];
  readonly aggregates: readonly PlannedAggregate[];
  /** Only where nothing is aggregated: every row is answered. */
  readonly columns: readonly Column[];
  /** The key that is a date_trunc. */
  readonly bucket: { readonly place: number; readonly period: Period } | null;
  readonly align: Align | null;
  /** Whether of each group only the data of the source that comes first are taken. */
  readonly isPrioritised: boolean;
  /** Whether minutes tell groups apart; then merged sums are split by the minute. */
  readonly isByMinute: boolean;
  /** Whether the stages of sleeps are read beside them. */
  readonly isStaged: boolean;
}

export function planQuery(query: Query, loc: Loc): Plan {
  const table = tableOf(query, loc);
  const groupBy = query.group_by ?? [];
  const keys = groupBy.map((expression, i) => keyOf(expression, table, { i, loc: [...loc, 'group_by', i] }));
  const isByColumn = groupBy.some(isColumn);
  const selection = selected(query, { table, keys, isByColumn, loc });
  const sources = new Set(groupBy.flatMap(sourceKeys));
  const bucket = bucketOf(groupBy, loc);
  if (query.align && !bucket) throw refused([...loc, 'align'], 'align needs a date_trunc in group_by');
  return {
    ...selection,
    loc,
    table,
    keys,
    bucket,
    where: query.where ? whereOf(query.where, finderOf(table), [...loc, 'where']) : null,
    align: query.align ?? null,
    isPrioritised: !(sources.has('source_provider') && sources.has('source_type')),
    isByMinute: groupBy.some(isMinute),
    isStaged: asksForStages(query),
  };
}

const finderOf =
  (table: Table) =>
  (name: string): Column | undefined => {
    const [first = '', second, ...more] = name.split('.');
    if (more.length > 0) return undefined;
    const own = second === undefined ? first : isOf(table, first) ? second : '';
    return own === 'index' ? table.index : table.columns.get(own);
  };

const isOf = ({ name, reads }: Table, prefix: string) =>
  prefix === name || (reads.kind === 'samples' && prefix === reads.resource) || prefix === 'source';

/** The one table that all expressions are of. */
function tableOf({ select, group_by: groupBy = [] }: Query, loc: Loc): Table {
  const places: [Selected | GroupedBy | Subquery, Loc][] = [
    ...select.map((one, i): [Selected, Loc] => [one, [...loc, 'select', i]]),
    ...groupBy.map((one, i): [GroupedBy, Loc] => [one, [...loc, 'group_by', i]]),
  ];
  let found: Table | undefined;
  const indexes: [string, Loc][] = [];
  for (const [expression, place] of places) {
    const inner = 'func' in expression || 'date_trunc' in expression || 'date_part' in expression;
    const argument = inner ? expression.arg : expression;
    const where = inner ? [...place, 'arg'] : place;
    if ('placeholder' in argument) throw refused(where, 'a placeholder stands for nothing here');
    if ('group_key' in argument || 'source' in argument) continue;
    const column = columnOf(argument, where);
    if ('index' in column) indexes.push([column.index, where]);
    else if (column.table && !isSame((found ??= column.table), column.table)) {
      throw refused(where, `all columns of a query are of one table: the others are of ${called(found)}`);
    }
  }
  const [first] = indexes;
  found ??= first && indexTable(...first);
  if (!found) throw refused([...loc, 'select'], 'expected a column of a table: nothing says what to read');
  for (const [index, place] of indexes) if (index !== found.name) throw otherIndex(found, place);
  return found;
}

const isSame = (one: Table, other: Table) => called(one) === called(other);
const called = ({ name, reads }: Table) => (reads.kind === 'samples' ? reads.resource : name);

function indexTable(name: string, loc: Loc): Table {
  const table = summaryTable(name);
  if (table) return table;
  const why =
    name === 'timeseries' ? 'say of which timeseries, by a column of it' : 'it is not computed here';
  throw refused([...loc, 'index'], why);
}

const otherIndex = (table: Table, loc: Loc): DomainError =>
  refused([...loc, 'index'], `expected the index of ${table.name}, of which the other columns are`);

function keyOf(expression: GroupedBy, table: Table, { i, loc }: { i: number; loc: Loc }): Column {
  const name = `group_key.${i}`;
  if ('date_trunc' in expression) {
    const period = expression.date_trunc;
    requireEven(period, [...loc, 'date_trunc', 'value']);
    return { name, kind: 'moment', of: ({ at }) => truncated(at, period) };
  }
  if ('date_part' in expression) {
    const part = expression.date_part;
    return { name, kind: 'integer', of: ({ at }) => datePart(at, part) };
  }
  const column = 'source' in expression ? sourceOf(expression.source, table, loc) : plain(expression, loc);
  if (column.kind === 'list') throw refused(loc, `${column.name} is a list: nothing can be grouped by it`);
  return { ...column, name };
}

/** Months must divide the year, or a bucket would begin in another month each year. */
function requireEven({ value, unit }: Period, loc: Loc): void {
  if (unit === 'month' && 12 % value !== 0)
    throw refused(loc, 'expected months that divide a year: 1, 2, 3, 4, 6, 12');
}

function plain(expression: ColumnExpression, loc: Loc): Column {
  const found = columnOf(expression, loc);
  if ('index' in found) throw refused(loc, 'expected a column');
  return found.column;
}

function sourceOf(name: string, table: Table, loc: Loc): Column {
  const column = table.columns.has(name) ? sourceColumn(name) : undefined;
  return column ?? named(table, name, [...loc, 'source']);
}

interface Selecting {
  readonly table: Table;
  readonly keys: readonly Column[];
  readonly isByColumn: boolean;
  readonly loc: Loc;
}

function selected(query: Query, context: Selecting): Pick<Plan, 'outputs' | 'aggregates' | 'columns'> {
  const isGrouped = context.keys.length > 0;
  const outputs = new Map<string, Plan['outputs'][number]>();
  const aggregates: PlannedAggregate[] = [];
  const columns: Column[] = [];
  const put = (column: Output, from: Plan['outputs'][number]['from'], place: number) => {
    // The same column said twice is one; two subqueries may have one name and differ.
    const taken = from !== 'keys' && outputs.has(column.name);
    const name = taken ? `${column.name}.${outputs.size}` : column.name;
    outputs.set(name, { name, kind: column.kind, from, place });
  };
  const seen = new Set<string>();
  for (const [i, expression] of query.select.entries()) {
    const loc = [...context.loc, 'select', i];
    const text = JSON.stringify(expression);
    if (seen.has(text)) continue;
    seen.add(text);
    if ('group_key' in expression) {
      for (const place of keysOf(expression.group_key, context.keys.length, loc)) {
        const key = context.keys[place];
        if (key) put(key, 'keys', place);
      }
    } else if ('func' in expression) {
      put(aggregated(expression, context, { loc, into: aggregates }), 'aggregates', aggregates.length - 1);
    } else if (isGrouped) {
      throw refused(loc, 'with group_by, expected an aggregate (arg and func) or a group_key');
    } else {
      const column = rowColumn(expression, context.table, loc);
      columns.push(column);
      put(column, 'columns', columns.length - 1);
    }
  }
  if (aggregates.length > 0 && columns.length > 0) {
    throw refused([...context.loc, 'select'], 'expected aggregates alone or columns alone, without group_by');
  }
  return { outputs: [...outputs.values()], aggregates, columns };
}

function keysOf(key: number | '*', count: number, loc: Loc): number[] {
  if (key === '*') return Array.from({ length: count }, (_, place) => place);
  if (key >= 0 && key < count) return [key];
  throw refused([...loc, 'group_key'], `there are ${count} expressions in group_by, counted from 0`);
}

type AggregateExpression = Extract<Selected, { func: FunctionName }>;

function aggregated(
  { arg, func }: AggregateExpression,
  { table, isByColumn }: Selecting,
  { loc, into }: { loc: Loc; into: PlannedAggregate[] },
): PlannedAggregate {
  const column = 'index' in arg ? table.index : plain(arg, [...loc, 'arg']);
  const { gives, open } = aggregateOf(func, column.kind, [...loc, 'func']);
  const isMerged = func === 'sum' && column.name === 'value' && countedOf(table) !== undefined && !isByColumn;
  const aggregate = {
    name: `${func}.${column.name}`,
    kind: gives(column.kind),
    of: column.of,
    func,
    open,
    isMerged,
  };
  into.push(aggregate);
  return aggregate;
}

function rowColumn(expression: Exclude<Selected, AggregateExpression>, table: Table, loc: Loc): Column {
  if ('index' in expression) return table.index;
  if ('source' in expression) return sourceOf(expression.source, table, loc);
  const column = plain(expression, loc);
  if (column.kind !== 'list') return column;
  throw refused(loc, `${column.name} is a list: expected a subquery that aggregates it`);
}

const sourceKeys = (expression: GroupedBy): string[] => {
  if ('source' in expression) return [expression.source];
  return Object.values(expression).filter(
    (value): value is string => typeof value === 'string' && value.startsWith('source_'),
  );
};
/** What is merged has a time and a source, and nothing else that a sample says: only time can tell its groups apart. */
const isColumn = (expression: GroupedBy) => !('date_trunc' in expression || 'date_part' in expression);

function isMinute(expression: GroupedBy): boolean {
  if ('date_trunc' in expression) return expression.date_trunc.unit === 'minute';
  return 'date_part' in expression && expression.date_part === 'minute';
}

function bucketOf(groupBy: readonly GroupedBy[], loc: Loc): Plan['bucket'] {
  let bucket: Plan['bucket'] = null;
  for (const [place, expression] of groupBy.entries()) {
    if (!('date_trunc' in expression)) continue;
    if (bucket) throw refused([...loc, 'group_by', place], 'expected at most one date_trunc');
    bucket = { place, period: expression.date_trunc };
  }
  return bucket;
}
