import type { ColumnKind, ColumnValue } from './row.ts';

export const AGGREGATE_FUNCTIONS = [
  'mean',
  'min',
  'max',
  'sum',
  'count',
  'median',
  'stddev',
  'oldest',
  'newest',
] as const;
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

/** Aggregates the values of one group, one at a time. Callers skip nulls. */
export interface Accumulator {
  add(value: Exclude<ColumnValue, null>, at: number): void;
  /** Null if no value was added; a count is then 0. */
  result(): ColumnValue;
}

interface AggregateDefinition {
  /** The kinds of column that the function accepts. */
  readonly inputKinds: readonly ColumnKind[];
  readonly resultKind: (kind: ColumnKind) => ColumnKind;
  readonly open: () => Accumulator;
}

const NUMERIC_KINDS: readonly ColumnKind[] = ['number', 'integer'];
const MEASURABLE_KINDS: readonly ColumnKind[] = [...NUMERIC_KINDS, 'moment', 'day'];
const ORDERED_KINDS: readonly ColumnKind[] = [...MEASURABLE_KINDS, 'text'];
const SCALAR_KINDS: readonly ColumnKind[] = [...ORDERED_KINDS, 'boolean'];

const keepKind = (kind: ColumnKind) => kind;
/** An average of days is a moment; an average of integers is a number. */
const averageKind = (kind: ColumnKind): ColumnKind => (NUMERIC_KINDS.includes(kind) ? 'number' : 'moment');

// prettier-ignore
export const AGGREGATES: Record<AggregateFunction, AggregateDefinition> = {
  mean:   { inputKinds: MEASURABLE_KINDS,         resultKind: averageKind,          open: createMean },
  min:    { inputKinds: ORDERED_KINDS,          resultKind: keepKind,            open: () => createExtremum((one, best) => one < best) },
  max:    { inputKinds: ORDERED_KINDS,          resultKind: keepKind,            open: () => createExtremum((one, best) => one > best) },
  sum:    { inputKinds: NUMERIC_KINDS,          resultKind: keepKind,            open: createSum },
  count:  { inputKinds: [...SCALAR_KINDS, 'list'], resultKind: () => 'integer', open: createCount },
  median: { inputKinds: MEASURABLE_KINDS,         resultKind: averageKind,          open: createMedian },
  stddev: { inputKinds: NUMERIC_KINDS,          resultKind: () => 'number',  open: createStandardDeviation },
  oldest: { inputKinds: SCALAR_KINDS,             resultKind: keepKind,            open: () => createFirstOrLast((at, edge) => at < edge) },
  newest: { inputKinds: SCALAR_KINDS,             resultKind: keepKind,            open: () => createFirstOrLast((at, edge) => at >= edge) },
};

function createMean(): Accumulator {
  let [count, mean] = [0, 0];
  return {
    add: (value) => {
      if (typeof value !== 'number') return;
      count += 1;
      mean += (value - mean) / count;
    },
    result: () => (count === 0 ? null : mean),
  };
}

function createSum(): Accumulator {
  let sum: number | null = null;
  return {
    add: (value) => {
      if (typeof value === 'number') sum = (sum ?? 0) + value;
    },
    result: () => sum,
  };
}

function createCount(): Accumulator {
  let count = 0;
  return { add: () => (count += 1), result: () => count };
}

type ComparableValue = number | string;

function createExtremum(isBetter: (one: ComparableValue, best: ComparableValue) => boolean): Accumulator {
  let best: ComparableValue | null = null;
  return {
    add: (value) => {
      if (typeof value !== 'number' && typeof value !== 'string') return;
      if (best === null || isBetter(value, best)) best = value;
    },
    result: () => best,
  };
}

/** Sample standard deviation by Welford's algorithm; null for fewer than two values. */
function createStandardDeviation(): Accumulator {
  let [count, mean, squares] = [0, 0, 0];
  return {
    add: (value) => {
      if (typeof value !== 'number') return;
      count += 1;
      const before = value - mean;
      mean += before / count;
      squares += before * (value - mean);
    },
    result: () => (count < 2 ? null : Math.sqrt(squares / (count - 1))),
  };
}

/** The median needs all values: the only accumulator with O(n) memory. */
function createMedian(): Accumulator {
  const values: number[] = [];
  return {
    add: (value) => {
      if (typeof value === 'number') values.push(value);
    },
    result: () => {
      if (values.length === 0) return null;
      const sorted = Float64Array.from(values).sort();
      const high = sorted[Math.floor(sorted.length / 2)] ?? 0;
      const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
      return (low + high) / 2;
    },
  };
}

/** Of values with the same time, `newest` takes the last one added and `oldest` the first. */
function createFirstOrLast(isFurther: (at: number, edge: number) => boolean): Accumulator {
  let kept: ColumnValue = null;
  let edge: number | undefined;
  return {
    add: (value, at) => {
      if (edge === undefined || isFurther(at, edge)) [kept, edge] = [value, at];
    },
    result: () => kept,
  };
}
