const TURNS = 3;

/**
 * How many times as long it takes for ten times as much: about 10 where each costs the same, 100 where each is held
 * against each. The quickest of several turns counts, so that it says little of how busy the machine is.
 */
export function growth(size: number, run: (size: number) => void): number {
  const quickest = { small: Infinity, large: Infinity };
  const sizes = { small: size, large: 10 * size };
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const which of ['small', 'large'] as const) {
      const started = performance.now();
      run(sizes[which]);
      quickest[which] = Math.min(quickest[which], performance.now() - started);
    }
  }
  return quickest.large / quickest.small;
}

/** Between the two, where nothing but the machine decides which. */
export const EVENLY = 30;
