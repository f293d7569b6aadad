/**
 * A stateless pseudo-random generator: a seed, a name and a count always give the same number, in any order of calls.
 * Numbers are in [0, 1).
 */
export interface SeededRandom {
  at(count: number): number;
  between(count: number, low: number, high: number): number;
  /** Bell-shaped around 0, in [-1, 1]. */
  around(count: number): number;
  /** An independent generator. */
  of(name: string): SeededRandom;
}

export function createRandom(seed: string): SeededRandom {
  const start = hash(seed);
  let others: Map<string, SeededRandom> | undefined;
  const at = (count: number): number => finalizeHash(start ^ Math.imul(count | 0, 0x9e3779b1)) / 2 ** 32;
  return {
    at,
    between: (count, low, high) => low + at(count) * (high - low),
    around: (count) => (at(3 * count) + at(3 * count + 1) + at(3 * count + 2)) / 1.5 - 1,
    of: (name) => {
      others ??= new Map();
      const known = others.get(name) ?? createRandom(`${seed}/${name}`);
      others.set(name, known);
      return known;
    },
  };
}

/** Value noise in [-1, 1]: a random value at every `period`, with smooth interpolation between them. */
export function smoothNoise(chance: SeededRandom, moment: number, period: number): number {
  const knot = Math.floor(moment / period);
  const part = moment / period - knot;
  const smooth = part * part * (3 - 2 * part);
  const [one, next] = [chance.at(knot), chance.at(knot + 1)];
  return 2 * (one + (next - one) * smooth) - 1;
}

/** FNV-1a, then finalized, so that similar seeds give unrelated hashes. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return finalizeHash(sum);
}

/** A MurmurHash3-style finalizer, twice, for full avalanche. */
function finalizeHash(value: number): number {
  let bits = value;
  for (let round = 0; round < 2; round += 1) {
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    bits ^= bits >>> 16;
    bits = (bits + 0x6d2b79f5) | 0;
  }
  return bits >>> 0;
}

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

export const roundTo = (value: number, digits: number): number => Number(value.toFixed(digits));
