/** A slot is not available, and the queue for one is full. */
export class QueueFullError extends Error {}

interface FairLimitOptions {
  /** Calls that run at the same time. */
  readonly concurrency: number;
  /** Of these, calls of one key: less than `concurrency`, so that a busy key never takes every slot. */
  readonly concurrencyPerKey: number;
  /** The same for a key that was the only one among the last thousand calls. Default: `concurrencyPerKey`. */
  readonly concurrencyAlone?: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
}

/** Runs a call for a key, such as a team, when it is the key's turn. Throws QueueFullError if too many wait. */
export type FairLimit = <T>(key: string, run: () => Promise<T>) => Promise<T>;

/** A key counts as active until so many calls have begun without it. Calls, not time: a busy service forgets faster. */
const RECENT_CALLS = 1000;

/** Tells whether a key was the only one to call lately. */
function trackKeys(): { called(key: string): void; isAlone(key: string): boolean } {
  /** The number of the last call of each key, oldest first. */
  const last = new Map<string, number>();
  let calls = 0;
  return {
    called: (key) => {
      calls += 1;
      last.delete(key);
      last.set(key, calls);
      for (const [other, call] of last) {
        if (calls - call < RECENT_CALLS) return;
        last.delete(other);
      }
    },
    isAlone: (key) => last.size === 1 && last.has(key),
  };
}

interface KeyQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits concurrent calls. Keys take turns, so that a long queue of one delays no other. */
export function createFairLimit(options: FairLimitOptions): FairLimit {
  const turns = new Turns(options);
  return async (key, run) => {
    const taken = turns.take(key);
    // A call that has room begins at once.
    const queue = taken instanceof Promise ? await taken : taken;
    try {
      return await run();
    } finally {
      turns.end(key, queue);
    }
  };
}

class Turns {
  readonly #options: FairLimitOptions;
  /** Keys that run or wait; those that were served last are at the end. */
  readonly #queues = new Map<string, KeyQueue>();
  readonly #recent = trackKeys();
  #running = 0;
  #waiting = 0;

  constructor(options: FairLimitOptions) {
    this.#options = options;
  }

  /** A slot, or the wait for one. */
  take(key: string): KeyQueue | Promise<KeyQueue> {
    const { waitingMax, waitingPerKeyMax } = this.#options;
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] };
    this.#recent.called(key);
    if (queue.waiting.length === 0 && this.#hasRoom(key, queue)) {
      this.#begin(key, queue);
      return queue;
    }
    if (this.#waiting >= waitingMax || queue.waiting.length >= waitingPerKeyMax)
      throw new QueueFullError('Too many calls are waiting');
    this.#queues.set(key, queue);
    this.#waiting += 1;
    return new Promise((resolve) => {
      queue.waiting.push(() => resolve(queue));
      this.#startNext();
    });
  }

  end(key: string, queue: KeyQueue): void {
    this.#running -= 1;
    queue.running -= 1;
    if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(key);
    this.#startNext();
  }

  #hasRoom(key: string, queue: KeyQueue): boolean {
    const { concurrency, concurrencyPerKey, concurrencyAlone = concurrencyPerKey } = this.#options;
    const share = this.#recent.isAlone(key) ? concurrencyAlone : concurrencyPerKey;
    return this.#running < concurrency && queue.running < share;
  }

  #begin(key: string, queue: KeyQueue): void {
    this.#running += 1;
    queue.running += 1;
    this.#queues.delete(key);
    this.#queues.set(key, queue);
  }

  #startNext(): void {
    let hasBegun = true;
    while (hasBegun) hasBegun = this.#startRound();
  }

  /** One call of each key that has room; returns whether any began. */
  #startRound(): boolean {
    let hasBegun = false;
    // A copy: keys that begin move to the end.
    for (const [key, queue] of Array.from(this.#queues)) {
      if (this.#running >= this.#options.concurrency) return false;
      if (queue.waiting.length === 0 || !this.#hasRoom(key, queue)) continue;
      this.#waiting -= 1;
      this.#begin(key, queue);
      queue.waiting.shift()?.();
      hasBegun = true;
    }
    return hasBegun;
  }
}
