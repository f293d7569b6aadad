import type { TestFileBaseline } from './plan.ts';

/** Tests of one file that run for a mutant, by index. */
export interface TestSelection {
  readonly file: string;
  readonly tests: readonly number[];
  readonly slowestMs: number;
}

interface SelectionInput {
  readonly baseline: readonly TestFileBaseline[];
  readonly sourceOf: readonly number[];
  readonly budgetMs: number;
}

/**
 * The tests that reach a mutant, the cheapest file first, up to the budget. A mutant that is reached while modules load
 * or between tests may affect every test of the file. Files with tests that reach the mutant's source file come first.
 * Tests that fail without a mutant are left out.
 */
export function selectTests(id: number, { baseline, sourceOf, budgetMs }: SelectionInput): TestSelection[] {
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
