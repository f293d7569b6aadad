import type { TestFileBaseline } from './plan.ts';

/** Tests of one file that run for a mutant, by their places in the file. */
export interface Selection {
  readonly file: string;
  readonly tests: readonly number[];
  readonly slowestMs: number;
}

interface Known {
  readonly baseline: readonly TestFileBaseline[];
  readonly sourceOf: readonly number[];
  readonly budgetMs: number;
}

/**
 * The tests that reach a mutant, the cheapest file first, up to the budget. What is reached while modules load or
 * between tests may show in every test of the file; first come files with tests that reach anything of its source. A
 * test that does not pass without a mutant proves nothing.
 */
export function selectTests(id: number, { baseline, sourceOf, budgetMs }: Known): Selection[] {
  const isNear = (other: number) => sourceOf[other] === sourceOf[id];
  const loads = baseline.some(({ loading }) => loading.includes(id));
  const files = baseline.flatMap((file) => {
    const everywhere = loads || file.outside.includes(id);
    const tests = [...file.tests.entries()].filter(
      ([, test]) => test.passed && (everywhere || test.reached.includes(id)),
    );
    if (tests.length === 0) return [];
    const costMs = tests.reduce((sum, [, { ms }]) => sum + ms, file.aroundMs);
    const near = tests.some(([, { reached }]) => reached.some(isNear));
    return [{ file: file.file, tests, costMs, near }];
  });
  let spentMs = 0;
  return files
    .toSorted((a, b) => Number(b.near) - Number(a.near) || a.costMs - b.costMs)
    .flatMap(({ file, tests, costMs }) => {
      if (spentMs > 0 && spentMs + costMs > budgetMs) return [];
      spentMs += costMs;
      return [
        { file, tests: tests.map(([at]) => at), slowestMs: Math.max(...tests.map(([, { ms }]) => ms)) },
      ];
    });
}
