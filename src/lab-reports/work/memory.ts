import { readFile } from 'node:fs/promises';

const KIB = 1024;

/** The memory of another process in bytes, where the system tells it; else undefined. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) * KIB;
}
