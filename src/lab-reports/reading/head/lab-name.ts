import { namesAnalyte } from '../lexicon/analytes.ts';
import { headFieldAt } from '../lexicon/head-fields.ts';
import { GENERIC, LEGAL_FORM, OF_HEADINGS, OF_HOUSES, OF_LABORATORIES } from '../lexicon/lab-names.ts';
import { bare, plain } from '../plain.ts';
import { textOf } from '../rows.ts';
import type { Page, Word } from '../word.ts';
import { type HeadLine, type HeadSegment, segmentsOf, valuesOf } from './labels.ts';
import { isOfSomebodyElse } from './owner.ts';

/** The part of a page that may be a letterhead, and where its foot begins. */
const HEAD = 0.24;
const FOOT = 0.92;

/** A letterhead that is large or calls itself a laboratory; what scores less may be a heading. */
const ENOUGH = 1;

interface Candidate {
  readonly text: string;
  readonly score: number;
}

/** The laboratory as its letterhead says, or its label, or the foot of the page; null where none is surely a name. */
export function labNameOf(
  page: Page | undefined,
  { lines, patient }: { lines: readonly HeadLine[]; patient: readonly string[] },
): string | null {
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
  return (scored(0, HEAD) ?? labelled(lines) ?? scored(FOOT, 1.01))?.text ?? null;
}

function best(candidates: readonly Candidate[]): Candidate | undefined {
  const [first, ...others] = candidates.filter(({ score }) => score > ENOUGH);
  return others.reduce((most, one) => (most && most.score >= one.score ? most : one), first);
}

interface Place {
  readonly line: HeadLine;
  readonly segment: HeadSegment;
  readonly usual: number;
  readonly page: Page;
}

function candidateAt(lines: readonly HeadLine[], { line, segment, usual, page }: Place): Candidate[] {
  const isValue = line.spots.some(({ end }) => end > segment.from && end <= segment.to);
  if (isValue || isOfSomebodyElse(lines, line.index, segment.box)) return [];
  const words = wholeName(lines, { line, segment });
  const size = Math.max(...segment.words.map((word) => word.fontSize)) / usual;
  return partsOf(textOf(words).trim()).map((text, index) => ({
    text,
    score: scoreOf(text, size) - (segment.box.y0 % (FOOT * page.height)) / page.height - index / 10,
  }));
}

/** "Laboratoire de Biologie" goes on in the next line of the same print with "des Tilleuls". */
function wholeName(
  lines: readonly HeadLine[],
  { line, segment }: Pick<Place, 'line' | 'segment'>,
): readonly Word[] {
  const next = lines[line.index + 1];
  const size = line.row.fontSize;
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

/** What stands between dots and bars: the name, the motto, the address. */
const partsOf = (text: string): string[] =>
  text
    .replace(/^[^\p{L}\d"'«(]+/u, '')
    .split(/\s+[|·•◆■]\s+/u)
    .map((part) => withoutHeading(part.trim()));

/** "Riverbend Health - Test Details": the part that is a heading is no part of the name. */
function withoutHeading(text: string): string {
  const parts = text.split(/\s+[-–—]\s+/u);
  const names = parts.filter((part) => !OF_HEADINGS.test(plain(part)));
  return parts.length > 1 && names.length > 0 && names.length < parts.length ? names.join(' - ') : text;
}

function scoreOf(text: string, size: number): number {
  const simple = plain(text);
  const words = text.split(/\s+/);
  if (!/\p{L}{3}/u.test(text) || /[:@]|www|https?|\d{4}|^\d|[!?]$/.test(text)) return -1;
  if (words.length > 10 || OF_HEADINGS.test(simple) || headFieldAt(words, 0)?.count === words.length)
    return -1;
  const calls = OF_LABORATORIES.test(simple) ? 1.7 : OF_HOUSES.test(simple) ? 1.5 : 0;
  const isPersonOrPlace = text.includes(',') && words.length < 5 && calls === 0;
  const isGeneric = bare(text)
    .split(' ')
    .every((word) => GENERIC.test(word));
  if (isPersonOrPlace || (calls === 0 && namesAnalyte(text))) return -1;
  const legal = LEGAL_FORM.test(text) ? 0.8 : 0;
  const isClosed = text.endsWith('.') && legal === 0;
  const sentence = isClosed ? -2 : words.filter((word) => /^\p{Ll}{4,}/u.test(word)).length > 3 ? -1 : 0;
  return (size > 1.2 ? Math.min(size, 2.5) : 0) + calls + legal + sentence + (isGeneric ? -1.2 : 0);
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
