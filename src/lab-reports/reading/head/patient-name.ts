import type { HeadField } from '../lexicon/head-fields.ts';
import { namesAnalyte } from '../lexicon/analytes.ts';
import { roleOfHeading } from '../lexicon/headers.ts';
import { isNoName } from '../lexicon/persons.ts';
import { bare } from '../plain.ts';
import { textOf } from '../rows.ts';
import type { Language } from '../word.ts';
import { type HeadLine, type HeadValue, type Spot, segmentsOf, valuesOf } from './labels.ts';
import { isBelowSomebody } from './owner.ts';
import { type Patient, sharesWord } from './patient.ts';
import { isLearned, personIn } from './person.ts';
import { besideBirth, isSalutation, titled } from './unlabelled-name.ts';

type Found = Patient & { readonly words: number };

/** The patient's name; undefined where no name is printed or two people could be meant. */
export function patientIn(lines: readonly HeadLine[], language: Language | null): Patient | undefined {
  const whole = agreed(labelled(lines, 'fullName'));
  if (whole === 'doubtful') return undefined;
  const parts = inParts(lines, whole);
  return parts ?? whole ?? one(labelled(lines, 'name')) ?? besideBirth(lines) ?? titled(lines, language);
}

/** Whom labels of a whole name call the patient, by two names at least. */
export const labelledPatients = (lines: readonly HeadLine[]): Patient[] =>
  labelled(lines, 'fullName').filter(({ words }) => words > 1);

/** Whom labels of a mere name name, by two names at least. */
export const namedPeople = (lines: readonly HeadLine[]): Patient[] =>
  labelled(lines, 'name').filter(({ words }) => words > 1);

function labelled(lines: readonly HeadLine[], field: HeadField): Found[] {
  return lines.flatMap((line) =>
    line.spots
      .filter(
        (spot) =>
          !isOfTable(line, spot) &&
          !isOfResult(line, spot) &&
          spot.label.fields.includes(field) &&
          !isBelowSomebody(lines, spot.line, spot.box),
      )
      .flatMap((spot) => atSpot(lines, spot)),
  );
}

function atSpot(lines: readonly HeadLine[], spot: Spot): Found[] {
  for (const { text, box } of valuesOf(lines, spot)) {
    const person = personIn(withItsEnd(lines, { text, box }), {
      isFamilyFirst: spot.label.isFamilyFirst,
      isLabelled: true,
    });
    const isPatient = spot.label.fields.includes('fullName');
    if (person && (isPatient || !isLearned(person)))
      return [{ ...person, titles: [...titleOf(lines, spot), ...person.titles], line: spot.line, box }];
  }
  return [];
}

/** "Name" is the heading of a table beside "Result" and "Unit". */
const isOfTable = (line: HeadLine, { isBare }: Spot): boolean =>
  isBare &&
  segmentsOf(line).some(({ words }) => {
    const role = roleOfHeading(textOf(words));
    return role === 'value' || role === 'unit' || role === 'range';
  });

/** "PT    13.9    sec" is a result. */
const isOfResult = ({ words }: HeadLine, { isBare, begin, end }: Spot): boolean =>
  isBare && namesAnalyte(textOf(words.slice(begin, end))) && /^[<>]?\d/.test(words[end]?.text ?? '');

/** A name for which there was no room goes on below, from the same edge. */
function withItsEnd(lines: readonly HeadLine[], { text, box }: HeadValue): string {
  const own = lines.findIndex(({ row }) => row.box.y0 <= box.y0 + 1 && row.box.y1 >= box.y1 - 1);
  const next = lines[own + 1];
  const right = lines[own]?.words.find((word) => word.box.x0 > box.x1);
  if (!next || !right || next.row.box.y0 - box.y1 > 0.5 * next.row.fontSize) return text;
  const below = segmentsOf(next).find((segment) => Math.abs(segment.box.x0 - box.x0) < 2);
  const [first] = below?.words ?? [];
  const isLabel = next.spots.some(
    ({ begin }) => below !== undefined && begin >= below.from && begin < below.to,
  );
  const hadRoom =
    first !== undefined && right.box.x0 - box.x1 > first.box.x1 - first.box.x0 + next.row.fontSize;
  if (!below || !first || isLabel || hadRoom || /[\d,:]/.test(textOf(below.words))) return text;
  const isName = below.words.every(({ text: word }) => /^\p{Lu}[\p{L}'’-]+$/u.test(word) && !isNoName(word));
  return isName && (text === text.toUpperCase()) === (first.text === first.text.toUpperCase())
    ? `${text} ${textOf(below.words)}`
    : text;
}

/** "Sig.ra" is a title and a label. */
function titleOf(lines: readonly HeadLine[], { line, begin, end }: Spot): string[] {
  const [word, ...others] =
    lines[line]?.words.slice(begin, end).map(({ text }) => text.replace(':', '')) ?? [];
  return word !== undefined && others.length === 0 && isSalutation(word) ? [word] : [];
}

/** All must mean the same person; who is named by one word only may be somebody else. */
function agreed(found: readonly Found[]): Found | 'doubtful' | undefined {
  const people = found.filter(({ words }) => words > 1);
  const [first] = people;
  if (!first) return found[0];
  const isOther = people.some((person) => !sharesWord(person, first));
  if (isOther) return 'doubtful';
  return people.reduce((best, person) => (person.words > best.words ? person : best), first);
}

const one = (found: readonly Found[]): Found | undefined => {
  const person = agreed(found);
  return person === 'doubtful' ? undefined : person;
};

/** Family and given name under labels of their own; "Name" is the family name where another label says "Vorname". */
function inParts(lines: readonly HeadLine[], whole: Found | undefined): Patient | undefined {
  const family = labelled(lines, 'lastName')[0] ?? labelled(lines, 'birthName')[0];
  const given = labelled(lines, 'firstName')[0];
  const first = given ?? (family && nearest(labelled(lines, 'name'), family));
  const second = labelled(lines, 'middleName')[0];
  if (!first) return family && family.words > 1 && !whole ? family : undefined;
  const last = family ?? nearest(labelled(lines, 'name'), first) ?? (whole?.words === 1 ? whole : undefined);
  if (!last) return whole ? undefined : first;
  const own = wholeName(first);
  const isSame = bare(own) === bare(wholeName(last));
  if (isSame) return first;
  const isSurname = second !== undefined && hasSecondSurname(lines);
  return {
    first: second && !isSurname ? `${own} ${wholeName(second)}` : own,
    last: second && isSurname ? `${wholeName(last)} ${wholeName(second)}` : wholeName(last),
    titles: [...first.titles, ...last.titles],
    rest: first.rest,
    line: first.line,
    box: first.box,
  };
}

const wholeName = ({ first, last }: Patient): string =>
  [first, last].filter((part) => part !== null).join(' ');

const nearest = (found: readonly Found[], to: Found): Found | undefined =>
  found.find(({ line }) => Math.abs(line - to.line) < 4);

const hasSecondSurname = (lines: readonly HeadLine[]): boolean =>
  lines.some(({ words }) => /\bapellido/i.test(textOf(words)));
