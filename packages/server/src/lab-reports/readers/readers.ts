import type { ChildProcess } from 'node:child_process';
import { runInChild, startAndRun, type ChildOutcome, type ChildTask } from './run-child.ts';
import { startChild, type ChildOptions } from './start-child.ts';

/**
 * Reader processes. Each reads one report and exits, so no state leaks between reports. One spare process with loaded
 * models waits for the next report; it exits after `idleMs` without one.
 */
export interface ReportReaders {
  /** Runs a task in the spare process, or in a new one. Throws only if no process can be started. */
  run(errand: Omit<ChildTask, 'root'>): Promise<ChildOutcome>;
  /** Kills the spare process. */
  stop(): Promise<void>;
}

interface ReportReaderOptions extends Omit<ChildOptions, 'isWarm'> {
  /** How long the spare process waits without a report. */
  readonly idleMs?: number;
}

const IDLE_MS = 5 * 60_000;
/** A spare process that dies is replaced this many times until the next report. */
const RESTARTS_MAX = 3;

export function openReaders({ idleMs = IDLE_MS, ...starting }: ReportReaderOptions): ReportReaders {
  const spare = openSpare(starting, idleMs);
  return {
    run: async (errand) => {
      // Warm up the next process after this one ends, so that the two do not compete for the processor.
      const child = spare.take();
      const ending = child ? runInChild(child, errand) : startAndRun(starting, errand);
      return ending.finally(spare.prepare);
    },
    stop: spare.stop,
  };
}

interface SpareReader {
  take(): ChildProcess | undefined;
  /** Starts a spare process in the background, unless there is one. */
  prepare(): void;
  stop(): Promise<void>;
}

function openSpare(starting: ChildOptions, idleMs: number): SpareReader {
  let spare: ChildProcess | undefined;
  let starts: Promise<void> | undefined;
  let successors = 0;
  let isStopped = false;
  let idle: NodeJS.Timeout | undefined;

  const take = (): ChildProcess | undefined => {
    const child = spare;
    spare = undefined;
    return child;
  };
  const start = async (): Promise<void> => {
    const child = await startChild({ ...starting, isWarm: true });
    if (isStopped) return killChild(child);
    spare = child;
    clearTimeout(idle);
    idle = setTimeout(() => void killChild(take()), idleMs).unref();
    const gone = () => {
      if (spare !== child) return;
      spare = undefined;
      if (successors === 0) return;
      successors -= 1;
      begin();
    };
    child.once('exit', gone);
    child.once('error', gone);
  };
  // A start that fails is retried with the next report, which then reports the error.
  const begin = () => {
    if (isStopped || spare) return;
    starts ??= start()
      .catch(() => undefined)
      .finally(() => (starts = undefined));
  };
  return {
    take,
    prepare: () => {
      successors = RESTARTS_MAX;
      begin();
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(idle);
      await starts;
      await killChild(take());
    },
  };
}

function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
