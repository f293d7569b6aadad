import type { HeadField } from '../lexicon/head-fields.ts';
import { isFemaleTitle, isLearnedTitle, isMaleTitle, isSpanishTitle, isTitle } from '../lexicon/persons.ts';
import { textOf } from '../rows.ts';
import type { Language, Word } from '../word.ts';
import { type HeadLine, type HeadSegment, type Spot, segmentsOf } from './labels.ts';
import { isBelowSomebody, isOfSomebodyElse } from './owner.ts';
import { type Patient, namesOf, sharesWord } from './patient.ts';
import { isLearned, personIn } from './person.ts';

/** How many lines are the head, as far as nobody says so. */
const HEAD_LINES = 22;

/** Without a label: the name in front of the date of birth, of age or sex, or right above it. */
export function besideBirth(lines: readonly HeadLine[]): Patient | undefined {
  for (const line of lines.slice(0, HEAD_LINES)) {
    const spot = line.spots.find(({ label }) => label.fields.some((field) => OF_PATIENT.has(field)));
    if (!spot || isBelowSomebody(lines, spot.line, spot.box)) continue;
    const found = placesBeside(lines, line, spot)
      .map((place) => unlabelled(lines, place))
      .find((patient) => patient !== undefined);
    if (found) return found;
  }
  return undefined;
}

const OF_PATIENT: ReadonlySet<HeadField> = new Set(['dob', 'age', 'sex']);

type Place = Pick<HeadSegment, 'words' | 'box'> & { readonly line: number };

/** In the same segment, from its beginning or from a title on, in the segment to the left, or right above. */
function placesBeside(lines: readonly HeadLine[], line: HeadLine, spot: Spot): Place[] {
  const own = segmentsOf(line);
  const at = own.findIndex(({ from, to }) => from <= spot.begin && spot.begin < to);
  const before = own[at]?.words.slice(0, spot.begin - (own[at]?.from ?? 0)) ?? [];
  const title = before.findLastIndex(({ text }) => isSalutation(text));
  const left = own.slice(0, Math.max(at, 0)).toReversed();
  const above = segmentsAbove(lines, spot);
  // "M. Dupont Jean" right above "Né le 14/12/1959": who is called so is the patient, and what stands left is not.
  const called = above.filter(({ words }) => isSalutation(words[0]?.text ?? ''));
  return [
    ...placeOf(before, spot.line),
    ...(title > 0 ? placeOf(before.slice(title), spot.line) : []),
    ...called,
    ...left.flatMap(({ words }) => placeOf(words, spot.line)),
    ...above,
  ];
}

const placeOf = (words: readonly Word[], line: number): Place[] => {
  const [first] = words;
  return first ? [{ words, line, box: first.box }] : [];
};

/**
 * What begins above a label where that does, or ends where its line ends at the right edge; above an address, which has
 * numbers, the next line too.
 */
function segmentsAbove(lines: readonly HeadLine[], spot: Spot): Place[] {
  const places: Place[] = [];
  let { y0 } = spot.box;
  const right = lines[spot.line]?.words.at(-1)?.box.x1 ?? Number.POSITIVE_INFINITY;
  for (let index = spot.line - 1; index >= Math.max(0, spot.line - 5); index -= 1) {
    const line = lines[index];
    if (!line || y0 - line.row.box.y1 > 2.2 * line.row.fontSize) return places;
    const segment =
      segmentsOf(line).find(({ box }) => Math.abs(box.x0 - spot.box.x0) < 8) ??
      segmentsOf(line).find(({ box }) => box.x0 > spot.box.x0 && Math.abs(box.x1 - right) < 1);
    if (!segment) continue;
    places.push({ ...segment, line: index });
    if (!/\d/.test(textOf(segment.words)) || places.length > 1) return places;
    y0 = segment.box.y0;
  }
  return places;
}

function unlabelled(lines: readonly HeadLine[], { words, box, line }: Place): Patient | undefined {
  const isLabel = lines[line]?.spots.some(({ box: label }) =>
    words.some((word) => word.box.x0 >= label.x0 && word.box.x1 <= label.x1 + 1),
  );
  if (words.length === 0 || isLabel || isOfSomebodyElse(lines, line, box)) return undefined;
  const person = personIn(textOf(words), { isFamilyFirst: false, isLabelled: false });
  // "LBM Biovaldor – Site de Beaune" is a house and its place.
  const isOfHouse =
    person !== undefined && /^[–—-]\s*\p{L}/u.test(person.rest) && !hasLabel(lines[line], words);
  return person && !isOfHouse && !isLearned(person) ? { ...person, line, box } : undefined;
}

/** Whether a label stands among the words, so that a dash before it parts what is said of one person. */
const hasLabel = (line: HeadLine | undefined, words: readonly Word[]): boolean =>
  line?.spots.some(({ box }) => words.some((word) => word.box.x0 >= box.x0 && word.box.x1 <= box.x1 + 1)) ===
  true;

/** Without a label: the only one who is called Mr or Mrs in the head. */
export function titled(lines: readonly HeadLine[], language: Language | null): Patient | undefined {
  const found = titledIn(lines.slice(0, HEAD_LINES), language);
  const [first] = found;
  return first && found.every((person) => sharesWord(person, first)) ? first : undefined;
}

/** Who is called Mr or Mrs, in one line or in two, as an address is written. */
function titledIn(lines: readonly HeadLine[], language: Language | null): Patient[] {
  return lines.flatMap((line, index) =>
    segmentsOf(line).flatMap((segment) => {
      const [title] = segment.words;
      if (!title || !isCalled(title.text, language)) return [];
      const isAlone = segment.words.every(({ text }) => isTitle(text) && !isLearnedTitle(text));
      const place = isAlone ? below(lines[index + 1], segment) : segment;
      const person = place && unlabelled(lines, { ...place, line: isAlone ? index + 1 : index });
      const titles = isAlone ? segment.words.map(({ text }) => text) : [title.text];
      return person ? [{ ...person, titles: [...titles, ...person.titles] }] : [];
    }),
  );
}

/** "D." is a title in Spanish, else an initial. */
const isCalled = (text: string, language: Language | null): boolean =>
  language === 'es' && isSpanishTitle(text) ? true : isTitle(text) && (text.length > 2 || text.endsWith('.'));

export const isSalutation = (text: string): boolean =>
  (isFemaleTitle(text) || isMaleTitle(text)) && (text.length > 2 || text.endsWith('.'));

const below = (line: HeadLine | undefined, { box }: HeadSegment): HeadSegment | undefined =>
  line && segmentsOf(line).find((segment) => Math.abs(segment.box.x0 - box.x0) < 4);

/** The titles that a patient is called by anywhere in the head: in the window for the address, in a letter's text. */
export function titlesOf(
  lines: readonly HeadLine[],
  patient: Patient,
  language: Language | null,
): readonly string[] {
  const others = titledIn(lines.slice(0, HEAD_LINES), language).filter((person) => isSame(person, patient));
  return [...patient.titles, ...others.flatMap(({ titles }) => titles)];
}

const isSame = (some: Patient, other: Patient): boolean =>
  namesOf(some).toSorted().join(' ') === namesOf(other).toSorted().join(' ');
