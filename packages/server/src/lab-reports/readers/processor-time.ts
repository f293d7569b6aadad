import { readFile } from 'node:fs/promises';

/** Linux reports processor time in this unit, whatever the frequency of its timer. */
const TICK_MS = 10;

/**
 * The processor time that another process has used with all its threads, in milliseconds; undefined on systems without
 * /proc and for a process that has ended.
 */
export async function readProcessorTime(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may contain blanks. utime and stime are fields 14 and 15, the name is 2.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
}
