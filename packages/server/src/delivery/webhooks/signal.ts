/** Lets a loop sleep until a wakeup or a timeout. */
export interface WakeSignal {
  readonly wake: () => void;
  /** Waits for a wakeup or the timeout; a wakeup since the last wait counts. */
  readonly wait: (ms: number) => Promise<void>;
}

export function openSignal(): WakeSignal {
  let rung = false;
  let wake = () => {};
  return {
    wake: () => {
      rung = true;
      wake();
    },
    wait: async (ms) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
    },
  };
}
