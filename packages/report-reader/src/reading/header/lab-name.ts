import { hasAnalyteWord } from '../lexicon/analytes.ts';
import { matchHeaderField } from '../lexicon/header-labels.ts';
import {
  AUTHORITY,
  DEPARTMENT,
  INSTITUTION_KIND,
  LEGAL_FORM,
  HEADING_WORD,
  INSTITUTION_WORD,
  LABORATORY_WORD,
  PORTAL,
  hasInstitutionWord,
  isKnownLaboratory,
  isLaboratory,
} from '../lexicon/lab-names.ts';
import { isTitle } from '../lexicon/persons.ts';
import { normalizeWords, normalizeText } from '../text-normalization.ts';
import { joinWords } from '../rows.ts';
import { type ReportPage, type ReportWord, uniteBoxes } from '../report-model.ts';
import { type HeaderLine, type HeaderSegment, splitHeaderLine } from './labels.ts';
import { findLabeledLabName } from './labeled-lab-name.ts';
import { isNonLabName } from './non-lab-names.ts';
import { isOfOtherPerson } from './other-people.ts';
import { isGenericInstitution, findSecondLine } from './two-line-names.ts';

/** The part of a page that may be a letterhead, and where the footer begins. */
const HEADER_END = 0.24;
const FOOTER_START = 0.92;

/** Minimum score of a letterhead: large, or with a laboratory word; less may be a heading. */
const MIN_SCORE = 1;

interface LabNameCandidate {
  readonly text: string;
  readonly score: number;
}

interface LabNameContext {
  readonly lines: readonly HeaderLine[];
  readonly patient: readonly string[];
  /** The lines of the last page; its end may name the laboratory. */
  readonly atEnd: readonly HeaderLine[];
}

/** Reads the name of the laboratory from the letterhead, a label, or the footer; null if none is certain. */
export function readLabName(
  page: ReportPage | undefined,
  { lines, patient, atEnd }: LabNameContext,
): string | null {
  if (!page) return null;
  const usual = medianSize(page);
  const isPatient = (text: string) => patient.length > 0 && patient.every((word) => text.includes(word));
  const scored = (from: number, to: number): LabNameCandidate | undefined =>
    chooseBest(
      lines
        .filter(({ row }) => row.box.y0 >= from * page.height && row.box.y0 < to * page.height)
        .flatMap((line) =>
          splitHeaderLine(line).flatMap((segment) => readCandidates(lines, { line, segment, usual, page })),
        )
        .filter(({ text }) => !isPatient(text)),
    );
  const [head, foot] = [scored(0, HEADER_END), scored(FOOTER_START, 1.01)];
  const found = head && foot && isFullerName(foot.text, head.text) ? foot : head;
  // With "Resulting lab: ..." the letterhead is that of the practice or portal that shows the results.
  const told =
    found && !isLaboratory(found.text) ? (findLabeledLabName(lines) ?? findLabeledLabName(atEnd)) : undefined;
  if (told !== undefined && hasInstitutionWord(told) && told.includes(' ')) return told;
  const name = found?.text ?? findLabeledLabName(lines) ?? foot?.text ?? findLabeledLabName(atEnd);
  return name === undefined ? null : withoutBrand(name);
}

/** "NOPAL AZUL Laboratorios Nopal Azul": a brand before the full name, which contains the brand. */
function withoutBrand(text: string): string {
  const words = text.split(' ');
  const all = words.map(normalizeWords);
  for (let count = Math.floor(words.length / 2); count > 0; count -= 1) {
    const [mark, rest] = [all.slice(0, count).join(' '), all.slice(count).join(' ')];
    if (mark.length > 3 && rest.endsWith(` ${mark}`)) return words.slice(count).join(' ');
  }
  return text;
}

/** A letterhead may have only the brand, and the footer the full name. */
const isFullerName = (foot: string, head: string): boolean =>
  !hasInstitutionWord(head) &&
  hasInstitutionWord(foot) &&
  normalizeWords(foot).startsWith(`${normalizeWords(head)} `) &&
  foot.split(' ').length < 7;

function chooseBest(candidates: readonly LabNameCandidate[]): LabNameCandidate | undefined {
  const enough = candidates.filter(({ score }) => score > MIN_SCORE);
  // A department is printed below its institution.
  const houses = enough.filter(({ text }) => !isDepartment(text));
  const [first, ...others] = houses.length > 0 ? houses : enough;
  const most = others.reduce((one, other) => (one && one.score >= other.score ? one : other), first);
  return most && (candidates.find(({ text }) => isFullName(text, most.text)) ?? most);
}

/** "finch" with "Clinical Laboratories Finch" in smaller print: a brand and its full name. */
function isFullName(text: string, mark: string): boolean {
  const words = normalizeWords(text).split(' ');
  const isWhole = normalizeWords(mark)
    .split(' ')
    .every((word) => word.length > 3 && words.includes(word));
  return (
    isWhole && !hasInstitutionWord(mark) && hasInstitutionWord(text) && words.length > 1 && words.length < 6
  );
}

interface LetterheadSegment {
  readonly line: HeaderLine;
  readonly segment: HeaderSegment;
  readonly usual: number;
  readonly page: ReportPage;
}

function readCandidates(
  lines: readonly HeaderLine[],
  { line, segment: whole, usual, page }: LetterheadSegment,
): LabNameCandidate[] {
  const segment = withoutTitle(line, whole);
  const isValue = line.spots.some(({ end }) => end > segment.from && end <= segment.to);
  if (isValue || isOfOtherPerson(lines, line.index, segment.box)) return [];
  const words = joinNameLines(lines, { line, segment: withoutSmallPrint(segment) });
  const size = Math.max(...segment.words.map((word) => word.fontSize)) / usual;
  const isInFoot = segment.box.y0 >= FOOTER_START * page.height;
  return splitLetterhead(joinWords(words).trim()).map((part, index) => {
    const text = isInFoot ? withoutAddress(part) : part;
    return {
      text,
      // In one line the first part wins, even if the page is skewed.
      score:
        scoreName(text, size) - (line.row.box.y0 % (FOOTER_START * page.height)) / page.height - index / 10,
    };
  });
}

/** "Lab results | Prairie Sky Laboratories": the page title and the laboratory. */
function withoutTitle(line: HeaderLine, segment: HeaderSegment): HeaderSegment {
  const title = line.spots.find(
    ({ begin, isBare, label }) => begin === segment.from && isBare && label.isWeak,
  );
  const from = title?.end ?? segment.from;
  const words = segment.words.slice(from - segment.from);
  if (!title || !isLaboratory(joinWords(words)) || isGenericInstitution(joinWords(words))) return segment;
  return { ...segment, words, from, box: uniteBoxes(words.map(({ box }) => box)) };
}

/** In the footer an address follows in the same line: "Northshore Laboratories, 77 Mill Ave., ..." */
const withoutAddress = (text: string): string => text.replace(/,\s+\d.*$/, '');

/** Words smaller than this share of the largest print are not part of the name. */
const SMALL_PRINT = 0.72;

/** The words of a letterhead without trailing small print: licenses, titles. */
function withoutSmallPrint(segment: HeaderSegment): HeaderSegment {
  const [first] = segment.words;
  const largest = Math.max(...segment.words.map(({ fontSize }) => fontSize));
  const end = segment.words.findIndex(({ fontSize }) => fontSize < SMALL_PRINT * largest);
  const rest = normalizeText(joinWords(segment.words.slice(end)));
  if (!first || end < 1 || first.fontSize < largest || !(/\d/.test(rest) || HEADING_WORD.test(rest)))
    return segment;
  const words = segment.words.slice(0, end);
  return { ...segment, words, to: segment.from + end, box: uniteBoxes(words.map(({ box }) => box)) };
}

/** "Laboratoire de Biologie" continues in the next line of the same print with "des Tilleuls". */
function joinNameLines(
  lines: readonly HeaderLine[],
  { line, segment }: Pick<LetterheadSegment, 'line' | 'segment'>,
): readonly ReportWord[] {
  const size = line.row.fontSize;
  const next = findLineBelow(lines, { line, segment });
  const second = findSecondLine(lines, line.index, segment);
  if (second) return [...segment.words, ...second];
  const kind = next && findInstitutionKindBelow(next, segment);
  if (kind) return [...segment.words, ...kind];
  if (!next || next.row.box.y0 - line.row.box.y1 > 0.8 * size || Math.abs(next.row.fontSize - size) > 0.5)
    return segment.words;
  const below = splitHeaderLine(next).find(
    ({ box }) =>
      Math.abs(box.x0 - segment.box.x0) < size ||
      Math.abs(box.x0 + box.x1 - segment.box.x0 - segment.box.x1) < 2 * size,
  );
  const goesOn =
    below !== undefined &&
    (/^(?:\p{Ll}|&)/u.test(below.words[0]?.text ?? '') ||
      /(?:^|\s)(?:de|del|della|des|du|di|do|da|of|and|the|y|et|e|und|für|&|-|–)$/iu.test(
        joinWords(segment.words),
      ));
  return goesOn ? [...segment.words, ...below.words] : segment.words;
}

/** The next line below a segment: lines of another header column may be between them. */
function findLineBelow(
  lines: readonly HeaderLine[],
  { line, segment }: Pick<LetterheadSegment, 'line' | 'segment'>,
): HeaderLine | undefined {
  const near = lines.slice(line.index + 1, line.index + 4);
  const isBeside = ({ row }: HeaderLine): boolean => row.box.x0 > segment.box.x1;
  return near.find((one) => !isBeside(one)) ?? near[0];
}

/** "Highveld & Partners" with the kind of institution below it in smaller print: "PATHOLOGISTS". */
function findInstitutionKindBelow(
  next: HeaderLine,
  segment: HeaderSegment,
): readonly ReportWord[] | undefined {
  const size = segment.words[0]?.fontSize ?? 0;
  if (size === 0 || hasInstitutionWord(joinWords(segment.words)) || isTitle(segment.words[0]?.text ?? ''))
    return undefined;
  const below = splitHeaderLine(next).find(
    ({ box }) =>
      [box.x0 - segment.box.x0, box.x1 - segment.box.x1].some((gap) => Math.abs(gap) < 3) &&
      box.y0 - segment.box.y1 < 0.8 * size,
  );
  const end = below?.words.findIndex(({ text }) => /^[|·•]$/u.test(text)) ?? -1;
  const words = end < 0 ? (below?.words ?? []) : (below?.words.slice(0, end) ?? []);
  const isKind =
    words.length > 0 &&
    normalizeWords(joinWords(words))
      .split(' ')
      .every((word) => INSTITUTION_KIND.test(word));
  const isSmaller = words.every(({ fontSize }) => fontSize < size);
  return isKind && isSmaller ? words : undefined;
}

/** The parts between dots and bars: name, motto, address. */
const splitLetterhead = (text: string): string[] =>
  text
    .replace(/^[^\p{L}\d"'«(]+/u, '')
    .split(/\s+[|·•◆■]\s+/u)
    .map((part) => withoutHeading(part.trim()));

/** "Institut für Labormedizin": a department if a hospital is named, an institution otherwise. */
const INSTITUTE =
  /^(?:zentral)?institut fur (?:(?:medizinische|klinische|chemische|und|chemie|labor\p{Ll}*|mikrobiologie|virologie|hygiene|pathologie|diagnostik),? ?)+$/u;

/** "Servicio de Análisis Clínicos": generic words that begin with a word for a department. */
const isDepartment = (text: string): boolean =>
  DEPARTMENT.test(normalizeText(text)) && (isGenericInstitution(text) || INSTITUTE.test(normalizeText(text)));

/** "Riverbend Health - Test Details": a heading or department is not part of the name. */
function withoutHeading(text: string): string {
  const parts = text.split(/\s+[-–—]\s+/u);
  const names = parts.filter((part) => !HEADING_WORD.test(normalizeText(part)) && !isDepartment(part));
  return parts.length > 1 && names.length > 0 && names.length < parts.length ? names.join(' - ') : text;
}

function scoreName(text: string, size: number): number {
  const simple = normalizeText(text);
  const words = text.split(/\s+/);
  if (!/\p{L}{3}/u.test(text) || /[:@]|\*\S+\*|www|https?|\d{4}|^\d|[!?]$/.test(text)) return -1;
  if (isNonLabName(text)) return -1;
  if (words.length > 10 || HEADING_WORD.test(simple) || matchHeaderField(words, 0)?.count === words.length)
    return -1;
  // "RIVERSIDE (National Reference Laboratory)": the role of a branch is not part of the name.
  const own = simple.replace(/\([^)]*\)/g, '');
  const calls =
    LABORATORY_WORD.test(own) || isKnownLaboratory(own) ? 1.7 : INSTITUTION_WORD.test(own) ? 1.5 : 0;
  const isPersonOrPlace = text.includes(',') && words.length < 5 && calls === 0;
  // "ASL-O" is an analyte, though an ASL is a health authority.
  const isMeasured = calls === 0 || words.length === 1 ? !isLaboratory(text) && hasAnalyteWord(text) : false;
  if (isPersonOrPlace || isMeasured) return -1;
  const legal = LEGAL_FORM.test(text) ? 0.8 : 0;
  const isClosed = text.endsWith('.') && legal === 0;
  const sentence = isClosed ? -2 : words.filter((word) => /^\p{Ll}{4,}/u.test(word)).length > 3 ? -1 : 0;
  return (
    (size > 1.2 ? Math.min(size, 2.5) : 0) +
    calls +
    legal +
    sentence +
    (isGenericInstitution(text) ? -1.2 : 0) +
    (AUTHORITY.test(simple) || PORTAL.test(text) ? -1.4 : 0)
  );
}

function medianSize({ words }: ReportPage): number {
  const sizes = words.map((word) => word.fontSize).toSorted((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 10;
}
