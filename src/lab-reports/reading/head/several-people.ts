import { rowsOf } from '../rows.ts';
import type { Language, Page } from '../word.ts';
import { birthsIn } from './birth.ts';
import { dayOrderOf } from './day-order.ts';
import { headLinesOf } from './labels.ts';
import { namesOf, type Patient } from './patient.ts';
import { labelledPatients, namedPeople } from './patient-name.ts';

/**
 * Whether the pages of one file may be of several people: results of another patient are the worst that a file can
 * hold, so that what is not surely the same person counts as two. A name under the label of a patient, or a birth under
 * that of a birth, speaks for itself; names that differ are of one person where their births are the same.
 */
export function namesSeveral(pages: readonly Page[], language: Language | null): boolean {
  const order = dayOrderOf(pages, language);
  const heads = pages.map(({ words }) => {
    const lines = headLinesOf(rowsOf(words));
    return { people: labelledPatients(lines), births: birthsIn(lines, order), named: namedPeople(lines)[0] };
  });
  const births = new Set(heads.flatMap((head) => head.births));
  if (births.size > 1) return true;
  const people = heads.filter((head) => births.size === 0 || head.births.length === 0 || pages.length === 1);
  const [first, ...others] = [...heads.slice(0, 1), ...people].flatMap((head) => head.people);
  if (first !== undefined) return others.some((other) => areTwo(first, other));
  return births.size === 0 && areNamedApart(heads.flatMap(({ named }) => named ?? []));
}

/** "Name" may be anybody's; where nothing else says whose the pages are, the first of each of them counts. */
const areNamedApart = ([first, ...others]: readonly Patient[]): boolean =>
  first !== undefined && others.some((other) => areTwo(first, other));

/** "Jane Marsh" and "MARSH, J. M." may be one; "Jane Marsh" and "John Marsh" are not, and who has no name in common. */
function areTwo(some: Patient, other: Patient): boolean {
  const [left, right] = [namesOf(some), namesOf(other)];
  const own = left.filter((name) => !right.some((one) => isAlike(name, one)));
  const others = right.filter((name) => !left.some((one) => isAlike(name, one)));
  return own.length > 0 && others.length > 0;
}

/** The same, cut short, or with one letter misread. */
const isAlike = (name: string, other: string): boolean =>
  name.startsWith(other) || other.startsWith(name) || differInOne(name, other);

const LONG_ENOUGH = 5;

function differInOne(name: string, other: string): boolean {
  if (name.length !== other.length || name.length < LONG_ENOUGH) return false;
  return [...name].filter((letter, at) => letter !== other[at]).length < 2;
}
