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
  /** Whether modules are loaded again for the mutant. */
  readonly loadsAgain: boolean;
}

/**
 * The tests that reach a mutant, the cheapest file first, up to the budget. A mutant for which modules are loaded again,
 * or that is reached between tests, may affect every test of the file. Files with tests that reach the mutant's source file come first.
 * Tests that fail without a mutant are left out.
 */
export function selectTests(
  id: number,
  { baseline, sourceOf, budgetMs, loadsAgain }: SelectionInput,
): TestSelection[] {
  const isNear = (other: number) => sourceOf[other] === sourceOf[id];
  const files = baseline.flatMap((file) => {
    const everywhere = loadsAgain || file.outside.includes(id);
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
