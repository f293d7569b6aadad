import type { Log } from '../log.ts';
import type { Notifier, Wakeup } from './notifier.ts';

export interface Loop {
  /** Finishes the current iteration and stops. */
  stop(): Promise<void>;
}

interface LoopOptions {
  readonly name: string;
  /** One iteration; returns whether there may be more work. */
  readonly iterate: () => Promise<boolean>;
  /** Wakes the loop early; otherwise it polls every `everyMs`. */
  readonly wakeup?: Wakeup;
  readonly everyMs: number;
}

const AFTER_FAILURE_MS = 1000;

/**
 * Runs `iterate` repeatedly: at once while there is more work, otherwise after a wakeup or after `everyMs`. A failed
 * iteration is logged and retried after a second.
 */
export function startLoop(
  on: { notifier: Notifier; log: Log },
  { name, iterate, wakeup, everyMs }: LoopOptions,
): Loop {
  let stopped = false;
  let rung = false;
  let wake = () => {};
  const silence = wakeup
    ? on.notifier.subscribe(wakeup, () => {
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
      const next = await iterate().catch((error: unknown) => {
        on.log.warn({ loop: name, err: error }, 'iteration failed; retrying');
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
