import type { HeaderField } from '../lexicon/header-labels.ts';
import { hasAnalyteWord } from '../lexicon/analytes.ts';
import { matchColumnRole } from '../lexicon/column-headings.ts';
import { isNonNameWord } from '../lexicon/persons.ts';
import { normalizeWords } from '../text-normalization.ts';
import { joinWords } from '../rows.ts';
import type { Language } from '../report-model.ts';
import {
  type HeaderLine,
  type HeaderValue,
  type LabelMatch,
  splitHeaderLine,
  findLabelValues,
} from './labels.ts';
import { isBelowOtherPersonLabel } from './other-people.ts';
import { type HeaderPatient, hasSharedName } from './patient.ts';
import { isPhysician, parsePersonName } from './person.ts';
import { findNameNextToBirth, isSalutation, findTitledPatient } from './unlabeled-name.ts';

type PatientMatch = HeaderPatient & { readonly words: number };

/** The patient's name; undefined if none is printed or two people could be meant. */
export function findPatient(
  lines: readonly HeaderLine[],
  language: Language | null,
): HeaderPatient | undefined {
  const whole = resolvePatients(matchPatients(lines, 'fullName'));
  if (whole === 'doubtful') return undefined;
  const parts = readNameParts(lines, whole);
  return (
    parts ??
    whole ??
    requireOne(matchPatients(lines, 'name')) ??
    findNameNextToBirth(lines) ??
    findTitledPatient(lines, language)
  );
}

/** The people with a patient name label, with at least two names each. */
export const findLabeledPatients = (lines: readonly HeaderLine[]): HeaderPatient[] =>
  matchPatients(lines, 'fullName').filter(({ words }) => words > 1);

/** The people with a plain name label, with at least two names each. */
export const findNamedPeople = (lines: readonly HeaderLine[]): HeaderPatient[] =>
  matchPatients(lines, 'name').filter(({ words }) => words > 1);

function matchPatients(lines: readonly HeaderLine[], field: HeaderField): PatientMatch[] {
  return lines.flatMap((line) =>
    line.spots
      .filter(
        (spot) =>
          !isTableHeading(line, spot) &&
          !isResultLine(line, spot) &&
          spot.label.fields.includes(field) &&
          !isBelowOtherPersonLabel(lines, spot.line, spot.box),
      )
      .flatMap((spot) => readPatientAtLabel(lines, spot)),
  );
}

function readPatientAtLabel(lines: readonly HeaderLine[], spot: LabelMatch): PatientMatch[] {
  for (const { text, box } of findLabelValues(lines, spot)) {
    const person = parsePersonName(joinWrappedName(lines, { text, box }), {
      isFamilyFirst: spot.label.isFamilyFirst,
      isLabelled: true,
    });
    const isPatient = spot.label.fields.includes('fullName');
    if (person && (isPatient || !isPhysician(person)))
      return [
        { ...person, titles: [...readLabelTitle(lines, spot), ...person.titles], line: spot.line, box },
      ];
  }
  return [];
}

/** "Name" is a table heading if "Result" or "Unit" is in its line. */
const isTableHeading = (line: HeaderLine, { isBare }: LabelMatch): boolean =>
  isBare &&
  splitHeaderLine(line).some(({ words }) => {
    const role = matchColumnRole(joinWords(words));
    return role === 'value' || role === 'unit' || role === 'range';
  });

/** "PT    13.9    sec" is a result. */
const isResultLine = ({ words }: HeaderLine, { isBare, begin, end }: LabelMatch): boolean =>
  isBare && hasAnalyteWord(joinWords(words.slice(begin, end))) && /^[<>]?\d/.test(words[end]?.text ?? '');

/** A name that did not fit continues in the line below, left-aligned. */
function joinWrappedName(lines: readonly HeaderLine[], { text, box }: HeaderValue): string {
  const own = lines.findIndex(({ row }) => row.box.y0 <= box.y0 + 1 && row.box.y1 >= box.y1 - 1);
  const next = lines[own + 1];
  const right = lines[own]?.words.find((word) => word.box.x0 > box.x1);
  if (!next || !right || next.row.box.y0 - box.y1 > 0.5 * next.row.fontSize) return text;
  const below = splitHeaderLine(next).find((segment) => Math.abs(segment.box.x0 - box.x0) < 2);
  const [first] = below?.words ?? [];
  const isLabel = next.spots.some(
    ({ begin }) => below !== undefined && begin >= below.from && begin < below.to,
  );
  const hadRoom =
    first !== undefined && right.box.x0 - box.x1 > first.box.x1 - first.box.x0 + next.row.fontSize;
  if (!below || !first || isLabel || hadRoom || /[\d,:]/.test(joinWords(below.words))) return text;
  const isName = below.words.every(
    ({ text: word }) => /^\p{Lu}[\p{L}'’-]+$/u.test(word) && !isNonNameWord(word),
  );
  return isName && (text === text.toUpperCase()) === (first.text === first.text.toUpperCase())
    ? `${text} ${joinWords(below.words)}`
    : text;
}

/** "Sig.ra" is a title and a label. */
function readLabelTitle(lines: readonly HeaderLine[], { line, begin, end }: LabelMatch): string[] {
  const [word, ...others] =
    lines[line]?.words.slice(begin, end).map(({ text }) => text.replace(':', '')) ?? [];
  return word !== undefined && others.length === 0 && isSalutation(word) ? [word] : [];
}

/** All must be the same person; a match with only one word may be another person. */
function resolvePatients(found: readonly PatientMatch[]): PatientMatch | 'doubtful' | undefined {
  const people = found.filter(({ words }) => words > 1);
  const [first] = people;
  if (!first) return found[0];
  const isOther = people.some((person) => !hasSharedName(person, first));
  if (isOther) return 'doubtful';
  return people.reduce((best, person) => (person.words > best.words ? person : best), first);
}

const requireOne = (found: readonly PatientMatch[]): PatientMatch | undefined => {
  const person = resolvePatients(found);
  return person === 'doubtful' ? undefined : person;
};

/** Family and given name under separate labels; "Name" is the family name if another label is "Vorname". */
function readNameParts(
  lines: readonly HeaderLine[],
  whole: PatientMatch | undefined,
): HeaderPatient | undefined {
  const family = matchPatients(lines, 'lastName')[0] ?? matchPatients(lines, 'birthName')[0];
  const given = matchPatients(lines, 'firstName')[0];
  const first = given ?? (family && findNearestMatch(matchPatients(lines, 'name'), family));
  const second = matchPatients(lines, 'middleName')[0];
  if (!first) return family && family.words > 1 && !whole ? family : undefined;
  const last =
    family ??
    findNearestMatch(matchPatients(lines, 'name'), first) ??
    (whole?.words === 1 ? whole : undefined);
  if (!last) return whole ? undefined : first;
  const own = joinName(first);
  const isSame = normalizeWords(own) === normalizeWords(joinName(last));
  if (isSame) return first;
  const isSurname = second !== undefined && hasSecondSurname(lines);
  return {
    first: second && !isSurname ? `${own} ${joinName(second)}` : own,
    last: second && isSurname ? `${joinName(last)} ${joinName(second)}` : joinName(last),
    titles: [...first.titles, ...last.titles],
    rest: first.rest,
    line: first.line,
    box: first.box,
  };
}

const joinName = ({ first, last }: HeaderPatient): string =>
  [first, last].filter((part) => part !== null).join(' ');

const findNearestMatch = (found: readonly PatientMatch[], to: PatientMatch): PatientMatch | undefined =>
  found.find(({ line }) => Math.abs(line - to.line) < 4);

const hasSecondSurname = (lines: readonly HeaderLine[]): boolean =>
  lines.some(({ words }) => /\bapellido/i.test(joinWords(words)));
