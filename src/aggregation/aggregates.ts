import type { Kind, Value } from './row.ts';

export const FUNCTIONS = [
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
export type FunctionName = (typeof FUNCTIONS)[number];

/** Takes the values of one group, one after the other; what says nothing is left out before. */
export interface Accumulator {
  add(value: Exclude<Value, null>, at: number): void;
  /** Null where there was nothing. */
  result(): Value;
}

interface Aggregate {
  /** Of what kinds of column it can be taken. */
  readonly takes: readonly Kind[];
  readonly gives: (kind: Kind) => Kind;
  readonly open: () => Accumulator;
}

const NUMBERS: readonly Kind[] = ['number', 'integer'];
const MEASURED: readonly Kind[] = [...NUMBERS, 'moment', 'day'];
const ORDERED: readonly Kind[] = [...MEASURED, 'text'];
const SAID: readonly Kind[] = [...ORDERED, 'boolean'];

const same = (kind: Kind) => kind;
/** The middle of days is a moment, that of whole numbers a number. */
const middle = (kind: Kind): Kind => (NUMBERS.includes(kind) ? 'number' : 'moment');

// prettier-ignore
export const AGGREGATES: Record<FunctionName, Aggregate> = {
  mean:   { takes: MEASURED,         gives: middle,          open: openMean },
  min:    { takes: ORDERED,          gives: same,            open: () => openBest((one, best) => one < best) },
  max:    { takes: ORDERED,          gives: same,            open: () => openBest((one, best) => one > best) },
  sum:    { takes: NUMBERS,          gives: same,            open: openSum },
  count:  { takes: [...SAID, 'list'], gives: () => 'integer', open: openCount },
  median: { takes: MEASURED,         gives: middle,          open: openMedian },
  stddev: { takes: NUMBERS,          gives: () => 'number',  open: openDeviation },
  oldest: { takes: SAID,             gives: same,            open: () => openEdge((at, edge) => at < edge) },
  newest: { takes: SAID,             gives: same,            open: () => openEdge((at, edge) => at >= edge) },
};

function openMean(): Accumulator {
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

function openSum(): Accumulator {
  let sum: number | null = null;
  return {
    add: (value) => {
      if (typeof value === 'number') sum = (sum ?? 0) + value;
    },
    result: () => sum,
  };
}

function openCount(): Accumulator {
  let count = 0;
  return { add: () => (count += 1), result: () => count };
}

type Comparable = number | string;

function openBest(isBetter: (one: Comparable, best: Comparable) => boolean): Accumulator {
  let best: Comparable | null = null;
  return {
    add: (value) => {
      if (typeof value !== 'number' && typeof value !== 'string') return;
      if (best === null || isBetter(value, best)) best = value;
    },
    result: () => best,
  };
}

/** The sample standard deviation, by Welford; null for less than two values. */
function openDeviation(): Accumulator {
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

/** It needs all values at once, so it is the only one that grows with them. */
function openMedian(): Accumulator {
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

/** Of two at the same moment, `newest` takes the later one that came and `oldest` the first. */
function openEdge(isFurther: (at: number, edge: number) => boolean): Accumulator {
  let kept: Value = null;
  let edge: number | undefined;
  return {
    add: (value, at) => {
      if (edge === undefined || isFurther(at, edge)) [kept, edge] = [value, at];
    },
    result: () => kept,
  };
}
