/** A slot is not available, and the queue for one is full. */
export class QueueFullError extends Error {}

interface FairLimitOptions {
  /** Calls that run at the same time. */
  readonly concurrency: number;
  /** Of these, calls of one key: less than `concurrency`, so that a busy key never takes every slot. */
  readonly concurrencyPerKey: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
}

/** Runs a call for a key, such as a team, when it is the key's turn. Throws QueueFullError if too many wait. */
export type FairLimit = <T>(key: string, run: () => Promise<T>) => Promise<T>;

interface KeyQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits concurrent calls. Keys take turns, so that a long queue of one delays no other. */
export function createFairLimit(options: FairLimitOptions): FairLimit {
  /** Keys that run or wait; those that were served last are at the end. */
  const queues = new Map<string, KeyQueue>();
  let running = 0;
  let waiting = 0;
  const hasRoom = (queue: KeyQueue) =>
    running < options.concurrency && queue.running < options.concurrencyPerKey;

  const begin = (key: string, queue: KeyQueue) => {
    running += 1;
    queue.running += 1;
    queues.delete(key);
    queues.set(key, queue);
  };

  const startNext = () => {
    // A copy: keys that begin move to the end.
    for (const [key, queue] of Array.from(queues)) {
      if (running >= options.concurrency) return;
      if (queue.waiting.length === 0 || !hasRoom(queue)) continue;
      waiting -= 1;
      begin(key, queue);
      queue.waiting.shift()?.();
    }
  };

  const end = (key: string, queue: KeyQueue) => {
    running -= 1;
    queue.running -= 1;
    if (queue.running === 0 && queue.waiting.length === 0) queues.delete(key);
    startNext();
  };

  return async (key, run) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    if (hasRoom(queue)) begin(key, queue);
    else {
      if (waiting >= options.waitingMax || queue.waiting.length >= options.waitingPerKeyMax)
        throw new QueueFullError('Too many calls are waiting');
      queues.set(key, queue);
      waiting += 1;
      await new Promise<void>((resolve) => queue.waiting.push(resolve));
    }
    try {
      return await run();
    } finally {
      end(key, queue);
    }
  };
}
