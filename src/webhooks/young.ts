import { performance } from 'node:perf_hooks';

/** What is under way and has not been so for long; who grows older is no longer counted. */
export interface Young<T> {
  add(item: T): void;
  delete(item: T): void;
  count(): number;
}

export function openYoung<T>(ageMs: number): Young<T> {
  /** The oldest first. */
  const began = new Map<T, number>();
  return {
    add: (item) => void began.set(item, performance.now()),
    delete: (item) => void began.delete(item),
    count: () => {
      const before = performance.now() - ageMs;
      for (const [item, at] of began) {
        if (at > before) break;
        began.delete(item);
      }
      return began.size;
    },
  };
}
