/** What undoes the steps of an opening. The task that was added last runs first. */
export type CleanupTasks = (() => Promise<unknown>)[];

export interface StageOpening<S> {
  readonly opened: Promise<S>;
  /** Undoes what was opened, all of it even where one task fails, and then throws the first failure. */
  close(): Promise<void>;
}

/** Opens something in steps, each of which adds the task that undoes it. It can be closed before it is open. */
export function openInSteps<S>(open: (cleanups: CleanupTasks) => Promise<S>): StageOpening<S> {
  const tasks: CleanupTasks = [];
  let isSettled = false;
  const opened = open(tasks).finally(() => (isSettled = true));
  // Whoever awaits it gets the failure; a caller that closes first does not.
  opened.catch(() => {});
  return {
    opened,
    async close() {
      if (isSettled) return runAll(tasks.splice(0));
      // Without its servers the opening ends soon. What it starts meanwhile is undone in the second pass, in which
      // most tasks run again: their failures say nothing.
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

/** Runs `use` on what `open` opens and leaves no process and no folder behind, also when the command is interrupted. */
export async function withCleanup<S, T>(
  open: (cleanups: CleanupTasks) => Promise<S>,
  use: (opened: S) => Promise<T>,
): Promise<T> {
  const opening = openInSteps(open);
  let isInterrupted = false;
  // A terminal and npm may both send it: only the first one counts.
  const interrupt = () => {
    if (isInterrupted) return;
    isInterrupted = true;
    void opening.close().finally(() => process.exit(INTERRUPTED));
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await use(await opening.opened);
  } finally {
    // Callers must not go on to their next step while the process is about to exit.
    if (isInterrupted) await new Promise(() => {});
    await opening.close();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
