import type { Log } from '../log.ts';
import type { Bell, Ring } from './bell.ts';

export interface Loop {
  /** Finishes the round under way and stops. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  /** Answers whether there may be more to do at once. */
  readonly round: () => Promise<boolean>;
  /** Wakes the loop; without a ring it looks every `everyMs`. */
  readonly ring?: Ring;
  readonly everyMs: number;
}

const AFTER_FAILURE_MS = 1000;

/** Runs `round` again and again: at once while there is more, else when the bell rings or the time has passed. */
export function startLoop(on: { bell: Bell; log: Log }, { name, round, ring, everyMs }: LoopOptions): Loop {
  let stopped = false;
  let rung = false;
  let wake = () => {};
  const silence = ring
    ? on.bell.on(ring, () => {
        rung = true;
        wake();
      })
    : () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stopped || rung) wake();
    });
  const running = (async () => {
    while (!stopped) {
      rung = false;
      const next = await round().catch((error: unknown) => {
        on.log.warn({ loop: name, err: error }, 'a round failed; it is tried again');
        return 'failed' as const;
      });
      if (next === 'failed') {
        rung = false;
        await pause(AFTER_FAILURE_MS);
      } else if (!next) await pause(everyMs);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      silence();
      wake();
      await running;
    },
  };
}
