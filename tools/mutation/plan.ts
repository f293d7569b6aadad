/** The input of the process that runs mutants. All paths are absolute. */
export interface MutationPlan {
  readonly root: string;
  /** Sources with their mutants, by path. */
  readonly sources: Readonly<Record<string, string>>;
  /** Numbers of the mutants to run. */
  readonly wanted: readonly number[];
  /** The index of each mutant's source file. */
  readonly sourceOf: readonly number[];
  /** Mutants in queries that are compiled once: to run them, modules must be loaded again. */
  readonly precompiled: readonly number[];
  readonly tests: readonly string[];
  /** Baselines that earlier processes of the same run measured. */
  readonly baseline: readonly TestFileBaseline[];
  /** Limit for the tests of one mutant, by their time without a mutant. */
  readonly budgetMs: number;
  /** File to which messages are appended as JSON lines. */
  readonly output: string;
}

/** A test file as it ran without a mutant. */
export interface TestFileBaseline {
  readonly file: string;
  /** Time before the first test and after the last. */
  readonly aroundMs: number;
  /** Mutants that were reached while modules loaded: to run them, modules must be loaded again. */
  readonly loading: readonly number[];
  /** Mutants that were reached outside tests: by hooks, and by background work between tests. */
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

export type PlanMessage =
  | { readonly is: 'baseline'; readonly baseline: TestFileBaseline }
  | { readonly is: 'begun'; readonly id: number }
  | {
      readonly is: 'ended';
      readonly id: number;
      readonly outcome: 'killed' | 'timeout' | 'survived' | 'uncovered';
      readonly by?: string;
      readonly ms: number;
    }
  /** The same tests without a mutant: a failure shows that the tests are unreliable. */
  | { readonly is: 'control'; readonly failed?: string }
  | { readonly is: 'finished' };

declare module 'vitest' {
  interface ProvidedContext {
    mutationPlan: string;
  }
}
