import type { HeaderField } from '../lexicon/header-labels.ts';
import { isFemaleTitle, isAcademicTitle, isMaleTitle, isSpanishTitle, isTitle } from '../lexicon/persons.ts';
import { joinWords } from '../rows.ts';
import type { Language, ReportWord } from '../report-model.ts';
import { type HeaderLine, type HeaderSegment, type LabelMatch, splitHeaderLine } from './labels.ts';
import { isBelowOtherPersonLabel, isOfOtherPerson } from './other-people.ts';
import { type HeaderPatient, getNameWords, hasSharedName } from './patient.ts';
import { isPhysician, parsePersonName } from './person.ts';

/** The number of lines that are searched as report header. */
const HEADER_LINES = 22;

/** Without a name label: the name before the date of birth, age or sex, or right above it. */
export function findNameNextToBirth(lines: readonly HeaderLine[]): HeaderPatient | undefined {
  for (const line of lines.slice(0, HEADER_LINES)) {
    const spot = line.spots.find(({ label }) => label.fields.some((field) => OF_PATIENT.has(field)));
    if (!spot || isBelowOtherPersonLabel(lines, spot.line, spot.box)) continue;
    const found = findNameLocations(lines, line, spot)
      .map((place) => readPatientAt(lines, place))
      .find((patient) => patient !== undefined);
    if (found) return found;
  }
  return undefined;
}

const OF_PATIENT: ReadonlySet<HeaderField> = new Set(['dob', 'age', 'sex']);

type NameLocation = Pick<HeaderSegment, 'words' | 'box'> & { readonly line: number };

/** In the same segment, from its start or from a title on; in the segments to the left; or right above. */
function findNameLocations(lines: readonly HeaderLine[], line: HeaderLine, spot: LabelMatch): NameLocation[] {
  const own = splitHeaderLine(line);
  const at = own.findIndex(({ from, to }) => from <= spot.begin && spot.begin < to);
  const before = own[at]?.words.slice(0, spot.begin - (own[at]?.from ?? 0)) ?? [];
  const title = before.findLastIndex(({ text }) => isSalutation(text));
  const left = own.slice(0, Math.max(at, 0)).toReversed();
  const above = findSegmentsAbove(lines, spot);
  // "M. Dupont Jean" right above "Né le 14/12/1959": the person with the title is the patient, not the text to the
  // left.
  const called = above.filter(({ words }) => isSalutation(words[0]?.text ?? ''));
  return [
    ...toLocations(before, spot.line),
    ...(title > 0 ? toLocations(before.slice(title), spot.line) : []),
    ...called,
    ...left.flatMap(({ words }) => toLocations(words, spot.line)),
    ...above,
  ];
}

const toLocations = (words: readonly ReportWord[], line: number): NameLocation[] => {
  const [first] = words;
  return first ? [{ words, line, box: first.box }] : [];
};

/**
 * Segments above a label that are left-aligned with it or end at the right edge of its line; above an address, which
 * has numbers, also the next line.
 */
function findSegmentsAbove(lines: readonly HeaderLine[], spot: LabelMatch): NameLocation[] {
  const places: NameLocation[] = [];
  let { y0 } = spot.box;
  const right = lines[spot.line]?.words.at(-1)?.box.x1 ?? Number.POSITIVE_INFINITY;
  for (let index = spot.line - 1; index >= Math.max(0, spot.line - 5); index -= 1) {
    const line = lines[index];
    if (!line || y0 - line.row.box.y1 > 2.2 * line.row.fontSize) return places;
    const segment =
      splitHeaderLine(line).find(({ box }) => Math.abs(box.x0 - spot.box.x0) < 8) ??
      splitHeaderLine(line).find(({ box }) => box.x0 > spot.box.x0 && Math.abs(box.x1 - right) < 1);
    if (!segment) continue;
    places.push({ ...segment, line: index });
    if (!/\d/.test(joinWords(segment.words)) || places.length > 1) return places;
    y0 = segment.box.y0;
  }
  return places;
}

function readPatientAt(
  lines: readonly HeaderLine[],
  { words, box, line }: NameLocation,
): HeaderPatient | undefined {
  const isLabel = lines[line]?.spots.some(({ box: label }) =>
    words.some((word) => word.box.x0 >= label.x0 && word.box.x1 <= label.x1 + 1),
  );
  if (words.length === 0 || isLabel || isOfOtherPerson(lines, line, box)) return undefined;
  const person = parsePersonName(joinWords(words), { isFamilyFirst: false, isLabelled: false });
  // "LBM Biovaldor – Site de Beaune" is an institution and its location.
  const isOfHouse =
    person !== undefined && /^[–—-]\s*\p{L}/u.test(person.rest) && !hasLabel(lines[line], words);
  return person && !isOfHouse && !isPhysician(person) ? { ...person, line, box } : undefined;
}

/** Whether a label is among the words, so that a dash before it separates data of one person. */
const hasLabel = (line: HeaderLine | undefined, words: readonly ReportWord[]): boolean =>
  line?.spots.some(({ box }) => words.some((word) => word.box.x0 >= box.x0 && word.box.x1 <= box.x1 + 1)) ===
  true;

/** Without a name label: the only person with a title such as Mr or Mrs in the header. */
export function findTitledPatient(
  lines: readonly HeaderLine[],
  language: Language | null,
): HeaderPatient | undefined {
  const found = findTitledPeople(lines.slice(0, HEADER_LINES), language);
  const [first] = found;
  return first && found.every((person) => hasSharedName(person, first)) ? first : undefined;
}

/** People with a title such as Mr or Mrs, in one line or in two, as in an address. */
function findTitledPeople(lines: readonly HeaderLine[], language: Language | null): HeaderPatient[] {
  return lines.flatMap((line, index) =>
    splitHeaderLine(line).flatMap((segment) => {
      const [title] = segment.words;
      if (!title || !isTitleOfPatient(title.text, language)) return [];
      const isAlone = segment.words.every(({ text }) => isTitle(text) && !isAcademicTitle(text));
      const place = isAlone ? findSegmentBelow(lines[index + 1], segment) : segment;
      const person = place && readPatientAt(lines, { ...place, line: isAlone ? index + 1 : index });
      const titles = isAlone ? segment.words.map(({ text }) => text) : [title.text];
      return person ? [{ ...person, titles: [...titles, ...person.titles] }] : [];
    }),
  );
}

/** "D." is a title in Spanish, otherwise an initial. */
const isTitleOfPatient = (text: string, language: Language | null): boolean =>
  language === 'es' && isSpanishTitle(text) ? true : isTitle(text) && (text.length > 2 || text.endsWith('.'));

export const isSalutation = (text: string): boolean =>
  (isFemaleTitle(text) || isMaleTitle(text)) && (text.length > 2 || text.endsWith('.'));

const findSegmentBelow = (line: HeaderLine | undefined, { box }: HeaderSegment): HeaderSegment | undefined =>
  line && splitHeaderLine(line).find((segment) => Math.abs(segment.box.x0 - box.x0) < 4);

/** All titles of the patient in the header: in the address window and in the text of a letter. */
export function collectTitles(
  lines: readonly HeaderLine[],
  patient: HeaderPatient,
  language: Language | null,
): readonly string[] {
  const others = findTitledPeople(lines.slice(0, HEADER_LINES), language).filter((person) =>
    isSamePatient(person, patient),
  );
  return [...patient.titles, ...others.flatMap(({ titles }) => titles)];
}

const isSamePatient = (some: HeaderPatient, other: HeaderPatient): boolean =>
  getNameWords(some).toSorted().join(' ') === getNameWords(other).toSorted().join(' ');
