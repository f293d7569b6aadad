import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** What else happens on the machine while the suite runs. */
export interface Condition {
  readonly name: 'idle' | 'busy' | 'one-core';
  readonly description: string;
  /** How often it is run when the command line does not say. */
  readonly runs: number;
  /** A first guess at how long a run takes; measured times take its place. */
  readonly expectedSeconds: number;
  /** A command that the suite is started by. */
  readonly prefix: readonly string[];
  /** How many processes keep a core busy meanwhile. */
  readonly competitors: number;
}

export const CONDITIONS: readonly Condition[] = [
  {
    name: 'idle',
    description: 'nothing else runs',
    runs: 10,
    expectedSeconds: 420,
    prefix: [],
    competitors: 0,
  },
  {
    name: 'busy',
    description: 'a process of equal priority keeps each core busy',
    runs: 5,
    expectedSeconds: 800,
    prefix: [],
    competitors: availableParallelism(),
  },
  {
    name: 'one-core',
    description: 'the suite and its servers have one core',
    runs: 3,
    expectedSeconds: 900,
    prefix: ['taskset', '--cpu-list', '0'],
    competitors: 0,
  },
];

/** Keeps cores busy until it is stopped. A competitor ends with the process that started it, however that ends. */
export function startCompetitors(count: number): { stop(): void } {
  // It looks every tenth of a second whether the soak is still there: after a kill -9 it has another parent.
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
