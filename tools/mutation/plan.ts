/** What the process that runs mutants is told. All paths are absolute. */
export interface MutationPlan {
  readonly root: string;
  /** Sources with their mutants in them, by path. */
  readonly sources: Readonly<Record<string, string>>;
  /** Of whom the result is wanted, by number. */
  readonly wanted: readonly number[];
  /** The source of each number, by its place among the sources. */
  readonly sourceOf: readonly number[];
  readonly tests: readonly string[];
  /** What earlier processes of the same run found out about the tests. */
  readonly baseline: readonly TestFileBaseline[];
  /** How long the tests of one mutant may take, as measured without a mutant. */
  readonly budgetMs: number;
  /** Where lines of JSON are added, each a `Message`. */
  readonly output: string;
}

/** A test file as it ran without a mutant. */
export interface TestFileBaseline {
  readonly file: string;
  /** How long it takes until the first test begins, and after the last. */
  readonly aroundMs: number;
  /** Mutants that were reached while modules were loaded: they need them to be loaded again. */
  readonly loading: readonly number[];
  /** Mutants that were reached outside of tests: by hooks, and by what goes on between tests. */
  readonly outside: readonly number[];
  readonly tests: readonly TestBaseline[];
}

export interface TestBaseline {
  readonly name: string;
  readonly passed: boolean;
  /** Why it did not pass. */
  readonly message?: string;
  readonly ms: number;
  readonly reached: readonly number[];
}

export type Message =
  | { readonly is: 'baseline'; readonly baseline: TestFileBaseline }
  | { readonly is: 'begun'; readonly id: number }
  | {
      readonly is: 'ended';
      readonly id: number;
      readonly outcome: 'killed' | 'timeout' | 'survived' | 'uncovered';
      readonly by?: string;
      readonly ms: number;
    }
  /** The same tests without a mutant: whatever fails is no proof of anything. */
  | { readonly is: 'control'; readonly failed?: string }
  | { readonly is: 'finished' };

declare module 'vitest' {
  interface ProvidedContext {
    mutationPlan: string;
  }
}
