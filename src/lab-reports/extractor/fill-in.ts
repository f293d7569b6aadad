import type { Atom } from '../reading/atoms.ts';
import { doubtful } from '../reading/doubt.ts';
import { finish } from '../reading/finish.ts';
import { habitOf } from '../reading/numbers.ts';
import { rowsOf, rowWith, textOf } from '../reading/rows.ts';
import { type Box, type Page, type ReadLine, type ReadReport, type Word, unite } from '../reading/word.ts';
import type { ExtractedLine } from '../../adapters/report-extractor/port.ts';
import { agree, type AgreedLine } from './agree.ts';

/** The words of a report, line by line. */
export const wordsInOrder = (pages: readonly Page[]): Word[] =>
  pages.flatMap((page) => rowsOf(page.words).flatMap((row) => row.words));

/**
 * Whether somebody else may find more here: a line is in doubt, there is no line, or a number stands under the values
 * that no line has.
 */
export function isHard({ results }: ReadReport, words: readonly Word[]): boolean {
  if (words.length === 0) return false;
  if (results.length === 0 || results.some(({ reviewReasons }) => reviewReasons.length > 0)) return true;
  const places = results.flatMap(({ page, boxes }) => Object.values(boxes).map((box) => ({ page, box })));
  const values = results.flatMap(({ page, boxes }) => (boxes.value ? [{ page, box: boxes.value }] : []));
  return words.some(
    (word) =>
      /\d/.test(word.text) &&
      values.some(({ page, box }) => page === word.page && isBetween(word.box, box)) &&
      !places.some(({ page, box }) => page === word.page && overlap(word.box, box)),
  );
}

/**
 * What an extractor says, where the words of the page bear it out: lines that were missed, and what lines in doubt
 * lack. Lines that are not in doubt stay as they are, and so does every value that was read. What comes from it, and
 * what it reads otherwise, is marked.
 */
export function fillIn(
  report: ReadReport,
  { said, pages }: { said: readonly ExtractedLine[]; pages: readonly Page[] },
): ReadReport {
  const words = wordsInOrder(pages);
  const { gender, ageYears } = report.metadata;
  const how = { sign: habitOf(words.map(({ text }) => text)), patient: { gender, ageYears } };
  const marks = new Map<ReadLine, 'read_by_extractor' | 'extractor_reads_otherwise'>();
  const lines = [...report.results];
  for (const agreed of agree(said, words)) {
    const made = finish(draftOf(agreed), how);
    const at = lines.findIndex((line) => isSameLine(line, agreed));
    const known = lines[at];
    if (!known) {
      const place = placeOf(lines, made);
      const line = { ...made, panel: lines[place - 1]?.panel ?? null };
      lines.splice(place, 0, line);
      marks.set(line, 'read_by_extractor');
    } else if (known.reviewReasons.length > 0) {
      const line = completed(known, made);
      lines[at] = line;
      if (line.printedValue !== made.printedValue) marks.set(line, 'extractor_reads_otherwise');
      else if (line !== known) marks.set(line, 'read_by_extractor');
    }
  }
  const results = doubtful(lines).map((line, at) => {
    const of = lines[at];
    const mark = of && marks.get(of);
    return mark ? { ...line, reviewReasons: [...line.reviewReasons, mark] } : line;
  });
  return { ...report, results };
}

/** The line with what it lacks; another value is no ground for anything. */
function completed(known: ReadLine, made: ReadLine): ReadLine {
  if (known.printedValue !== made.printedValue) return { ...known };
  const isUnitNew = known.unit === null && made.unit !== null;
  const isRangeNew = known.referenceRange === null && made.referenceRange !== null;
  if (!isUnitNew && !isRangeNew) return known;
  const { unit, referenceRange, min, max, openBounds, isAboveMax, isBelowMin, interpretation, boxes } = made;
  return {
    ...known,
    ...(isUnitNew && { unit }),
    ...(isRangeNew && { referenceRange, min, max, openBounds, isAboveMax, isBelowMin, interpretation }),
    boxes: { ...boxes, ...known.boxes },
  };
}

const overlap = (one: Box, other: Box): boolean =>
  Math.min(one.x1, other.x1) > Math.max(one.x0, other.x0) &&
  Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0) > 0.3 * (one.y1 - one.y0);

/** Whether the middle of a word lies above or below a box. */
const isBetween = (word: Box, box: Box): boolean => {
  const middle = (word.x0 + word.x1) / 2;
  return middle > box.x0 && middle < box.x1;
};

const isSameLine = (line: ReadLine, { page, valueWords, nameWords }: AgreedLine): boolean =>
  line.page === page &&
  [...valueWords, ...nameWords].some((word) =>
    Object.values(line.boxes).some((box) => overlap(word.box, box)),
  );

/** Behind the last line that stands above it. */
function placeOf(lines: readonly ReadLine[], made: ReadLine): number {
  const top = made.boxes.value?.y0 ?? 0;
  return (
    lines.findLastIndex(
      ({ page, boxes }) => page < made.page || (page === made.page && (boxes.value?.y0 ?? 0) <= top),
    ) + 1
  );
}

function draftOf(line: AgreedLine<Word>): Parameters<typeof finish>[0] {
  const row = rowWith([...line.nameWords, ...line.valueWords]);
  return {
    nameRows: [[...line.nameWords]],
    value: atomsWith(line.valueWords),
    flag: atomsWith(line.flagWords),
    unit: atomsWith(line.unitWords),
    range: line.rangeWords.length > 0 ? [atomsWith(line.rangeWords)] : [],
    isCut: false,
    method: [],
    notes: [],
    panel: null,
    section: null,
    specimenHint: null,
    row,
    lastRow: row,
    evidence: 0,
    cost: 0,
    hasHeader: false,
  };
}

const atomsWith = (words: readonly Word[]): Atom[] =>
  words.length === 0
    ? []
    : [{ kind: 'text', text: textOf(words), words, box: unite(words.map(({ box }) => box)), segment: 0 }];
