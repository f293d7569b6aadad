import type { MutantResult } from './mutant.ts';
import type { Message } from './plan.ts';

/** What a run has found so far, said as it comes. */
export class Progress {
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

  /** What fails without a mutant throws doubt on what fails with one. */
  noteWithoutMutant(message: Message): void {
    if (message.is === 'baseline') {
      const { file, tests } = message.baseline;
      console.log(`without a mutant: ${file}: ${tests.length} tests`);
      // What tests take is no part of what mutants take.
      this.#beganAt = performance.now();
      for (const test of tests)
        if (!test.passed) this.#doubts.push(`without a mutant: ${test.name}: ${test.message ?? 'skipped'}`);
    }
    if (message.is === 'control') {
      this.#controls += 1;
      if (message.failed) this.#doubts.push(`control: ${message.failed}`);
    }
  }

  get results(): ReadonlyMap<string, MutantResult> {
    return this.#results;
  }

  sayControls(): void {
    console.log(`${this.#controls} controls without a mutant; ${this.#doubts.length} doubts`);
    for (const doubt of this.#doubts) console.log(`  ${doubt}`);
  }
}
