import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MutantResult, Outcome } from './mutant.ts';

/** What is known of a module: the last result of each of its mutants that was run. */
export interface ModuleResults {
  readonly name: string;
  /** How many mutants there are, whether they were run or not. */
  readonly mutants: number;
  readonly results: readonly MutantResult[];
}

const fileOf = (root: string, name: string): string => join(root, '.data', 'mutation', `${name}.json`);

export async function readResults(root: string, name: string): Promise<ModuleResults | undefined> {
  const text = await readFile(fileOf(root, name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

export async function writeResults(root: string, results: ModuleResults): Promise<void> {
  await mkdir(join(root, '.data', 'mutation'), { recursive: true });
  await writeFile(fileOf(root, results.name), `${JSON.stringify(results, null, 1)}\n`);
}

const OUTCOMES: readonly Outcome[] = ['killed', 'timeout', 'survived', 'uncovered', 'equivalent'];

/** A row of the table: name, mutants, run, each outcome, score. */
export function rowOf({ name, mutants, results }: ModuleResults): string {
  const count = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length;
  const counted = results.length - count('equivalent');
  const score =
    counted === 0 ? '-' : `${((100 * (count('killed') + count('timeout'))) / counted).toFixed(1)} %`;
  return `| ${[name, mutants, results.length, ...OUTCOMES.map(count), score].join(' | ')} |`;
}

export const HEAD = `| module | mutants | run | killed | timed out | survived | not reached | equivalent | score |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |`;
