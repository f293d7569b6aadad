import fc from 'fast-check';

/** So many runs of a property in one of several tests, each with values of its own: all at once take longer than a test may. */
export function partOf(part: number, numRuns: number): { numRuns: number; seed?: number } {
  const { seed } = fc.readConfigureGlobal();
  return seed === undefined ? { numRuns } : { numRuns, seed: seed + part };
}
