import { performance } from 'node:perf_hooks';

/** Tells of each that is still there when its time is over. */
export interface Deadlines<T> {
  add(item: T): void;
  delete(item: T): void;
  close(): void;
}

/** How much later than its time an item may be told of. */
const GRAIN_MS = 50;

/** All are given the same time, so they stand in the order of their ends, and one timer does for all of them. */
export function openDeadlines<T>(patienceMs: number, over: (item: T) => void): Deadlines<T> {
  const ends = new Map<T, number>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    timer = undefined;
    const now = performance.now();
    for (const [item, end] of ends) {
      if (end > now) return wait(end - now);
      ends.delete(item);
      over(item);
    }
  };
  const wait = (ms: number) => {
    timer = setTimeout(look, Math.max(ms, GRAIN_MS));
  };
  return {
    add: (item) => {
      ends.set(item, performance.now() + patienceMs);
      if (timer === undefined) wait(patienceMs);
    },
    delete: (item) => void ends.delete(item),
    close: () => clearTimeout(timer),
  };
}
