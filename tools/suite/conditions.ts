import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The load on the machine while the suite runs. */
export interface SoakCondition {
  readonly name: 'idle' | 'busy' | 'one-core';
  readonly description: string;
  /** Default number of runs. */
  readonly runs: number;
  /** Initial estimate of a run's duration, replaced by measured times. */
  readonly expectedSeconds: number;
  /** Command prefix that starts the suite. */
  readonly prefix: readonly string[];
  /** Number of processes that each keep a core busy. */
  readonly competitors: number;
}

export const CONDITIONS: readonly SoakCondition[] = [
  {
    name: 'idle',
    description: 'no other load',
    runs: 10,
    expectedSeconds: 420,
    prefix: [],
    competitors: 0,
  },
  {
    name: 'busy',
    description: 'one busy process of equal priority per core',
    runs: 5,
    expectedSeconds: 800,
    prefix: [],
    competitors: availableParallelism(),
  },
  {
    name: 'one-core',
    description: 'the suite and its servers share one core',
    runs: 3,
    expectedSeconds: 900,
    prefix: ['taskset', '--cpu-list', '0'],
    competitors: 0,
  },
];

/** Keeps cores busy until stopped. A competitor also ends when its parent process ends for any reason. */
export function startCompetitors(count: number): { stop(): void } {
  // Checks its parent every 100 ms: after a kill -9 of the soak, the parent pid changes.
  const loop = `const parent = process.ppid;
    for (;;) {
      const until = Date.now() + 100;
      while (Date.now() < until);
      if (process.ppid !== parent) process.exit();
    }`;
  const processes: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );
  return { stop: () => processes.forEach((each) => each.kill('SIGKILL')) };
}
