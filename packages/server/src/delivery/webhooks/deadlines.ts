import { performance } from 'node:perf_hooks';

/** Reports each item that is still present at its deadline. */
export interface Deadlines<T> {
  add(item: T): void;
  delete(item: T): void;
  close(): void;
}

/** How late a deadline may be reported. */
const RESOLUTION_MS = 50;

/** All items get the same timeout, so they are ordered by deadline, and one timer is enough. */
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
    timer = setTimeout(look, Math.max(ms, RESOLUTION_MS));
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
