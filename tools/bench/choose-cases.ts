import { parseArgs } from 'node:util';
import type { BenchCase, BenchSize } from './bench-case.ts';

export interface ChosenCases {
  readonly cases: readonly BenchCase[];
  readonly size: BenchSize;
}

/** Parses `[--quick] [NAME...]`. Without a name all cases are chosen. They keep the order of the table. */
export function chooseCases(all: readonly BenchCase[], args: readonly string[]): ChosenCases {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const names = new Set(all.map(({ name }) => name));
  const unknown = positionals.filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new Error(`No case is named ${unknown.join(' or ')}. The cases are ${[...names].join(', ')}.`);
  const cases = positionals.length === 0 ? all : all.filter(({ name }) => positionals.includes(name));
  return { cases, size: values.quick ? 'quick' : 'full' };
}
