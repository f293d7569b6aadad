/** A seeded random part of a list, in the order of the list. A larger share contains the smaller one. */
export function sampleOf<T>(all: readonly T[], { share, seed }: { share: number; seed: number }): T[] {
  if (share >= 1) return [...all];
  const random = randomFrom(seed);
  const ranked = all.map((value, at) => ({ value, at, rank: random() }));
  const chosen = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, Math.ceil(all.length * share));
  return chosen.toSorted((a, b) => a.at - b.at).map(({ value }) => value);
}

/** Seeded pseudo-random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
