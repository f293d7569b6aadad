import { createHash } from 'node:crypto';
import type { CatalogResult } from '../lab-test.ts';

/** The part of a marker that defines its LOINC set. */
interface MeasuredMarker {
  readonly labSlug: string;
  readonly expectedResults: readonly Pick<CatalogResult, 'loinc' | 'providerId' | 'slug' | 'required'>[];
}

/**
 * The sorted LOINC codes of a marker's required results. Calculated and reflex results are left out, because
 * laboratories calculate different values from the same measurements; a marker without required results uses all of
 * them. A result without a LOINC code gets a key of its laboratory, which matches no other laboratory.
 */
export function toLoincSet({ labSlug, expectedResults }: MeasuredMarker): string[] {
  const required = expectedResults.filter((result) => result.required);
  const counted = required.length > 0 ? required : expectedResults;
  const keys = counted.map(({ loinc, providerId, slug }) => loinc ?? `${labSlug} ${providerId ?? slug}`);
  return [...new Set(keys)].toSorted();
}

/** A hash of the set; the same at every laboratory and in every deployment. */
export const hashLoincSet = (keys: readonly string[]): string =>
  createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 32);

const LOINC = /^\d{1,7}-\d$/;
export const filterLoincCodes = (keys: readonly string[]): string[] => keys.filter((key) => LOINC.test(key));

/** How another LOINC set relates to the requested one. */
export interface LoincSetRelation {
  readonly relation: 'equivalent' | 'broader' | 'narrower' | 'overlapping';
  /** Jaccard similarity of the two sets, from 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
}

/**
 * `other` relative to `wanted`. Equivalent: equal sets. Broader: a superset. Narrower: a subset. Overlapping: a partial
 * overlap. Undefined if they share no code.
 */
export function compareLoincSets(
  wanted: readonly string[],
  other: readonly string[],
): LoincSetRelation | undefined {
  const has = new Set(other);
  const shared = wanted.filter((key) => has.has(key)).length;
  if (shared === 0) return undefined;
  const confidence = roundScore(shared / (wanted.length + other.length - shared));
  if (shared === wanted.length && shared === other.length)
    return { relation: 'equivalent', confidence, reason: 'same_loinc_set' };
  if (shared === wanted.length) return { relation: 'broader', confidence, reason: 'contains_loinc_set' };
  if (shared === other.length) return { relation: 'narrower', confidence, reason: 'within_loinc_set' };
  return { relation: 'overlapping', confidence, reason: 'shares_loinc' };
}

/** Best first. */
export const RELATIONS_BY_RANK: readonly LoincSetRelation['relation'][] = [
  'equivalent',
  'broader',
  'narrower',
  'overlapping',
];

export const roundScore = (value: number): number => Math.round(value * 10_000) / 10_000;
