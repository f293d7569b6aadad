import type { MutantResult } from './mutant.ts';
import type { PlanMessage } from './plan.ts';

/** Collects the results of a run and prints each as it comes. */
export class MutationProgress {
  #beganAt = performance.now();
  readonly #results = new Map<string, MutantResult>();
  readonly #wanted: number;
  #controls = 0;
  readonly #doubts: string[] = [];

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  add(result: MutantResult): void {
    this.#results.set(result.key, result);
    const done = this.#results.size;
    const secondsLeft = ((performance.now() - this.#beganAt) / done / 1000) * (this.#wanted - done);
    const what = `${result.outcome} ${result.file}:${result.line} ${result.key.slice(result.file.length + 1)}`;
    console.log(`${done}/${this.#wanted} ${what} (${Math.ceil(secondsLeft / 60)} min left)`);
  }

  /** A test that fails without a mutant makes its failures with one unreliable. */
  noteWithoutMutant(message: PlanMessage): void {
    if (message.is === 'baseline') {
      const { file, tests } = message.baseline;
      console.log(`baseline: ${file}: ${tests.length} tests`);
      // The time of baselines does not count for the estimate of mutants.
      this.#beganAt = performance.now();
      for (const test of tests)
        if (!test.passed) this.#doubts.push(`baseline: ${test.name}: ${test.message ?? 'skipped'}`);
    }
    if (message.is === 'control') {
      this.#controls += 1;
      if (message.failed) this.#doubts.push(`control: ${message.failed}`);
    }
  }

  get results(): ReadonlyMap<string, MutantResult> {
    return this.#results;
  }

  printControls(): void {
    console.log(
      `${this.#controls} control runs without a mutant; ${this.#doubts.length} failures without a mutant`,
    );
    for (const doubt of this.#doubts) console.log(`  ${doubt}`);
  }
}
