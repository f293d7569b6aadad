import { createHash } from 'node:crypto';

/** Chooses by names instead of in sequence, so that a choice does not depend on how many were made before it. */
export interface DemoChance {
  /** A number in [0, 1). */
  of(...names: (string | number)[]): number;
  pick<T>(from: readonly T[], ...names: (string | number)[]): T;
}

export function createChance(seed: string): DemoChance {
  const of = (...names: (string | number)[]) =>
    createHash('sha256')
      .update([seed, ...names].join('\n'))
      .digest()
      .readUInt32LE(0) /
    2 ** 32;
  return {
    of,
    pick: (from, ...names) => {
      const picked = from[Math.floor(of(...names) * from.length)];
      if (picked === undefined) throw new Error('There is nothing to choose from');
      return picked;
    },
  };
}
