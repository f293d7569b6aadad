import type { Progress } from '../progress/progress.ts';
import type { ProgressStep } from '../progress/time-left.ts';
import type { BenchCase, BenchFigure, BenchSize, BenchStage } from './bench-case.ts';
import { figureRow, groupHead } from './figures-table.ts';
import type { BenchResult } from './results-file.ts';
import { withStrayErrors } from './stray-errors.ts';

interface BenchRun {
  readonly cases: readonly BenchCase[];
  readonly size: BenchSize;
  readonly progress: Progress;
  /** Called after every case with the results of all cases so far. */
  readonly save: (results: readonly BenchResult[]) => Promise<void>;
  /** Aborts the run: the current case is abandoned and its stage is closed. */
  readonly interrupt: AbortSignal;
}

interface BenchOutcome {
  readonly results: readonly BenchResult[];
  /** The cases that failed, and the stages that could not be closed. */
  readonly failures: readonly string[];
}

/** The cases as progress steps. The first case on a stage includes the time to open it. */
export const stepsOf = (cases: readonly BenchCase[], size: BenchSize): ProgressStep[] =>
  cases.map(({ name, stage, expectedSeconds }, n) => ({
    name,
    expectedSeconds: expectedSeconds[size] + (opensStage(cases, n, size) ? stage.expectedSeconds[size] : 0),
  }));

const opensStage = (cases: readonly BenchCase[], n: number, size: BenchSize): boolean =>
  cases[n]?.stage.isFreshForEachCase[size] === true || cases[n]?.stage !== cases[n - 1]?.stage;

/**
 * Runs the cases one after the other. A failed case does not affect others: its stage is opened again for the next
 * case, because work of the failed case may still be running on the old one. If a stage does not open, all its cases
 * fail.
 */
export async function runCases(run: BenchRun): Promise<BenchOutcome> {
  const { cases, size, progress, save, interrupt } = run;
  const results: BenchResult[] = [];
  const failures: string[] = [];
  const keeper = keepStage(run, (failure) => failures.push(failure));
  for (const [n, each] of cases.entries()) {
    if (opensStage(cases, n, size)) await keeper.close();
    if (interrupt.aborted) break;
    if (each.group !== cases[n - 1]?.group) for (const line of groupHead(each.group)) progress.print(line);
    progress.begin(each.name);
    const outcome = await keeper.failing(each, () => runCase(each, run, results));
    if (interrupt.aborted) break;
    if (outcome !== undefined) {
      failures.push(`${each.name}: ${outcome}`);
      results.push({ name: each.name, size, error: outcome });
      progress.print(`${each.name} failed: ${outcome}`);
    }
    await save(results);
  }
  await keeper.close();
  progress.end();
  return { results, failures };
}

async function runCase(each: BenchCase, { size, progress }: BenchRun, results: BenchResult[]): Promise<void> {
  let isEnded = false;
  const report = (figure: BenchFigure) => {
    // A case that failed with a stray error may still be running.
    if (isEnded) return;
    results.push({ ...figure, size });
    progress.print(figureRow(figure));
  };
  const skip = (reason: string) => {
    results.push({ name: each.name, size, skipped: reason });
    progress.print(`${each.name} skipped: ${reason}`);
  };
  await withStrayErrors(() => each.run(size, { report, skip, advance: progress.advance })).finally(
    () => (isEnded = true),
  );
}

/** Holds the one open stage, and closes it when a case on it fails. */
function keepStage({ size, progress, interrupt }: BenchRun, addFailure: (failure: string) => void) {
  let open: BenchStage | undefined;
  let broken: { readonly stage: BenchStage; readonly error: string } | undefined;
  const close = async () => {
    const stage = open;
    open = undefined;
    if (!stage) return;
    await withStrayErrors(() => stage.close()).catch((error: unknown) => {
      if (interrupt.aborted) return;
      addFailure(`${stage.name} was not closed: ${messageOf(error)}`);
      progress.print(`The stage ${stage.name} was not closed: ${messageOf(error)}`);
    });
  };
  const ensureOpen = async (stage: BenchStage) => {
    if (broken?.stage === stage) throw new Error(broken.error);
    if (open) return;
    open = stage;
    try {
      await withStrayErrors(() => stage.open(size));
      // The run may have been aborted meanwhile.
      interrupt.throwIfAborted();
    } catch (error) {
      broken = { stage, error: `The stage ${stage.name} did not open: ${messageOf(error)}` };
      throw new Error(broken.error, { cause: error });
    }
  };
  return {
    close,
    /** Runs a case on its stage; returns the error message, or undefined. */
    async failing({ stage }: BenchCase, work: () => Promise<void>): Promise<string | undefined> {
      try {
        await untilInterrupted(interrupt, ensureOpen(stage).then(work));
        return undefined;
      } catch (error) {
        await close();
        return messageOf(error);
      }
    },
  };
}

function untilInterrupted<T>(interrupt: AbortSignal, work: Promise<T>): Promise<T> {
  const interrupted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('Interrupted'));
    if (interrupt.aborted) stop();
    interrupt.addEventListener('abort', stop, { once: true });
    work.catch(() => {}).finally(() => interrupt.removeEventListener('abort', stop));
  });
  return Promise.race([work, interrupted]);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
