import { groupIntoRows } from '../rows.ts';
import type { Language, ReportPage } from '../report-model.ts';
import { findBirths } from './birth.ts';
import { inferDayOrder } from './day-order.ts';
import { readHeaderLines } from './labels.ts';
import { getNameWords, type HeaderPatient } from './patient.ts';
import { findLabeledPatients, findNamedPeople } from './patient-name.ts';

/**
 * Whether the pages of one file may belong to several people. Results of another patient are the worst possible error,
 * so anyone who is not certainly the same person counts as another one. Names with a patient label and dates with a
 * birth label are compared; different names with the same birth are one person.
 */
export function hasSeveralPatients(pages: readonly ReportPage[], language: Language | null): boolean {
  const order = inferDayOrder(pages, language);
  const heads = pages.map(({ words }) => {
    const lines = readHeaderLines(groupIntoRows(words));
    return {
      people: findLabeledPatients(lines),
      births: findBirths(lines, order),
      named: findNamedPeople(lines)[0],
    };
  });
  const births = new Set(heads.flatMap((head) => head.births));
  if (births.size > 1) return true;
  const people = heads.filter((head) => births.size === 0 || head.births.length === 0 || pages.length === 1);
  const [first, ...others] = [...heads.slice(0, 1), ...people].flatMap((head) => head.people);
  if (first !== undefined) return others.some((other) => areDifferentPeople(first, other));
  return births.size === 0 && areNamesDifferent(heads.flatMap(({ named }) => named ?? []));
}

/** A plain "Name" may be anyone's; without other evidence the first one of each page is compared. */
const areNamesDifferent = ([first, ...others]: readonly HeaderPatient[]): boolean =>
  first !== undefined && others.some((other) => areDifferentPeople(first, other));

/** "Jane Marsh" and "MARSH, J. M." may be one; "Jane Marsh" and "John Marsh", or no common name, are two. */
function areDifferentPeople(some: HeaderPatient, other: HeaderPatient): boolean {
  const [left, right] = [getNameWords(some), getNameWords(other)];
  const own = left.filter((name) => !right.some((one) => isAlike(name, one)));
  const others = right.filter((name) => !left.some((one) => isAlike(name, one)));
  return own.length > 0 && others.length > 0;
}

/** Equal, abbreviated, or with one misread letter. */
const isAlike = (name: string, other: string): boolean =>
  name.startsWith(other) || other.startsWith(name) || isOneLetterApart(name, other);

const LONG_ENOUGH = 5;

function isOneLetterApart(name: string, other: string): boolean {
  if (name.length !== other.length || name.length < LONG_ENOUGH) return false;
  return [...name].filter((letter, at) => letter !== other[at]).length < 2;
}
