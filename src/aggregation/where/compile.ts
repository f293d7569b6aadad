import { wallDay } from '../local-time.ts';
import type { Column, Row, Scalar } from '../row.ts';
import type { Condition, Literal, Named, Operator, Said } from './parse.ts';
import { NotUnderstood } from './tokens.ts';

/** Whether a row fits; null where a column that is asked says nothing, as in SQL: such a row does not fit. */
export type Test = (row: Row) => boolean | null;

/** The columns that a where-clause may name. */
export type Find = (name: string) => Column | undefined;

/** Throws NotUnderstood for a column that is not there, and for a literal of another kind than its column. */
export function compileWhere(condition: Condition, find: Find): Test {
  switch (condition.kind) {
    case 'and':
      return joined(condition.parts, find, false);
    case 'or':
      return joined(condition.parts, find, true);
    case 'not': {
      const test = compileWhere(condition.part, find);
      return (row) => {
        const fits = test(row);
        return fits === null ? null : !fits;
      };
    }
    case 'null': {
      const { of } = columnOf(condition.column, find);
      return (row) => of(row) === null;
    }
    case 'in':
      return anyOf(
        condition.literals.map((literal) => compared({ ...condition, operator: '=', literal }, find)),
      );
    case 'compare':
      return compared(condition, find);
  }
}

function joined(parts: readonly Condition[], find: Find, decides: boolean): Test {
  const tests = parts.map((part) => compileWhere(part, find));
  return decides ? anyOf(tests) : allOf(tests);
}

const anyOf = (tests: readonly Test[]): Test => decided(tests, true);
const allOf = (tests: readonly Test[]): Test => decided(tests, false);

/** One part that `decides` is enough; else a part that does not know leaves it open. */
const decided =
  (tests: readonly Test[], decides: boolean): Test =>
  (row) => {
    let isOpen = false;
    for (const test of tests) {
      const fits = test(row);
      if (fits === decides) return decides;
      if (fits === null) isOpen = true;
    }
    return isOpen ? null : !decides;
  };

interface Comparison {
  readonly column: Named;
  readonly operator: Operator;
  readonly literal: Said;
}

function compared({ column, operator, literal }: Comparison, find: Find): Test {
  const { of, kind, name } = columnOf(column, find);
  if (kind === 'list') throw new NotUnderstood(column.at, `${name} is a list and cannot be compared`);
  const value = valueFor(kind, literal, name);
  const holds = HOLDS[operator];
  return (row) => {
    const own = of(row);
    return own === null || typeof own === 'object' ? null : holds(own, value);
  };
}

function columnOf({ name, at }: Named, find: Find): Column {
  const column = find(name);
  if (!column) throw new NotUnderstood(at, `there is no column ${name}`);
  return column;
}

type Compared = Exclude<Scalar, null>;
// prettier-ignore
const HOLDS: Record<Operator, (own: Compared, said: Compared) => boolean> = {
  '=':  (own, said) => own === said,
  '!=': (own, said) => own !== said,
  '<':  (own, said) => own < said,
  '<=': (own, said) => own <= said,
  '>':  (own, said) => own > said,
  '>=': (own, said) => own >= said,
};

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$/;

/** The literal as its column holds values; moments are read on the user's wall. */
function valueFor(kind: Column['kind'], { value, at }: Said, name: string): Literal {
  if (kind === 'moment' || kind === 'day') {
    const moment = typeof value === 'string' && MOMENT.test(value) ? wallOf(value) : Number.NaN;
    if (!Number.isNaN(moment)) return moment;
    throw new NotUnderstood(at, `${name} is compared with a day or a local time, as '2026-03-01T07:30:00'`);
  }
  const wanted = kind === 'integer' ? 'number' : kind === 'text' ? 'string' : kind;
  if (typeof value === wanted) return value;
  throw new NotUnderstood(at, `${name} is compared with a ${wanted === 'string' ? 'text' : wanted}`);
}

/** Not a number for a day that is in no calendar, which the language would take for one of the next month. */
function wallOf(text: string): number {
  const moment = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : `${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(moment) && wallDay(moment) === text.slice(0, 10) ? moment : Number.NaN;
}
