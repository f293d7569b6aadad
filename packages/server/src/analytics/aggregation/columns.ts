import { invalidField, type DomainError } from '../../platform/errors.ts';
import { AGGREGATES, type AggregateFunction } from './aggregates.ts';
import type { GroupByExpression, SelectExpression, SubqueryExpression } from './schema.ts';
import { findMacro } from './macros.ts';
import type { AggregationColumn, ColumnKind, AggregationRow, ColumnValue } from './row.ts';
import { createSampleTable, findSummaryTable, type AggregationTable } from './tables.ts';
import { isQueryableTimeseries } from './timeseries-columns.ts';
import { compileWhere, type ColumnFinder, type RowPredicate } from './where/compile.ts';
import { parseWhere } from './where/parse.ts';
import { WhereSyntaxError } from './where/tokens.ts';

export type QueryErrorLocation = readonly (string | number)[];

/** A column and its table; the table is null for source columns, which every table has. */
interface ResolvedColumn {
  readonly table: AggregationTable | null;
  readonly column: AggregationColumn;
}

export type ColumnExpression = SelectExpression | GroupByExpression | SubqueryExpression;

/** Resolves one expression on its own; callers check that all columns belong to one table. 422 with the location. */
export function resolveColumn(
  expression: ColumnExpression,
  loc: QueryErrorLocation,
): ResolvedColumn | { readonly index: string } {
  if ('index' in expression) return { index: expression.index };
  if ('timeseries' in expression) return resolveSampleField(expression, loc);
  if ('value_macro' in expression) return resolveMacro(expression.value_macro, [...loc, 'value_macro']);
  if ('select' in expression) return compileSubquery(expression, loc);
  for (const [table, name] of Object.entries(expression)) {
    const known = findSummaryTable(table);
    if (known && typeof name === 'string')
      return { table: known, column: getColumn(known, name, [...loc, table]) };
    if (table === 'derived_readiness')
      throw invalidQuery([...loc, table], 'derived readiness is not supported');
  }
  throw invalidQuery(loc, 'expected a column');
}

export const invalidQuery = (loc: QueryErrorLocation, msg: string): DomainError =>
  invalidField([...loc], msg);

export function getColumn(table: AggregationTable, name: string, loc: QueryErrorLocation): AggregationColumn {
  const column = table.columns.get(name);
  if (column) return column;
  throw invalidQuery(
    loc,
    `${table.name} has no column ${name}: expected one of ${[...table.columns.keys()].join(', ')}`,
  );
}

function resolveSampleField(
  { timeseries, field }: { timeseries: string; field: string },
  loc: QueryErrorLocation,
): ResolvedColumn {
  if (!isQueryableTimeseries(timeseries))
    throw invalidQuery([...loc, 'timeseries'], `unknown timeseries ${timeseries}`);
  const table = createSampleTable(timeseries);
  return { table, column: getColumn(table, field, [...loc, 'field']) };
}

const SUPPORTED_MACROS = 'asleep_at, awake_at, awakenings or sleep_score';

function resolveMacro(name: string, loc: QueryErrorLocation): ResolvedColumn {
  const found = findMacro(name);
  if (found) return found;
  throw invalidQuery(loc, `the macro ${name} is not supported: expected ${SUPPORTED_MACROS}`);
}

/** The kinds of the fields of list elements; all others are text. An element without fields is called `element`. */
const ELEMENT_KINDS: Readonly<Record<string, ColumnKind>> = {
  date: 'day',
  value: 'number',
  protection_used: 'boolean',
};
const CYCLE_LIST_FIELDS: Readonly<Record<string, readonly string[]>> = {
  menstrual_flow: ['date', 'flow'],
  cervical_mucus: ['date', 'quality'],
  intermenstrual_bleeding: ['date'],
  contraceptive: ['date', 'type'],
  detected_deviations: ['date', 'deviation'],
  ovulation_test: ['date', 'test_result'],
  home_pregnancy_test: ['date', 'test_result'],
  home_progesterone_test: ['date', 'test_result'],
  sexual_activity: ['date', 'protection_used'],
  basal_body_temperature: ['date', 'value'],
};

/** Compiles a subquery that aggregates the matching elements of a list column to one value per row. */
function compileSubquery(
  { select, from, where }: SubqueryExpression,
  loc: QueryErrorLocation,
): ResolvedColumn {
  if ('placeholder' in select) throw invalidQuery([...loc, 'select'], 'placeholders are not supported');
  if ('placeholder' in from) throw invalidQuery([...loc, 'from'], 'placeholders are not supported');
  const source = resolveColumn(from.unnest, [...loc, 'from', 'unnest']);
  if ('index' in source || source.column.kind !== 'list') {
    throw invalidQuery([...loc, 'from', 'unnest'], 'expected a list column');
  }
  const list = source.column;
  const find = createElementColumnFinder(list.name);
  const arg = resolveArgument({ select, list: list.name, find }, [...loc, 'select', 'arg']);
  if (arg === undefined && select.func !== 'count') {
    throw invalidQuery(
      [...loc, 'select', 'arg'],
      `${select.func} needs an argument: only count can be used without one`,
    );
  }
  const { inputKinds, resultKind, open } = getAggregate(select.func, arg?.kind ?? 'integer', [
    ...loc,
    'select',
    'func',
  ]);
  const test = where ? compileWhereClause(where, find, [...loc, 'where']) : undefined;
  const of = (row: AggregationRow): ColumnValue => {
    const elements = list.of(row);
    if (!Array.isArray(elements)) return null;
    const sum = open();
    for (const [index, element] of elements.entries()) {
      const inner = toElementRow(row, element, index);
      if (test && test(inner) !== true) continue;
      const value = arg ? arg.of(inner) : 1;
      if (value !== null) sum.add(value, inner.at);
    }
    return sum.result();
  };
  const name = [select.func, list.name, arg && arg.name !== 'element' ? arg.name : '']
    .filter(Boolean)
    .join('.');
  const kind = resultKind(arg?.kind ?? inputKinds[0] ?? 'integer');
  return { table: source.table, column: { name, kind, of } };
}

function createElementColumnFinder(list: string): ColumnFinder {
  const fields = CYCLE_LIST_FIELDS[list] ?? ['element'];
  return (name) => {
    if (!fields.includes(name)) return undefined;
    const kind = ELEMENT_KINDS[name] ?? 'text';
    return { name, kind, of: ({ fields: own }) => toScalar(own[name], kind) };
  };
}

function toScalar(value: unknown, kind: ColumnKind): ColumnValue {
  if (kind === 'day') return typeof value === 'string' ? Date.parse(`${value.slice(0, 10)}T00:00:00Z`) : null;
  const wanted = kind === 'text' ? 'string' : kind;
  return typeof value === wanted &&
    (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean')
    ? value
    : null;
}

/** A list element as a row. Its time is its date, or its position in the list if it has none. */
function toElementRow(row: AggregationRow, element: unknown, index: number): AggregationRow {
  const isObject = typeof element === 'object' && element !== null;
  const fields: Record<string, unknown> = isObject ? { ...element } : { element };
  const dated = toScalar(fields['date'], 'day');
  return { ...row, fields, at: typeof dated === 'number' ? dated : index };
}

interface SubqueryArgument {
  readonly select: Exclude<SubqueryExpression['select'], { placeholder: true }>;
  readonly list: string;
  readonly find: ColumnFinder;
}

function resolveArgument(
  { select, list, find }: SubqueryArgument,
  loc: QueryErrorLocation,
): AggregationColumn | undefined {
  const { arg } = select;
  if (arg === null || arg === undefined) return undefined;
  const field = 'element' in arg ? 'element' : Reflect.get(arg, list);
  const column = typeof field === 'string' ? find(field) : undefined;
  if (!column) throw invalidQuery(loc, `expected a field of an element of ${list}`);
  return column;
}

/** 422 if the function does not accept columns of this kind. */
export function getAggregate(func: AggregateFunction, kind: ColumnKind, loc: QueryErrorLocation) {
  const aggregate = AGGREGATES[func];
  if (!aggregate.inputKinds.includes(kind))
    throw invalidQuery(loc, `${func} does not accept a ${KIND_NAMES[kind]} column`);
  return aggregate;
}

// prettier-ignore
const KIND_NAMES: Record<ColumnKind, string> = {
  number: 'number', integer: 'number', text: 'text', boolean: 'boolean', moment: 'timestamp', day: 'day', list: 'list',
};

/** Compiles a where clause; 422 with the position in its text. */
export function compileWhereClause(text: string, find: ColumnFinder, loc: QueryErrorLocation): RowPredicate {
  try {
    return compileWhere(parseWhere(text), find);
  } catch (error) {
    if (error instanceof WhereSyntaxError)
      throw invalidQuery(loc, `at character ${error.at + 1}: ${error.message}`);
    throw error;
  }
}
