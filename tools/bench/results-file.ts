import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchFigure, BenchSize } from './bench-case.ts';

/** An entry of results.json: a figure, or why a case has none. */
export type BenchResult = { readonly name: string; readonly size: BenchSize } & (
  Omit<BenchFigure, 'name'> | { readonly error: string } | { readonly skipped: string }
);

/** Replaces the file atomically: neither a reader nor an interrupted run leaves half of it. */
export async function writeResults(file: URL, results: readonly BenchResult[]): Promise<void> {
  const path = fileURLToPath(file);
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify({ results })}\n`);
  await rename(temporary, path);
}
