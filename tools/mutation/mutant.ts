/** One small fault: the text of `start` to `end` replaced. */
export interface Fault {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly kind: string;
  /** What of it differs, where `start` to `end` is much more. */
  readonly part?: { readonly at: number; readonly original: string; readonly replacement: string };
}

export interface Mutant extends Fault {
  /** Its number among all mutants of its run. */
  readonly id: number;
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly line: number;
  /** Differs from run to run only when its own text does. */
  readonly key: string;
}

export type Outcome = 'killed' | 'timeout' | 'survived' | 'uncovered' | 'equivalent';

export interface MutantResult {
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly outcome: Outcome;
  /** The test that failed. */
  readonly by?: string;
  readonly ms?: number;
}
