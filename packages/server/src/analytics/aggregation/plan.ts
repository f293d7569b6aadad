import type { DomainError } from '../../platform/errors.ts';
import type { AggregateFunction } from './aggregates.ts';
import {
  getAggregate,
  resolveColumn,
  getColumn,
  invalidQuery,
  compileWhereClause,
  type ColumnExpression,
  type QueryErrorLocation,
} from './columns.ts';
import type {
  AlignExpression,
  GroupByExpression,
  AggregationQuery,
  SelectExpression,
  SubqueryExpression,
} from './schema.ts';
import { findBucket, isColumnKey, isMinuteKey, listSourceKeys, type GroupBucket } from './group-keys.ts';
import { hasSleepStageColumn } from './macros.ts';
import { readDatePart, truncateToBucket, type BucketPeriod } from './local-time.ts';
import type { AggregationColumn, ColumnKind, AggregationRow, ColumnValue } from './row.ts';
import { findCountedResource, findSourceColumn, findSummaryTable, type AggregationTable } from './tables.ts';
import type { RowPredicate } from './where/compile.ts';

/** One column of the result. */
export interface OutputColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface PlannedAggregate extends OutputColumn {
  readonly func: AggregateFunction;
  readonly of: (row: AggregationRow) => ColumnValue;
  readonly open: ReturnType<typeof getAggregate>['open'];
  /** A sum merged across sources, so that each instant counts once; see merged-sums.ts. */
  readonly isMerged: boolean;
}

/** A validated query, compiled for execution. */
export interface QueryPlan {
  readonly loc: QueryErrorLocation;
  readonly table: AggregationTable;
  readonly where: RowPredicate | null;
  /** In result order: a group key, an aggregate or a plain column, by its index in the lists below. */
  readonly outputs: readonly (OutputColumn & {
    readonly from: 'keys' | 'aggregates' | 'columns';
    readonly place: number;
  })[];
  readonly keys: readonly AggregationColumn[];
  readonly aggregates: readonly PlannedAggregate[];
  /** Only if nothing is aggregated: the result has one row for each input row. */
  readonly columns: readonly AggregationColumn[];
  /** The key that is a date_trunc. */
  readonly bucket: GroupBucket | null;
  readonly align: AlignExpression | null;
  /** Whether each group uses only the data of its highest-priority source. */
  readonly isPrioritised: boolean;
  /** Whether groups depend on minutes; merged sums are then split by the minute. */
  readonly isByMinute: boolean;
  /** Whether sleep stages are read in addition to sleeps. */
  readonly isStaged: boolean;
}

export function planQuery(query: AggregationQuery, loc: QueryErrorLocation): QueryPlan {
  const table = resolveTable(query, loc);
  const groupBy = query.group_by ?? [];
  const keys = groupBy.map((expression, i) =>
    planGroupKey(expression, table, { i, loc: [...loc, 'group_by', i] }),
  );
  const isByColumn = groupBy.some(isColumnKey);
  const selection = planSelect(query, { table, keys, isByColumn, loc });
  const sources = new Set(groupBy.flatMap(listSourceKeys));
  const bucket = findBucket(groupBy, loc);
  if (query.align && !bucket) throw invalidQuery([...loc, 'align'], 'align needs a date_trunc in group_by');
  return {
    ...selection,
    loc,
    table,
    keys,
    bucket,
    where: query.where ? compileWhereClause(query.where, createColumnFinder(table), [...loc, 'where']) : null,
    align: query.align ?? null,
    isPrioritised: !(sources.has('source_provider') && sources.has('source_type')),
    isByMinute: groupBy.some(isMinuteKey),
    isStaged: hasSleepStageColumn(query),
  };
}

const createColumnFinder =
  (table: AggregationTable) =>
  (name: string): AggregationColumn | undefined => {
    const [first = '', second, ...more] = name.split('.');
    if (more.length > 0) return undefined;
    const own = second === undefined ? first : isTablePrefix(table, first) ? second : '';
    return own === 'index' ? table.index : table.columns.get(own);
  };

const isTablePrefix = ({ name, reads }: AggregationTable, prefix: string) =>
  prefix === name || (reads.kind === 'samples' && prefix === reads.resource) || prefix === 'source';

/** The one table that all expressions belong to; 422 if they belong to different tables. */
function resolveTable(
  { select, group_by: groupBy = [] }: AggregationQuery,
  loc: QueryErrorLocation,
): AggregationTable {
  const places: [SelectExpression | GroupByExpression | SubqueryExpression, QueryErrorLocation][] = [
    ...select.map((one, i): [SelectExpression, QueryErrorLocation] => [one, [...loc, 'select', i]]),
    ...groupBy.map((one, i): [GroupByExpression, QueryErrorLocation] => [one, [...loc, 'group_by', i]]),
  ];
  let found: AggregationTable | undefined;
  const indexes: [string, QueryErrorLocation][] = [];
  for (const [expression, place] of places) {
    const inner = 'func' in expression || 'date_trunc' in expression || 'date_part' in expression;
    const argument = inner ? expression.arg : expression;
    const where = inner ? [...place, 'arg'] : place;
    if ('placeholder' in argument) throw invalidQuery(where, 'placeholders are not supported');
    if ('group_key' in argument || 'source' in argument) continue;
    const column = resolveColumn(argument, where);
    if ('index' in column) indexes.push([column.index, where]);
    else if (column.table && !isSameTable((found ??= column.table), column.table)) {
      throw invalidQuery(
        where,
        `all columns of a query must belong to one table: the others belong to ${getTableLabel(found)}`,
      );
    }
  }
  const [first] = indexes;
  found ??= first && resolveIndexTable(...first);
  if (!found)
    throw invalidQuery(
      [...loc, 'select'],
      'expected a column of a table: source columns and group keys alone do not select one',
    );
  for (const [index, place] of indexes) if (index !== found.name) throw wrongIndexError(found, place);
  return found;
}

const isSameTable = (one: AggregationTable, other: AggregationTable) =>
  getTableLabel(one) === getTableLabel(other);
const getTableLabel = ({ name, reads }: AggregationTable) =>
  reads.kind === 'samples' ? reads.resource : name;

function resolveIndexTable(name: string, loc: QueryErrorLocation): AggregationTable {
  const table = findSummaryTable(name);
  if (table) return table;
  const why =
    name === 'timeseries'
      ? 'the index of a timeseries needs a column of that timeseries in the query'
      : 'this table is not supported';
  throw invalidQuery([...loc, 'index'], why);
}

const wrongIndexError = (table: AggregationTable, loc: QueryErrorLocation): DomainError =>
  invalidQuery([...loc, 'index'], `expected the index of ${table.name}, the table of the other columns`);

function planGroupKey(
  expression: GroupByExpression,
  table: AggregationTable,
  { i, loc }: { i: number; loc: QueryErrorLocation },
): AggregationColumn {
  const name = `group_key.${i}`;
  if ('date_trunc' in expression) {
    const period = expression.date_trunc;
    assertDividesYear(period, [...loc, 'date_trunc', 'value']);
    return { name, kind: 'moment', of: ({ at }) => truncateToBucket(at, period) };
  }
  if ('date_part' in expression) {
    const part = expression.date_part;
    return { name, kind: 'integer', of: ({ at }) => readDatePart(at, part) };
  }
  const column =
    'source' in expression
      ? resolveSourceColumn(expression.source, table, loc)
      : resolvePlainColumn(expression, loc);
  if (column.kind === 'list') throw invalidQuery(loc, `${column.name} is a list: lists cannot be group keys`);
  return { ...column, name };
}

/** Month periods must divide a year, so that buckets start in the same months every year. */
function assertDividesYear({ value, unit }: BucketPeriod, loc: QueryErrorLocation): void {
  if (unit === 'month' && 12 % value !== 0)
    throw invalidQuery(loc, 'expected a number of months that divides a year: 1, 2, 3, 4, 6 or 12');
}

function resolvePlainColumn(expression: ColumnExpression, loc: QueryErrorLocation): AggregationColumn {
  const found = resolveColumn(expression, loc);
  if ('index' in found) throw invalidQuery(loc, 'expected a column');
  return found.column;
}

function resolveSourceColumn(
  name: string,
  table: AggregationTable,
  loc: QueryErrorLocation,
): AggregationColumn {
  const column = table.columns.has(name) ? findSourceColumn(name) : undefined;
  return column ?? getColumn(table, name, [...loc, 'source']);
}

interface SelectPlanningContext {
  readonly table: AggregationTable;
  readonly keys: readonly AggregationColumn[];
  readonly isByColumn: boolean;
  readonly loc: QueryErrorLocation;
}

function planSelect(
  query: AggregationQuery,
  context: SelectPlanningContext,
): Pick<QueryPlan, 'outputs' | 'aggregates' | 'columns'> {
  const isGrouped = context.keys.length > 0;
  const outputs = new Map<string, QueryPlan['outputs'][number]>();
  const aggregates: PlannedAggregate[] = [];
  const columns: AggregationColumn[] = [];
  const put = (column: OutputColumn, from: QueryPlan['outputs'][number]['from'], place: number) => {
    // Different subqueries can have the same name; identical expressions were removed before.
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
      for (const place of resolveGroupKeys(expression.group_key, context.keys.length, loc)) {
        const key = context.keys[place];
        if (key) put(key, 'keys', place);
      }
    } else if ('func' in expression) {
      put(planAggregate(expression, context, { loc, into: aggregates }), 'aggregates', aggregates.length - 1);
    } else if (isGrouped) {
      throw invalidQuery(loc, 'with group_by, expected an aggregate (arg and func) or a group_key');
    } else {
      const column = resolveRowColumn(expression, context.table, loc);
      columns.push(column);
      put(column, 'columns', columns.length - 1);
    }
  }
  if (aggregates.length > 0 && columns.length > 0) {
    throw invalidQuery(
      [...context.loc, 'select'],
      'without group_by, select either aggregates alone or columns alone',
    );
  }
  return { outputs: [...outputs.values()], aggregates, columns };
}

function resolveGroupKeys(key: number | '*', count: number, loc: QueryErrorLocation): number[] {
  if (key === '*') return Array.from({ length: count }, (_, place) => place);
  if (key >= 0 && key < count) return [key];
  throw invalidQuery([...loc, 'group_key'], `group_by has ${count} expressions, counted from 0`);
}

type AggregateExpression = Extract<SelectExpression, { func: AggregateFunction }>;

function planAggregate(
  { arg, func }: AggregateExpression,
  { table, isByColumn }: SelectPlanningContext,
  { loc, into }: { loc: QueryErrorLocation; into: PlannedAggregate[] },
): PlannedAggregate {
  const column = 'index' in arg ? table.index : resolvePlainColumn(arg, [...loc, 'arg']);
  const { resultKind, open } = getAggregate(func, column.kind, [...loc, 'func']);
  const isMerged =
    func === 'sum' && column.name === 'value' && findCountedResource(table) !== undefined && !isByColumn;
  const aggregate = {
    name: `${func}.${column.name}`,
    kind: resultKind(column.kind),
    of: column.of,
    func,
    open,
    isMerged,
  };
  into.push(aggregate);
  return aggregate;
}

function resolveRowColumn(
  expression: Exclude<SelectExpression, AggregateExpression>,
  table: AggregationTable,
  loc: QueryErrorLocation,
): AggregationColumn {
  if ('index' in expression) return table.index;
  if ('source' in expression) return resolveSourceColumn(expression.source, table, loc);
  const column = resolvePlainColumn(expression, loc);
  if (column.kind !== 'list') return column;
  throw invalidQuery(loc, `${column.name} is a list: aggregate it with a subquery`);
}
