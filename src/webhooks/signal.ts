/** Lets a loop sleep until somebody rings, or a time has passed. */
export interface Signal {
  readonly ring: () => void;
  /** Waits for a ring, or for the time; a ring since the last wait counts. */
  readonly heard: (ms: number) => Promise<void>;
}

export function openSignal(): Signal {
  let rung = false;
  let wake = () => {};
  return {
    ring: () => {
      rung = true;
      wake();
    },
    heard: async (ms) => {
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
