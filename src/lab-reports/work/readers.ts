import type { ChildProcess } from 'node:child_process';
import { converse, type Ending, type Errand } from './run-child.ts';
import { startChild, type Starting } from './start-child.ts';

/** Processes that read reports: each reads one, and one more waits, loaded, for the next. */
export interface Readers {
  /** In the process that waits, or in a new one where none does. Throws only when none can be started. */
  run(errand: Omit<Errand, 'root'>): Promise<Ending>;
  /** Lets the one go that waits. */
  stop(): Promise<void>;
}

export interface ReaderOptions extends Omit<Starting, 'isWarm'> {
  /** How long a process waits for nothing. */
  readonly idleMs?: number;
}

const IDLE_MS = 5 * 60_000;
/** One that falls while it waits has a successor, but not for ever: until the next report needs one. */
const SUCCESSORS = 3;

export function openReaders({ idleMs = IDLE_MS, ...starting }: ReaderOptions): Readers {
  const spare = openSpare(starting, idleMs);
  return {
    run: async (errand) => {
      const child = spare.take() ?? (await startChild(starting));
      // Two at once would be in each other's way: the next one gets ready when this one is done.
      return converse(child, errand).finally(spare.prepare);
    },
    stop: spare.stop,
  };
}

interface Spare {
  take(): ChildProcess | undefined;
  /** In the background, unless one waits already. */
  prepare(): void;
  stop(): Promise<void>;
}

function openSpare(starting: Starting, idleMs: number): Spare {
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
    if (isStopped) return ended(child);
    spare = child;
    clearTimeout(idle);
    idle = setTimeout(() => void ended(take()), idleMs).unref();
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
  // A process that cannot be started now is tried again with the next report, which then says so.
  const begin = () => {
    if (isStopped || spare) return;
    starts ??= start()
      .catch(() => undefined)
      .finally(() => (starts = undefined));
  };
  return {
    take,
    prepare: () => {
      successors = SUCCESSORS;
      begin();
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(idle);
      await starts;
      await ended(take());
    },
  };
}

function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
