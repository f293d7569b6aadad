import {
  type BirthMatch,
  calculateAge,
  findBirthAfterBirthName,
  findBirthAfterName,
  findBirthBelowName,
  findBirthNextToAge,
  findBirth,
  findBirthRightOfName,
} from './birth.ts';
import type { HeaderLine } from './labels.ts';
import type { HeaderDayOrder } from './header-dates.ts';
import type { HeaderPatient } from './patient.ts';

interface BirthContext {
  readonly patient: HeaderPatient | undefined;
  readonly order: HeaderDayOrder;
  /** The collection date, or else the report date. */
  readonly when: string | null;
  /** As printed. */
  readonly age: number | null;
}

/** The patient's birth: under a label, else next to the name or an age; undefined if it contradicts other data. */
export function findPatientBirth(
  lines: readonly HeaderLine[],
  { patient, order, when, age }: BirthContext,
): BirthMatch | undefined {
  const birth =
    findBirth(lines, order) ??
    findBirthAfterBirthName(lines, order) ??
    findBirthAtName(lines, patient, order) ??
    findBirthNextToAge(lines, order);
  return validateBirth(birth, { when, age });
}

/** Without a label, after the name or right below it. */
const findBirthAtName = (
  lines: readonly HeaderLine[],
  patient: HeaderPatient | undefined,
  order: HeaderDayOrder,
): BirthMatch | undefined =>
  patient &&
  (findBirthAfterName(patient.rest, patient.line, order) ??
    findBirthRightOfName(lines, patient, order) ??
    findBirthBelowName(lines, patient.box, order));

/** The printed age may refer to the day of the sample, of the order or of the print. */
const AGE_TOLERANCE_YEARS = 2;

/**
 * A birth must be before the sample date and match the printed age; a two-digit year may be in the previous century.
 */
function validateBirth(
  birth: BirthMatch | undefined,
  { when, age }: { when: string | null; age: number | null },
): BirthMatch | undefined {
  const day = when?.slice(0, 10);
  if (!birth || day === undefined) return birth;
  const fits = (dob: string): boolean => {
    const years = calculateAge(dob, day);
    return years !== null && (age === null ? dob < day : Math.abs(years - age) <= AGE_TOLERANCE_YEARS);
  };
  const before = `${Number(birth.dob.slice(0, 4)) - 100}${birth.dob.slice(4)}`;
  if (fits(birth.dob)) return birth;
  return birth.isShort && fits(before) ? { ...birth, dob: before } : undefined;
}
