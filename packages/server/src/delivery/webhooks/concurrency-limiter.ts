import { openRecentItems } from './recent-items.ts';

/** The number of concurrent new requests: more would only wait for each other, each with its own connection. */
const CONCURRENCY_MAX = 64;
/** A request older than this waits for its receiver, and no longer counts against the limit. */
const RECENT_MS = 20;

/**
 * Limits the number of concurrent requests. Requests older than `youngMs` do not count, so a slow receiver does not
 * block the others.
 */
interface ConcurrencyLimiter<T> {
  submit(item: T): void;
  /** The request has ended. */
  release(item: T): void;
  waiting(): number;
}

export function openConcurrencyLimiter<T>(
  go: (item: T) => void,
  youngMs: number = RECENT_MS,
): ConcurrencyLimiter<T> {
  const young = openRecentItems<T>(youngMs);
  const waiting: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    let room = waiting.length > 0 ? CONCURRENCY_MAX - young.count() : 0;
    for (; room > 0; room -= 1) {
      const item = waiting.shift();
      if (item === undefined) break;
      young.add(item);
      go(item);
    }
    if (waiting.length > 0) timer ??= setTimeout(lookAgain, youngMs / 2);
  };
  const lookAgain = () => {
    timer = undefined;
    next();
  };
  return {
    submit: (item) => {
      waiting.push(item);
      next();
    },
    release: (item) => {
      young.delete(item);
      next();
    },
    waiting: () => waiting.length,
  };
}
