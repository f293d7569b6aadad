const ATTEMPTS = 5;

/**
 * Time of one run with 10 * size, divided by the time of ten runs with size: about 1 for linear cost, 10 for quadratic
 * cost. Both sides do the same amount of work, so that a busy machine slows both alike. The fastest of several attempts
 * counts; attempts stop once the ratio is below `LINEAR_MAX`.
 */
export function measureGrowth(size: number, run: (size: number) => void): number {
  const quickest = { one: Infinity, ten: Infinity };
  const timed = (runs: number, each: number): number => {
    const started = performance.now();
    for (let done = 0; done < runs; done += 1) run(each);
    return performance.now() - started;
  };
  for (let turn = 0; turn < ATTEMPTS; turn += 1) {
    quickest.ten = Math.min(quickest.ten, timed(10, size));
    quickest.one = Math.min(quickest.one, timed(1, 10 * size));
    if (quickest.one < LINEAR_MAX * quickest.ten) break;
  }
  return quickest.one / quickest.ten;
}

/** A threshold between linear and quadratic cost. */
export const LINEAR_MAX = 4;
