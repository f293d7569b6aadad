import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const HEAP_SHARE = 0.75;

/**
 * The processes that read reports for this one, of readers with so much memory: tests that run beside each other take
 * different sizes. Linux only.
 */
export async function readerProcesses(memoryMb: number): Promise<number[]> {
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

const LOOK_EVERY_MS = 5;
/** A minute at least: what a process does may have to wait for everything else that runs. */
const LOOKS = 12_000;

/** The processes, once they are as wanted. Also where the timers of the test are fake. */
export async function whenReaders(
  memoryMb: number,
  isWanted: (processes: readonly number[]) => boolean,
): Promise<number[]> {
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await readerProcesses(memoryMb);
    if (isWanted(found)) return found;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error('The processes did not become what was wanted');
}

/** Kills a process, which may be gone already. */
export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}
