/** Tasks that undo the steps of an opening. The task that was added last runs first. */
export type CleanupTasks = (() => Promise<unknown>)[];

export interface StageOpening<S> {
  readonly opened: Promise<S>;
  /** Runs all cleanup tasks, even if one fails, and then throws the first failure. */
  close(): Promise<void>;
}

/** Opens a resource in steps, each of which adds the task that undoes it. Can be closed before it is open. */
export function openInSteps<S>(open: (cleanups: CleanupTasks) => Promise<S>): StageOpening<S> {
  const tasks: CleanupTasks = [];
  let isSettled = false;
  const opened = open(tasks).finally(() => (isSettled = true));
  // Callers that await `opened` get the failure; a caller that only closes must not cause an unhandled rejection.
  opened.catch(() => {});
  return {
    opened,
    async close() {
      if (isSettled) return runAll(tasks.splice(0));
      // Without its servers the opening ends soon. The second pass undoes what it started meanwhile; most tasks run
      // twice, so their failures are ignored.
      await runAll([...tasks]).catch(() => {});
      await opened.catch(() => {});
      await runAll(tasks.splice(0)).catch(() => {});
    },
  };
}

async function runAll(tasks: CleanupTasks): Promise<void> {
  const failures: unknown[] = [];
  for (const task of tasks.toReversed()) {
    try {
      await task();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const INTERRUPTED = 130;

/** Runs `use` on what `open` returns, and cleans up all processes and folders, even if the command is interrupted. */
export async function withCleanup<S, T>(
  open: (cleanups: CleanupTasks) => Promise<S>,
  use: (opened: S) => Promise<T>,
): Promise<T> {
  const opening = openInSteps(open);
  let isInterrupted = false;
  // The terminal and npm may both send a signal: only the first one counts.
  const interrupt = () => {
    if (isInterrupted) return;
    isInterrupted = true;
    void opening.close().finally(() => process.exit(INTERRUPTED));
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await use(await opening.opened);
  } finally {
    // Callers must not continue while the process is about to exit.
    if (isInterrupted) await new Promise(() => {});
    await opening.close();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
