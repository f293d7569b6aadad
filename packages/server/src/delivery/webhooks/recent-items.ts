import { performance } from 'node:perf_hooks';

/** Counts items that were added recently; older ones no longer count. */
interface RecentItems<T> {
  add(item: T): void;
  delete(item: T): void;
  count(): number;
}

export function openRecentItems<T>(ageMs: number): RecentItems<T> {
  /** Oldest first. */
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
