import { readFile } from 'node:fs/promises';

const KIB = 1024;

/** The resident memory of another process in bytes; undefined on systems without /proc. */
export async function readResidentMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) * KIB;
}
