export interface Dice {
  /** A whole number from 0 to below n. */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
  /** Once in n times. */
  once(n: number): boolean;
}

/** The same throws for the same seed (mulberry32). */
export function dice(seed: number): Dice {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, pick: (list) => list[below(list.length)] as never, once: (n) => below(n) === 0 };
}
