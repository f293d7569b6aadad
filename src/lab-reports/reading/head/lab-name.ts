import { namesAnalyte } from '../lexicon/analytes.ts';
import { headFieldAt } from '../lexicon/head-fields.ts';
import {
  AUTHORITY,
  DEPARTMENT,
  KIND_OF_HOUSE,
  LEGAL_FORM,
  OF_HEADINGS,
  OF_HOUSES,
  OF_LABORATORIES,
  PORTAL,
} from '../lexicon/lab-names.ts';
import { isTitle } from '../lexicon/persons.ts';
import { bare, plain } from '../plain.ts';
import { textOf } from '../rows.ts';
import { type Page, type Word, unite } from '../word.ts';
import { type HeadLine, type HeadSegment, segmentsOf, valuesOf } from './labels.ts';
import { isOfSomebodyElse } from './owner.ts';
import { isGeneric, secondLine } from './two-lines.ts';

/** The part of a page that may be a letterhead, and where its foot begins. */
const HEAD = 0.24;
const FOOT = 0.92;

/** A letterhead that is large or calls itself a laboratory; what scores less may be a heading. */
const ENOUGH = 1;

interface Candidate {
  readonly text: string;
  readonly score: number;
}

interface Of {
  readonly lines: readonly HeadLine[];
  readonly patient: readonly string[];
  /** The lines of the last page, whose end may say who measured. */
  readonly atEnd: readonly HeadLine[];
}

/** The laboratory as its letterhead says, or its label, or the foot of the page; null where none is surely a name. */
export function labNameOf(page: Page | undefined, { lines, patient, atEnd }: Of): string | null {
  if (!page) return null;
  const usual = medianSize(page);
  const isPatient = (text: string) => patient.length > 0 && patient.every((word) => text.includes(word));
  const scored = (from: number, to: number): Candidate | undefined =>
    best(
      lines
        .filter(({ row }) => row.box.y0 >= from * page.height && row.box.y0 < to * page.height)
        .flatMap((line) =>
          segmentsOf(line).flatMap((segment) => candidateAt(lines, { line, segment, usual, page })),
        )
        .filter(({ text }) => !isPatient(text)),
    );
  const [head, foot] = [scored(0, HEAD), scored(FOOT, 1.01)];
  const found = head && foot && isFuller(foot.text, head.text) ? foot : head;
  // Above "Resulting lab: ..." the letterhead is that of whoever shows the results: a surgery, a portal.
  const told = found && !measures(found.text) ? (labelled(lines) ?? labelled(atEnd)) : undefined;
  if (told && callsItself(told.text) && told.text.includes(' ')) return told.text;
  const name = (found ?? labelled(lines) ?? foot ?? labelled(atEnd))?.text;
  return name === undefined ? null : withoutMark(name);
}

/** "NOPAL AZUL Laboratorios Nopal Azul": the mark of a house beside its whole name, which has the mark once more. */
function withoutMark(text: string): string {
  const words = text.split(' ');
  const all = words.map(bare);
  for (let count = Math.floor(words.length / 2); count > 0; count -= 1) {
    const [mark, rest] = [all.slice(0, count).join(' '), all.slice(count).join(' ')];
    if (mark.length > 3 && rest.endsWith(` ${mark}`)) return words.slice(count).join(' ');
  }
  return text;
}

/** A letterhead may be but the mark of a house whose foot has its whole name. */
const isFuller = (foot: string, head: string): boolean =>
  !callsItself(head) &&
  callsItself(foot) &&
  bare(foot).startsWith(`${bare(head)} `) &&
  foot.split(' ').length < 7;

const measures = (text: string): boolean => OF_LABORATORIES.test(plain(text));

/** Whether a text says what kind of house it is. */
const callsItself = (text: string): boolean =>
  [OF_LABORATORIES, OF_HOUSES, LEGAL_FORM].some((kind) => kind.test(plain(text)));

function best(candidates: readonly Candidate[]): Candidate | undefined {
  const enough = candidates.filter(({ score }) => score > ENOUGH);
  // A department is named below the house that it is of.
  const houses = enough.filter(({ text }) => !isDepartment(text));
  const [first, ...others] = houses.length > 0 ? houses : enough;
  const most = others.reduce((one, other) => (one && one.score >= other.score ? one : other), first);
  return most && (candidates.find(({ text }) => isWholeOf(text, most.text)) ?? most);
}

/** "finch", and in smaller print "Clinical Laboratories Finch": the mark of a house beside its whole name. */
function isWholeOf(text: string, mark: string): boolean {
  const words = bare(text).split(' ');
  const isWhole = bare(mark)
    .split(' ')
    .every((word) => word.length > 3 && words.includes(word));
  return isWhole && !callsItself(mark) && callsItself(text) && words.length > 1 && words.length < 6;
}

interface Place {
  readonly line: HeadLine;
  readonly segment: HeadSegment;
  readonly usual: number;
  readonly page: Page;
}

function candidateAt(lines: readonly HeadLine[], { line, segment: whole, usual, page }: Place): Candidate[] {
  const segment = withoutTitle(line, whole);
  const isValue = line.spots.some(({ end }) => end > segment.from && end <= segment.to);
  if (isValue || isOfSomebodyElse(lines, line.index, segment.box)) return [];
  const words = wholeName(lines, { line, segment: inOnePrint(segment) });
  const size = Math.max(...segment.words.map((word) => word.fontSize)) / usual;
  const isInFoot = segment.box.y0 >= FOOT * page.height;
  return partsOf(textOf(words).trim()).map((part, index) => {
    const text = isInFoot ? withoutAddress(part) : part;
    return {
      text,
      // Of one line the first counts, however a picture leans.
      score: scoreOf(text, size) - (line.row.box.y0 % (FOOT * page.height)) / page.height - index / 10,
    };
  });
}

/** "Lab results | Prairie Sky Laboratories": what the page is called, and who measured. */
function withoutTitle(line: HeadLine, segment: HeadSegment): HeadSegment {
  const title = line.spots.find(
    ({ begin, isBare, label }) => begin === segment.from && isBare && label.isWeak,
  );
  const from = title?.end ?? segment.from;
  const words = segment.words.slice(from - segment.from);
  if (!title || !measures(textOf(words)) || isGeneric(textOf(words))) return segment;
  return { ...segment, words, from, box: unite(words.map(({ box }) => box)) };
}

/** In the foot an address follows in the same line: "Northshore Laboratories, 77 Mill Ave., ..." */
const withoutAddress = (text: string): string => text.replace(/,\s+\d.*$/, '');

/** Smaller than this share of the largest print beside it, words are none of the name. */
const SMALL_PRINT = 0.72;

/** The words of a letterhead without the small print behind them that is of something else: licences, titles. */
function inOnePrint(segment: HeadSegment): HeadSegment {
  const [first] = segment.words;
  const largest = Math.max(...segment.words.map(({ fontSize }) => fontSize));
  const end = segment.words.findIndex(({ fontSize }) => fontSize < SMALL_PRINT * largest);
  const rest = plain(textOf(segment.words.slice(end)));
  if (!first || end < 1 || first.fontSize < largest || !(/\d/.test(rest) || OF_HEADINGS.test(rest)))
    return segment;
  const words = segment.words.slice(0, end);
  return { ...segment, words, to: segment.from + end, box: unite(words.map(({ box }) => box)) };
}

/** "Laboratoire de Biologie" goes on in the next line of the same print with "des Tilleuls". */
function wholeName(
  lines: readonly HeadLine[],
  { line, segment }: Pick<Place, 'line' | 'segment'>,
): readonly Word[] {
  const size = line.row.fontSize;
  const next = lineBelow(lines, { line, segment });
  const second = secondLine(lines, line.index, segment);
  if (second) return [...segment.words, ...second];
  const kind = next && kindBelow(next, segment);
  if (kind) return [...segment.words, ...kind];
  if (!next || next.row.box.y0 - line.row.box.y1 > 0.8 * size || Math.abs(next.row.fontSize - size) > 0.5)
    return segment.words;
  const below = segmentsOf(next).find(
    ({ box }) =>
      Math.abs(box.x0 - segment.box.x0) < size ||
      Math.abs(box.x0 + box.x1 - segment.box.x0 - segment.box.x1) < 2 * size,
  );
  const goesOn =
    below !== undefined &&
    (/^(?:\p{Ll}|&)/u.test(below.words[0]?.text ?? '') ||
      /(?:^|\s)(?:de|del|della|des|du|di|do|da|of|and|the|y|et|e|und|für|&|-|–)$/iu.test(
        textOf(segment.words),
      ));
  return goesOn ? [...segment.words, ...below.words] : segment.words;
}

/** The next line that stands below a piece: lines of another column of the head may lie between. */
function lineBelow(
  lines: readonly HeadLine[],
  { line, segment }: Pick<Place, 'line' | 'segment'>,
): HeadLine | undefined {
  const near = lines.slice(line.index + 1, line.index + 4);
  const isBeside = ({ row }: HeadLine): boolean => row.box.x0 > segment.box.x1;
  return near.find((one) => !isBeside(one)) ?? near[0];
}

/** "Highveld & Partners", and below it in smaller print what kind of house that is: "PATHOLOGISTS". */
function kindBelow(next: HeadLine, segment: HeadSegment): readonly Word[] | undefined {
  const size = segment.words[0]?.fontSize ?? 0;
  if (size === 0 || callsItself(textOf(segment.words)) || isTitle(segment.words[0]?.text ?? ''))
    return undefined;
  const below = segmentsOf(next).find(
    ({ box }) =>
      [box.x0 - segment.box.x0, box.x1 - segment.box.x1].some((gap) => Math.abs(gap) < 3) &&
      box.y0 - segment.box.y1 < 0.8 * size,
  );
  const end = below?.words.findIndex(({ text }) => /^[|·•]$/u.test(text)) ?? -1;
  const words = end < 0 ? (below?.words ?? []) : (below?.words.slice(0, end) ?? []);
  const isKind =
    words.length > 0 &&
    bare(textOf(words))
      .split(' ')
      .every((word) => KIND_OF_HOUSE.test(word));
  const isSmaller = words.every(({ fontSize }) => fontSize < size);
  return isKind && isSmaller ? words : undefined;
}

/** What stands between dots and bars: the name, the motto, the address. */
const partsOf = (text: string): string[] =>
  text
    .replace(/^[^\p{L}\d"'«(]+/u, '')
    .split(/\s+[|·•◆■]\s+/u)
    .map((part) => withoutHeading(part.trim()));

/** "Institut für Labormedizin": of a hospital, where one is named, and a house of its own elsewhere. */
const INSTITUTE =
  /^(?:zentral)?institut fur (?:(?:medizinische|klinische|chemische|und|chemie|labor\p{Ll}*|mikrobiologie|virologie|hygiene|pathologie|diagnostik),? ?)+$/u;

/** "Servicio de Análisis Clínicos": words that every house has, and which begin with what a department is called. */
const isDepartment = (text: string): boolean =>
  DEPARTMENT.test(plain(text)) && (isGeneric(text) || INSTITUTE.test(plain(text)));

/** "Riverbend Health - Test Details": the part that is a heading or a department is no part of the name. */
function withoutHeading(text: string): string {
  const parts = text.split(/\s+[-–—]\s+/u);
  const names = parts.filter((part) => !OF_HEADINGS.test(plain(part)) && !isDepartment(part));
  return parts.length > 1 && names.length > 0 && names.length < parts.length ? names.join(' - ') : text;
}

function scoreOf(text: string, size: number): number {
  const simple = plain(text);
  const words = text.split(/\s+/);
  if (!/\p{L}{3}/u.test(text) || /[:@]|\*\S+\*|www|https?|\d{4}|^\d|[!?]$/.test(text)) return -1;
  if (words.length > 10 || OF_HEADINGS.test(simple) || headFieldAt(words, 0)?.count === words.length)
    return -1;
  // "RIVERSIDE (National Reference Laboratory)": what a branch is to the others is no name of the house.
  const own = simple.replace(/\([^)]*\)/g, '');
  const calls = OF_LABORATORIES.test(own) ? 1.7 : OF_HOUSES.test(own) ? 1.5 : 0;
  const isPersonOrPlace = text.includes(',') && words.length < 5 && calls === 0;
  // "ASL-O" is measured, though an ASL is an authority of health.
  const isMeasured = calls === 0 || words.length === 1 ? !measures(text) && namesAnalyte(text) : false;
  if (isPersonOrPlace || isMeasured) return -1;
  const legal = LEGAL_FORM.test(text) ? 0.8 : 0;
  const isClosed = text.endsWith('.') && legal === 0;
  const sentence = isClosed ? -2 : words.filter((word) => /^\p{Ll}{4,}/u.test(word)).length > 3 ? -1 : 0;
  return (
    (size > 1.2 ? Math.min(size, 2.5) : 0) +
    calls +
    legal +
    sentence +
    (isGeneric(text) ? -1.2 : 0) +
    (AUTHORITY.test(simple) || PORTAL.test(text) ? -1.4 : 0)
  );
}

/** Under a label, without the address behind it. */
function labelled(lines: readonly HeadLine[]): Candidate | undefined {
  for (const line of lines) {
    for (const spot of line.spots) {
      const [value] = spot.label.fields.includes('lab') ? valuesOf(lines, spot) : [];
      const text = value?.text ?? '';
      const name = text.replace(/,?\s+\d.*$/, '').replace(/,(?:[^,]*,?)?$/, '');
      if (/\p{L}{3}/u.test(name) && !OF_HEADINGS.test(plain(name))) return { text: name, score: ENOUGH };
    }
  }
  return undefined;
}

function medianSize({ words }: Page): number {
  const sizes = words.map((word) => word.fontSize).toSorted((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 10;
}
