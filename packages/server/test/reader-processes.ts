import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const HEAP_SHARE = 0.75;

/**
 * Pids of this process's report readers with this memory size; concurrent tests use different sizes. Linux only.
 */
export async function listReaderProcesses(memoryMb: number): Promise<number[]> {
  const size = `-size=${Math.floor(memoryMb * HEAP_SHARE)}\0`;
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes(size) || !/reader-\w+\.mjs\0/.test(command)) continue;
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    if (status.includes(`PPid:\t${process.pid}\n`)) found.push(Number(name));
  }
  return found;
}

const POLL_INTERVAL_MS = 5;
/** At least a minute, because processes compete with other tests. */
const POLLS_MAX = 12_000;

/** Waits until the processes are as wanted. Works with fake timers. */
export async function waitForReaders(
  memoryMb: number,
  isWanted: (processes: readonly number[]) => boolean,
): Promise<number[]> {
  for (let look = 0; look < POLLS_MAX; look += 1) {
    const found = await listReaderProcesses(memoryMb);
    if (isWanted(found)) return found;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Error('The reader processes did not reach the expected state in time');
}

/** Kills a process, which may have ended already. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
