import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { RanStatements } from '../../packages/server/test/statement-log.ts';

/** What a test file ran in all of its databases. */
interface FileStatements {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly seconds: number;
  readonly statements: ReadonlySet<string>;
}

/** Reads what a run with STATEMENTS_FILE wrote. Nothing for a file that is not there. */
export async function readStatements(path: string, root: string): Promise<FileStatements[]> {
  const text = existsSync(path) ? await readFile(path, 'utf8') : '';
  const files = new Map<string, { seconds: number; statements: Set<string> }>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { file, seconds, statements } = JSON.parse(line) as RanStatements;
    const name = relative(root, file).split(sep).join('/');
    const known = files.get(name) ?? { seconds: 0, statements: new Set<string>() };
    for (const statement of statements) known.statements.add(statement);
    files.set(name, { seconds: known.seconds + seconds, statements: known.statements });
  }
  return [...files].map(([file, ran]) => ({ file, ...ran }));
}

/**
 * Few files that together run every statement that all of them run: always the one that adds the most statements for its
 * time. That is not the smallest choice, but within a logarithm of it, and the smallest would take for ever to find.
 */
export function chooseCover(all: readonly FileStatements[]): string[] {
  const missing = new Set(all.flatMap(({ statements }) => [...statements]));
  const chosen: string[] = [];
  const gain = ({ statements, seconds }: FileStatements): number =>
    [...statements].filter((one) => missing.has(one)).length / Math.max(seconds, 0.1);
  while (missing.size > 0) {
    const best = all.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    chosen.push(best.file);
    for (const statement of best.statements) missing.delete(statement);
  }
  return chosen.toSorted();
}
