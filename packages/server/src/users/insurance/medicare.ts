import { normalizeIcdCode } from './directory/icd-code.ts';
import type { InsuranceCompany } from './schema.ts';

/** Original Medicare only. Medicare Advantage plans are private, and no advance notice applies to their members. */
const ORIGINAL_MEDICARE = /^(?:railroad )?medicare(?: part b)?$/i;

export const isMedicare = (company: Pick<InsuranceCompany, 'name'>): boolean =>
  ORIGINAL_MEDICARE.test(company.name.trim());

/**
 * Examinations without complaint (Z00) and for administrative purposes (Z02). Medicare excludes routine physical
 * checkups by law (Social Security Act, section 1862(a)(7)), so these codes alone support no laboratory test.
 */
const ROUTINE = /^Z0[02]/;

/** The reason why Medicare is not expected to pay for tests with these diagnoses; undefined where there is none. */
export function findMedicareDenialReason(icdCodes: readonly string[]): string | undefined {
  const codes = icdCodes.map((code) => normalizeIcdCode(code) ?? code);
  if (codes.length === 0) return 'No diagnosis was given that supports the test.';
  if (!codes.every((code) => ROUTINE.test(code))) return undefined;
  return `The only diagnosis given is a routine or administrative examination (${icdCodes.join(', ')}).`;
}
