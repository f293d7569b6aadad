const TURNS = 5;

/**
 * How many times as long ten times as much takes in one run as in ten runs of a tenth: about 1 where each costs the same,
 * 10 where each is compared with each. Both halves do as much work, so that a busy machine slows both alike; the quickest
 * of several turns counts, and there are no more turns once the answer is below `EVENLY`.
 */
export function growth(size: number, run: (size: number) => void): number {
  const quickest = { one: Infinity, ten: Infinity };
  const timed = (runs: number, each: number): number => {
    const started = performance.now();
    for (let done = 0; done < runs; done += 1) run(each);
    return performance.now() - started;
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    quickest.ten = Math.min(quickest.ten, timed(10, size));
    quickest.one = Math.min(quickest.one, timed(1, 10 * size));
    if (quickest.one < EVENLY * quickest.ten) break;
  }
  return quickest.one / quickest.ten;
}

/** Between the two, where nothing but the machine decides which. */
export const EVENLY = 4;
