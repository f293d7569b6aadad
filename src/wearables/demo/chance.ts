/**
 * Numbers that look like chance and are not: the same seed, name and count give the same one, in any order of asking.
 * From 0 up to 1.
 */
export interface Chance {
  at(count: number): number;
  between(count: number, low: number, high: number): number;
  /** Mostly near 0, never beyond -1 and 1. */
  around(count: number): number;
  /** Another one, which knows nothing of this. */
  of(name: string): Chance;
}

export function chanceOf(seed: string): Chance {
  const start = hash(seed);
  let others: Map<string, Chance> | undefined;
  const at = (count: number): number => mix(start ^ Math.imul(count | 0, 0x9e3779b1)) / 2 ** 32;
  return {
    at,
    between: (count, low, high) => low + at(count) * (high - low),
    around: (count) => (at(3 * count) + at(3 * count + 1) + at(3 * count + 2)) / 1.5 - 1,
    of: (name) => {
      others ??= new Map();
      const known = others.get(name) ?? chanceOf(`${seed}/${name}`);
      others.set(name, known);
      return known;
    },
  };
}

/** A curve from -1 to 1 that wanders: a value at every `period`, and smoothly from one to the next. */
export function wander(chance: Chance, moment: number, period: number): number {
  const knot = Math.floor(moment / period);
  const part = moment / period - knot;
  const smooth = part * part * (3 - 2 * part);
  const [one, next] = [chance.at(knot), chance.at(knot + 1)];
  return 2 * (one + (next - one) * smooth) - 1;
}

/** FNV-1a, then mixed, so that seeds that differ in one letter have nothing in common. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return mix(sum);
}

/** The finalizer of MurmurHash3, twice: every bit of what comes changes half the bits of what goes. */
function mix(value: number): number {
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
