import { formatLocalDay } from '../local-time.ts';
import type { AggregationColumn, AggregationRow, ScalarValue } from '../row.ts';
import type {
  WhereCondition,
  LiteralValue,
  ColumnReference,
  ComparisonOperator,
  WhereLiteral,
} from './parse.ts';
import { WhereSyntaxError } from './tokens.ts';

/** Three-valued logic as in SQL: null if a compared column is null. Only true selects the row. */
export type RowPredicate = (row: AggregationRow) => boolean | null;

/** Looks up a column by the name used in a where clause. */
export type ColumnFinder = (name: string) => AggregationColumn | undefined;

/** Throws WhereSyntaxError for an unknown column, and for a literal whose type differs from its column's. */
export function compileWhere(condition: WhereCondition, find: ColumnFinder): RowPredicate {
  switch (condition.kind) {
    case 'and':
      return compileJunction(condition.parts, find, false);
    case 'or':
      return compileJunction(condition.parts, find, true);
    case 'not': {
      const test = compileWhere(condition.part, find);
      return (row) => {
        const fits = test(row);
        return fits === null ? null : !fits;
      };
    }
    case 'null': {
      const { of } = findColumn(condition.column, find);
      return (row) => of(row) === null;
    }
    case 'in':
      return anyOf(
        condition.literals.map((literal) =>
          compileComparison({ ...condition, operator: '=', literal }, find),
        ),
      );
    case 'compare':
      return compileComparison(condition, find);
  }
}

function compileJunction(
  parts: readonly WhereCondition[],
  find: ColumnFinder,
  decides: boolean,
): RowPredicate {
  const tests = parts.map((part) => compileWhere(part, find));
  return decides ? anyOf(tests) : allOf(tests);
}

const anyOf = (tests: readonly RowPredicate[]): RowPredicate => combineTests(tests, true);
const allOf = (tests: readonly RowPredicate[]): RowPredicate => combineTests(tests, false);

/** AND (`decides` false) or OR (`decides` true): one deciding test is enough; otherwise any null gives null. */
const combineTests =
  (tests: readonly RowPredicate[], decides: boolean): RowPredicate =>
  (row) => {
    let isOpen = false;
    for (const test of tests) {
      const fits = test(row);
      if (fits === decides) return decides;
      if (fits === null) isOpen = true;
    }
    return isOpen ? null : !decides;
  };

interface WhereComparison {
  readonly column: ColumnReference;
  readonly operator: ComparisonOperator;
  readonly literal: WhereLiteral;
}

function compileComparison({ column, operator, literal }: WhereComparison, find: ColumnFinder): RowPredicate {
  const { of, kind, name } = findColumn(column, find);
  if (kind === 'list')
    throw new WhereSyntaxError(column.at, `${name} is a list, and lists cannot be compared`);
  const value = toComparableValue(kind, literal, name);
  const holds = COMPARATORS[operator];
  return (row) => {
    const own = of(row);
    return own === null || typeof own === 'object' ? null : holds(own, value);
  };
}

function findColumn({ name, at }: ColumnReference, find: ColumnFinder): AggregationColumn {
  const column = find(name);
  if (!column) throw new WhereSyntaxError(at, `unknown column ${name}`);
  return column;
}

type NonNullScalar = Exclude<ScalarValue, null>;
// prettier-ignore
const COMPARATORS: Record<ComparisonOperator, (own: NonNullScalar, said: NonNullScalar) => boolean> = {
  '=':  (own, said) => own === said,
  '!=': (own, said) => own !== said,
  '<':  (own, said) => own < said,
  '<=': (own, said) => own <= said,
  '>':  (own, said) => own > said,
  '>=': (own, said) => own >= said,
};

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$/;

/** Converts a literal to the representation of its column; timestamps are in local time. */
function toComparableValue(
  kind: AggregationColumn['kind'],
  { value, at }: WhereLiteral,
  name: string,
): LiteralValue {
  if (kind === 'moment' || kind === 'day') {
    const moment = typeof value === 'string' && LOCAL_TIME.test(value) ? parseLocalTime(value) : Number.NaN;
    if (!Number.isNaN(moment)) return moment;
    throw new WhereSyntaxError(
      at,
      `${name} must be compared with a day or a local time such as '2026-03-01T07:30:00'`,
    );
  }
  const wanted = kind === 'integer' ? 'number' : kind === 'text' ? 'string' : kind;
  if (typeof value === wanted) return value;
  throw new WhereSyntaxError(at, `${name} must be compared with a ${wanted}`);
}

/** NaN for an invalid date. Date.parse would accept February 31 as a day in March. */
function parseLocalTime(text: string): number {
  const moment = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : `${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(moment) && formatLocalDay(moment) === text.slice(0, 10) ? moment : Number.NaN;
}
