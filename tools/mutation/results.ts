import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MutantResult, MutantOutcome } from './mutant.ts';

/** The last result of each mutant of a module that was run. */
export interface ModuleResults {
  readonly name: string;
  /** Number of all mutants, whether they were run or not. */
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

const OUTCOMES: readonly MutantOutcome[] = ['killed', 'timeout', 'survived', 'uncovered', 'equivalent'];

/** A table row: name, mutants, run, each outcome, score. */
export function resultRow({ name, mutants, results }: ModuleResults): string {
  const count = (outcome: MutantOutcome) => results.filter((result) => result.outcome === outcome).length;
  const counted = results.length - count('equivalent');
  const score =
    counted === 0 ? '-' : `${((100 * (count('killed') + count('timeout'))) / counted).toFixed(1)} %`;
  return `| ${[name, mutants, results.length, ...OUTCOMES.map(count), score].join(' | ')} |`;
}

export const TABLE_HEAD = `| module | mutants | run | killed | timed out | survived | not reached | equivalent | score |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |`;
