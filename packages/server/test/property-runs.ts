import fc from 'fast-check';

/** Splits the runs of a property over several tests with different values, because all runs exceed a test's timeout. */
export function runsOfPart(part: number, numRuns: number): { numRuns: number; seed?: number } {
  const { seed } = fc.readConfigureGlobal();
  return seed === undefined ? { numRuns } : { numRuns, seed: seed + part };
}
