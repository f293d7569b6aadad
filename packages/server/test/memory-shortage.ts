import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether the system can be told to refuse memory to a process: util-linux has the command. */
export const canRefuseMemory = ((): boolean => {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return process.platform === 'linux';
  } catch {
    return false;
  }
})();

/** From now on the process gets no more memory, as on a machine that promises no more than it has. It may have ended. */
export const refuseMemory = (pid: number): Promise<void> => setAddressSpace(pid, '1');
export const returnMemory = (pid: number): Promise<void> => setAddressSpace(pid, 'unlimited');

const setAddressSpace = (pid: number, most: string): Promise<void> =>
  run('prlimit', ['--pid', String(pid), `--as=${most}:`]).then(
    () => {},
    () => {},
  );

/** Less than node reserves for its code when it starts. */
const TOO_LITTLE_KB = 400_000;

/**
 * Processes that this thread starts with `process.execPath` get too little memory from their first moment, until the
 * returned function is called. Looking for them once they run would come too late for a process that ends first.
 */
export async function refuseMemoryFromStart(): Promise<() => Promise<void>> {
  const node = process.execPath;
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-memory-'));
  const starter = join(folder, 'node');
  await writeFile(starter, `#!/bin/sh\nulimit -S -v ${TOO_LITTLE_KB}\nexec '${node}' "$@"\n`, {
    mode: 0o755,
  });
  process.execPath = starter;
  return async () => {
    process.execPath = node;
    await rm(folder, { recursive: true });
  };
}

const LOOK_EVERY_MS = 5;

interface MemoryShortage {
  /** Processes that start later are not affected. Returns those that were. */
  end(): Promise<readonly number[]>;
}

/** Takes the memory of every process that is found, once, until the shortage ends. */
export function beginMemoryShortage(
  find: () => Promise<readonly number[]>,
  takeMemory: (pid: number) => Promise<void>,
): MemoryShortage {
  const taken = new Set<number>();
  let hasEnded = false;
  const take = async () => {
    while (!hasEnded) {
      for (const pid of await find()) {
        if (taken.has(pid)) continue;
        taken.add(pid);
        await takeMemory(pid);
      }
      await sleep(LOOK_EVERY_MS);
    }
  };
  const taking = take();
  return {
    end: async () => {
      hasEnded = true;
      await taking;
      return [...taken];
    },
  };
}
