import { invalidField, type DomainError } from '../platform/errors.ts';
import { AGGREGATES, type FunctionName } from './aggregates.ts';
import type { GroupedBy, Selected, Subquery } from './schema.ts';
import { macroOf } from './macros.ts';
import type { Column, Kind, Row, Value } from './row.ts';
import { sampleTable, summaryTable, type Table } from './tables.ts';
import { isSampled } from './timeseries-columns.ts';
import { compileWhere, type Find, type Test } from './where/compile.ts';
import { parseWhere } from './where/parse.ts';
import { NotUnderstood } from './where/tokens.ts';

export type Loc = readonly (string | number)[];

/** A column, and the table it is of. A source column is of any table. */
export interface Found {
  readonly table: Table | null;
  readonly column: Column;
}

export type ColumnExpression = Selected | GroupedBy | Subquery;

/** What an expression names, without its table being compared with that of others; 422 with the place. */
export function columnOf(expression: ColumnExpression, loc: Loc): Found | { readonly index: string } {
  if ('index' in expression) return { index: expression.index };
  if ('timeseries' in expression) return sampleField(expression, loc);
  if ('value_macro' in expression) return macroFound(expression.value_macro, [...loc, 'value_macro']);
  if ('select' in expression) return subqueryOf(expression, loc);
  for (const [table, name] of Object.entries(expression)) {
    const known = summaryTable(table);
    if (known && typeof name === 'string')
      return { table: known, column: named(known, name, [...loc, table]) };
    if (table === 'derived_readiness')
      throw refused([...loc, table], 'derived readiness is not computed here');
  }
  throw refused(loc, 'expected a column');
}

export const refused = (loc: Loc, msg: string): DomainError => invalidField([...loc], msg);

export function named(table: Table, name: string, loc: Loc): Column {
  const column = table.columns.get(name);
  if (column) return column;
  throw refused(loc, `${table.name} has no column ${name}: it has ${[...table.columns.keys()].join(', ')}`);
}

function sampleField({ timeseries, field }: { timeseries: string; field: string }, loc: Loc): Found {
  if (!isSampled(timeseries)) throw refused([...loc, 'timeseries'], `there is no timeseries ${timeseries}`);
  const table = sampleTable(timeseries);
  return { table, column: named(table, field, [...loc, 'field']) };
}

const MACROS = 'asleep_at, awake_at, awakenings or sleep_score';

function macroFound(name: string, loc: Loc): Found {
  const found = macroOf(name);
  if (found) return found;
  throw refused(loc, `${name} is not computed here: expected ${MACROS}`);
}

/** The fields of the elements of a list; a plain element is `element`. */
const ELEMENT_KINDS: Readonly<Record<string, Kind>> = {
  date: 'day',
  value: 'number',
  protection_used: 'boolean',
};
const CYCLE_LISTS: Readonly<Record<string, readonly string[]>> = {
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

/** One value of a list: its elements that fit, aggregated. */
function subqueryOf({ select, from, where }: Subquery, loc: Loc): Found {
  if ('placeholder' in select) throw refused([...loc, 'select'], 'a placeholder stands for nothing here');
  if ('placeholder' in from) throw refused([...loc, 'from'], 'a placeholder stands for nothing here');
  const source = columnOf(from.unnest, [...loc, 'from', 'unnest']);
  if ('index' in source || source.column.kind !== 'list') {
    throw refused([...loc, 'from', 'unnest'], 'expected a column that is a list');
  }
  const list = source.column;
  const find = elementColumns(list.name);
  const arg = argumentOf({ select, list: list.name, find }, [...loc, 'select', 'arg']);
  if (arg === undefined && select.func !== 'count') {
    throw refused([...loc, 'select', 'arg'], `${select.func} wants to know of what: only count does without`);
  }
  const { takes, gives, open } = aggregateOf(select.func, arg?.kind ?? 'integer', [...loc, 'select', 'func']);
  const test = where ? whereOf(where, find, [...loc, 'where']) : undefined;
  const of = (row: Row): Value => {
    const elements = list.of(row);
    if (!Array.isArray(elements)) return null;
    const sum = open();
    for (const [index, element] of elements.entries()) {
      const inner = elementRow(row, element, index);
      if (test && test(inner) !== true) continue;
      const value = arg ? arg.of(inner) : 1;
      if (value !== null) sum.add(value, inner.at);
    }
    return sum.result();
  };
  const name = [select.func, list.name, arg && arg.name !== 'element' ? arg.name : '']
    .filter(Boolean)
    .join('.');
  const kind = gives(arg?.kind ?? takes[0] ?? 'integer');
  return { table: source.table, column: { name, kind, of } };
}

function elementColumns(list: string): Find {
  const fields = CYCLE_LISTS[list] ?? ['element'];
  return (name) => {
    if (!fields.includes(name)) return undefined;
    const kind = ELEMENT_KINDS[name] ?? 'text';
    return { name, kind, of: ({ fields: own }) => scalarOf(own[name], kind) };
  };
}

function scalarOf(value: unknown, kind: Kind): Value {
  if (kind === 'day') return typeof value === 'string' ? Date.parse(`${value.slice(0, 10)}T00:00:00Z`) : null;
  const wanted = kind === 'text' ? 'string' : kind;
  return typeof value === wanted &&
    (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean')
    ? value
    : null;
}

/** An element as a row of its own: later ones are newer, and dated ones are as new as their date. */
function elementRow(row: Row, element: unknown, index: number): Row {
  const isObject = typeof element === 'object' && element !== null;
  const fields: Record<string, unknown> = isObject ? { ...element } : { element };
  const dated = scalarOf(fields['date'], 'day');
  return { ...row, fields, at: typeof dated === 'number' ? dated : index };
}

interface Argument {
  readonly select: Exclude<Subquery['select'], { placeholder: true }>;
  readonly list: string;
  readonly find: Find;
}

function argumentOf({ select, list, find }: Argument, loc: Loc): Column | undefined {
  const { arg } = select;
  if (arg === null || arg === undefined) return undefined;
  const field = 'element' in arg ? 'element' : Reflect.get(arg, list);
  const column = typeof field === 'string' ? find(field) : undefined;
  if (!column) throw refused(loc, `expected a field of the elements of ${list}`);
  return column;
}

/** The aggregate, or 422 where it cannot be taken of such a column. */
export function aggregateOf(func: FunctionName, kind: Kind, loc: Loc) {
  const aggregate = AGGREGATES[func];
  if (!aggregate.takes.includes(kind)) throw refused(loc, `there is no ${func} of a ${KIND_NAMES[kind]}`);
  return aggregate;
}

// prettier-ignore
const KIND_NAMES: Record<Kind, string> = {
  number: 'number', integer: 'number', text: 'text', boolean: 'truth value', moment: 'moment', day: 'day', list: 'list',
};

/** The test of a where-clause; 422 with the place in its text. */
export function whereOf(text: string, find: Find, loc: Loc): Test {
  try {
    return compileWhere(parseWhere(text), find);
  } catch (error) {
    if (error instanceof NotUnderstood) throw refused(loc, `at character ${error.at + 1}: ${error.message}`);
    throw error;
  }
}
