/** A mutant that no test can tell from the original, by its key, with the reason. */
export interface EquivalentMutant {
  readonly key: string;
  readonly reason: string;
}

export const equivalentMutants: readonly EquivalentMutant[] = [];
