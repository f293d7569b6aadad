import type { ChildProcess } from 'node:child_process';
import { readResidentMemory } from './memory.ts';
import { readProcessorTime } from './processor-time.ts';

/** Time limits count processor time of all threads, so that a busy machine fails no report. */
export interface ChildLimits {
  readonly totalCpuMs: number;
  /** Restarts with every page. */
  readonly pageCpuMs: number;
  readonly memoryBytes: number;
}

/** A process that waits uses no processor time: it is killed after this many times its limits on the clock. */
export const ELAPSED_FACTOR = 6;
const LOOK_EVERY_MS = 100;

/** What ran out: time on the clock, as on a busy machine, processor time, or memory. */
export type LimitKind = 'elapsed_time' | 'processor_time' | 'memory';

interface LimitWatch {
  nextPage(): void;
  /** Takes what the process says about its page, memory and processor time. */
  progress(text: string): void;
  stop(): void;
}

/**
 * Enforces the time and memory limits of a process, from now on: what it used before, to warm up, does not count.
 * `exceed` may be called several times.
 */
export function watchLimits(
  { pid }: Pick<ChildProcess, 'pid'>,
  limits: ChildLimits,
  exceed: (of: LimitKind) => void,
): LimitWatch {
  let isOver = false;
  const late = () => exceed('elapsed_time');
  const checkMemory = (bytes: number | undefined) => {
    if (bytes !== undefined && bytes > limits.memoryBytes) exceed('memory');
  };
  const processor = createProcessorMeter(limits, () => exceed('processor_time'));
  let isReadable = false;
  const look = () => {
    if (pid === undefined) return;
    void readResidentMemory(pid).then(checkMemory);
    void readProcessorTime(pid).then((usedMs) => {
      isReadable ||= usedMs !== undefined;
      if (usedMs !== undefined) processor.record(usedMs);
    });
  };
  look();
  const looks = setInterval(look, LOOK_EVERY_MS);
  const whole = setTimeout(late, ELAPSED_FACTOR * limits.totalCpuMs);
  let page = setTimeout(late, ELAPSED_FACTOR * limits.pageCpuMs);
  const nextPage = () => {
    clearTimeout(page);
    if (isOver) return;
    page = setTimeout(late, ELAPSED_FACTOR * limits.pageCpuMs);
    processor.nextPage();
  };
  return {
    nextPage,
    progress: (text) => {
      const said: unknown = JSON.parse(text);
      if (typeof said !== 'object' || said === null) return;
      if ('rss' in said && typeof said.rss === 'number') checkMemory(said.rss);
      if (!isReadable && 'cpuMs' in said && typeof said.cpuMs === 'number') processor.record(said.cpuMs);
      if ('page' in said) nextPage();
    },
    stop: () => {
      isOver = true;
      clearTimeout(whole);
      clearTimeout(page);
      clearInterval(looks);
    },
  };
}

/** Compares the processor time of a process with its limits, from the first recorded time on. */
function createProcessorMeter({ totalCpuMs, pageCpuMs }: ChildLimits, exceed: () => void) {
  const start: { total?: number; page?: number } = {};
  return {
    record: (usedMs: number) => {
      start.total ??= usedMs;
      start.page ??= usedMs;
      if (usedMs - start.total > totalCpuMs || usedMs - start.page > pageCpuMs) exceed();
    },
    /** The page starts at the next recorded time. */
    nextPage: () => {
      delete start.page;
    },
  };
}
