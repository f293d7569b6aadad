import { bareCode } from './directory/icd-code.ts';
import type { Company } from './schema.ts';

/** Medicare itself. Its Advantage plans are private insurers, and no advance notice is given to their members. */
const ORIGINAL_MEDICARE = /^(?:railroad )?medicare(?: part b)?$/i;

export const isMedicare = (company: Pick<Company, 'name'>): boolean =>
  ORIGINAL_MEDICARE.test(company.name.trim());

/**
 * Examinations without a complaint (Z00) and for administrative purposes (Z02): the law excludes routine physical
 * checkups from Medicare (Social Security Act, section 1862(a)(7)), so alone they support no laboratory test.
 */
const ROUTINE = /^Z0[02]/;

/** Why Medicare is not expected to pay for tests with these diagnoses; undefined where nothing speaks against it. */
export function unpaidByMedicare(icdCodes: readonly string[]): string | undefined {
  const codes = icdCodes.map((code) => bareCode(code) ?? code);
  if (codes.length === 0) return 'No diagnosis was given that supports the test.';
  if (!codes.every((code) => ROUTINE.test(code))) return undefined;
  return `The only diagnosis given is a routine or administrative examination (${icdCodes.join(', ')}).`;
}
