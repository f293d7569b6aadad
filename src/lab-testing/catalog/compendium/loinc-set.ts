import { createHash } from 'node:crypto';
import type { CatalogResult } from '../lab-test.ts';

/** What has to be known of a marker to compare it with those of other laboratories. */
export interface Measured {
  readonly labSlug: string;
  readonly expectedResults: readonly Pick<CatalogResult, 'loinc' | 'providerId' | 'slug' | 'required'>[];
}

/**
 * What a marker measures, sorted: the LOINC codes of its required results. Calculated and reflexive results are left
 * out, because laboratories differ in what they calculate from the same measurements; a marker that has nothing else
 * counts by them. A result without a LOINC is named by its laboratory and is the same as nothing elsewhere.
 */
export function loincSetOf({ labSlug, expectedResults }: Measured): string[] {
  const required = expectedResults.filter((result) => result.required);
  const counted = required.length > 0 ? required : expectedResults;
  const keys = counted.map(({ loinc, providerId, slug }) => loinc ?? `${labSlug} ${providerId ?? slug}`);
  return [...new Set(keys)].toSorted();
}

/** Names a set; the same at every laboratory and in every deployment. */
export const hashOfSet = (keys: readonly string[]): string =>
  createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 32);

const LOINC = /^\d{1,7}-\d$/;
export const codesOf = (keys: readonly string[]): string[] => keys.filter((key) => LOINC.test(key));

/** How much of a wanted set another one has. */
export interface Relation {
  readonly relation: 'equivalent' | 'broader' | 'narrower' | 'overlapping';
  /** From 0 to 1: how large the shared part is of all that the two measure. */
  readonly confidence: number;
  readonly reason: string;
}

/**
 * Equivalent: it measures the same. Broader: all of it, and more. Narrower: a part of it, and nothing else. Overlapping:
 * a part of it, and more. Undefined when the two share nothing.
 */
export function relationOf(wanted: readonly string[], other: readonly string[]): Relation | undefined {
  const has = new Set(other);
  const shared = wanted.filter((key) => has.has(key)).length;
  if (shared === 0) return undefined;
  const confidence = rounded(shared / (wanted.length + other.length - shared));
  if (shared === wanted.length && shared === other.length)
    return { relation: 'equivalent', confidence, reason: 'same_loinc_set' };
  if (shared === wanted.length) return { relation: 'broader', confidence, reason: 'contains_loinc_set' };
  if (shared === other.length) return { relation: 'narrower', confidence, reason: 'within_loinc_set' };
  return { relation: 'overlapping', confidence, reason: 'shares_loinc' };
}

/** Best first: the kinds in this order, then what is shared. */
export const KINDS: readonly Relation['relation'][] = ['equivalent', 'broader', 'narrower', 'overlapping'];

export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
