import {
  type Birth,
  ageAt,
  birthBehindBirthName,
  birthBehindName,
  birthBelowName,
  birthBesideAge,
  birthIn,
  birthRightOfName,
} from './birth.ts';
import type { HeadLine } from './labels.ts';
import type { Order } from './moments.ts';
import type { Patient } from './patient.ts';

interface Known {
  readonly patient: Patient | undefined;
  readonly order: Order;
  /** When the sample was taken, or the report written. */
  readonly when: string | null;
  /** As it is printed. */
  readonly age: number | null;
}

/** The patient's birth: under a label, else beside the name or an age; undefined where it fits nothing else. */
export function birthOfPatient(
  lines: readonly HeadLine[],
  { patient, order, when, age }: Known,
): Birth | undefined {
  const birth =
    birthIn(lines, order) ??
    birthBehindBirthName(lines, order) ??
    ofName(lines, patient, order) ??
    birthBesideAge(lines, order);
  return possible(birth, { when, age });
}

/** Without a label, behind the name or right below it. */
const ofName = (lines: readonly HeadLine[], patient: Patient | undefined, order: Order): Birth | undefined =>
  patient &&
  (birthBehindName(patient.rest, patient.line, order) ??
    birthRightOfName(lines, patient, order) ??
    birthBelowName(lines, patient.box, order));

/** Ages are counted on the day of the sample, of the order or of the print. */
const AGE_TOLERANCE_YEARS = 2;

/**
 * Nobody is born after the sample was taken, nor of another age than the one that is printed; of years in two digits
 * the century before may be meant.
 */
function possible(
  birth: Birth | undefined,
  { when, age }: { when: string | null; age: number | null },
): Birth | undefined {
  const day = when?.slice(0, 10);
  if (!birth || day === undefined) return birth;
  const fits = (dob: string): boolean => {
    const years = ageAt(dob, day);
    return years !== null && (age === null ? dob < day : Math.abs(years - age) <= AGE_TOLERANCE_YEARS);
  };
  const before = `${Number(birth.dob.slice(0, 4)) - 100}${birth.dob.slice(4)}`;
  if (fits(birth.dob)) return birth;
  return birth.isShort && fits(before) ? { ...birth, dob: before } : undefined;
}
