/** A small fault: replaces the source text from `start` to `end`. */
export interface SourceFault {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly kind: string;
  /** The part that really differs, if `start` to `end` covers much more. */
  readonly part?: { readonly at: number; readonly original: string; readonly replacement: string };
}

export interface Mutant extends SourceFault {
  /** Its number among all mutants of its run. */
  readonly id: number;
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly line: number;
  /** Stable between runs as long as its own source text does not change. */
  readonly key: string;
  /** Whether it is in a query that is compiled once: without loading modules again, it would have no effect. */
  readonly precompiled: boolean;
}

export type MutantOutcome = 'killed' | 'timeout' | 'survived' | 'uncovered' | 'equivalent';

export interface MutantResult {
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly outcome: MutantOutcome;
  /** The test that killed it. */
  readonly by?: string;
  readonly ms?: number;
}
