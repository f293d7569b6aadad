export interface SeededRandom {
  /** An integer from 0 to n - 1. */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
  /** True with a probability of 1/n. */
  oneIn(n: number): boolean;
}

/** A seeded pseudo-random generator (mulberry32). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, pick: (list) => list[below(list.length)] as never, oneIn: (n) => below(n) === 0 };
}
