import { openYoung } from './young.ts';

/** So many posts go at once: more of them would only wait for each other, each with a connection of its own. */
const AT_ONCE = 64;
/** A post that has waited longer than this waits for its receiver, and no longer stands in anybody's way. */
const YOUNG_MS = 20;

/** Lets posts go one after the other. */
export interface Gate<T> {
  enter(item: T): void;
  /** It has ended. */
  leave(item: T): void;
  waiting(): number;
}

export function openGate<T>(go: (item: T) => void, youngMs: number = YOUNG_MS): Gate<T> {
  const young = openYoung<T>(youngMs);
  const waiting: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    let room = waiting.length > 0 ? AT_ONCE - young.count() : 0;
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
    enter: (item) => {
      waiting.push(item);
      next();
    },
    leave: (item) => {
      young.delete(item);
      next();
    },
    waiting: () => waiting.length,
  };
}
