import type { Atom } from '../reading/atoms.ts';
import { withReviewReasons } from '../reading/review-reasons.ts';
import { finishResult } from '../reading/finish-result.ts';
import { detectDecimalSign } from '../reading/numbers.ts';
import { groupIntoRows, toSingleRow, joinWords } from '../reading/rows.ts';
import {
  type BoundingBox,
  type ReportPage,
  type ParsedResult,
  type ParsedReport,
  type ReportWord,
  uniteBoxes,
} from '../reading/report-model.ts';
import type { ExtractorLine } from './extractor.ts';
import { verifyLines, type VerifiedLine } from './verify-lines.ts';

/** The words of a report in reading order. */
export const wordsInOrder = (pages: readonly ReportPage[]): ReportWord[] =>
  pages.flatMap((page) => groupIntoRows(page.words).flatMap((row) => row.words));

/**
 * Whether an external extractor may find more: a line is in doubt, there are no lines, or the value column contains a
 * number that belongs to no line.
 */
export function needsSecondReading({ results }: ParsedReport, words: readonly ReportWord[]): boolean {
  if (words.length === 0) return false;
  if (results.length === 0 || results.some(({ reviewReasons }) => reviewReasons.length > 0)) return true;
  const places = results.flatMap(({ page, boxes }) => Object.values(boxes).map((box) => ({ page, box })));
  const values = results.flatMap(({ page, boxes }) => (boxes.value ? [{ page, box: boxes.value }] : []));
  return words.some(
    (word) =>
      /\d/.test(word.text) &&
      values.some(({ page, box }) => page === word.page && isInColumnOf(word.box, box)) &&
      !places.some(({ page, box }) => page === word.page && hasOverlap(word.box, box)),
  );
}

/**
 * Merges the extractor's lines into a report, as far as the words of the page confirm them: adds missed lines, and
 * fills in missing units and ranges of lines in doubt. Never changes a line that is not in doubt, nor a value. Marks
 * added and completed lines with `read_by_extractor`, and different values with `extractor_reads_otherwise`.
 */
export function mergeExtractorLines(
  report: ParsedReport,
  { said, pages }: { said: readonly ExtractorLine[]; pages: readonly ReportPage[] },
): ParsedReport {
  const words = wordsInOrder(pages);
  const { gender, ageYears } = report.metadata;
  const how = { sign: detectDecimalSign(words.map(({ text }) => text)), patient: { gender, ageYears } };
  const marks = new Map<ParsedResult, 'read_by_extractor' | 'extractor_reads_otherwise'>();
  const lines = [...report.results];
  for (const agreed of verifyLines(said, words)) {
    const made = finishResult(toDraft(agreed), how);
    const at = lines.findIndex((line) => isSameLine(line, agreed));
    const known = lines[at];
    if (!known) {
      const place = insertPosition(lines, made);
      const line = { ...made, panel: lines[place - 1]?.panel ?? null };
      lines.splice(place, 0, line);
      marks.set(line, 'read_by_extractor');
    } else if (known.reviewReasons.length > 0) {
      const line = completeLine(known, made);
      lines[at] = line;
      if (line.printedValue !== made.printedValue) marks.set(line, 'extractor_reads_otherwise');
      else if (line !== known) marks.set(line, 'read_by_extractor');
    }
  }
  const results = withReviewReasons(lines).map((line, at) => {
    const of = lines[at];
    const mark = of && marks.get(of);
    return mark ? { ...line, reviewReasons: [...line.reviewReasons, mark] } : line;
  });
  return { ...report, results };
}

/** Fills in what the line lacks; does nothing if the extractor read another value. */
function completeLine(known: ParsedResult, made: ParsedResult): ParsedResult {
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

const hasOverlap = (one: BoundingBox, other: BoundingBox): boolean =>
  Math.min(one.x1, other.x1) > Math.max(one.x0, other.x0) &&
  Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0) > 0.3 * (one.y1 - one.y0);

/** Whether the middle of a word is within the horizontal extent of a box. */
const isInColumnOf = (word: BoundingBox, box: BoundingBox): boolean => {
  const middle = (word.x0 + word.x1) / 2;
  return middle > box.x0 && middle < box.x1;
};

const isSameLine = (line: ParsedResult, { page, valueWords, nameWords }: VerifiedLine): boolean =>
  line.page === page &&
  [...valueWords, ...nameWords].some((word) =>
    Object.values(line.boxes).some((box) => hasOverlap(word.box, box)),
  );

/** The index after the last line above it. */
function insertPosition(lines: readonly ParsedResult[], made: ParsedResult): number {
  const top = made.boxes.value?.y0 ?? 0;
  return (
    lines.findLastIndex(
      ({ page, boxes }) => page < made.page || (page === made.page && (boxes.value?.y0 ?? 0) <= top),
    ) + 1
  );
}

function toDraft(line: VerifiedLine<ReportWord>): Parameters<typeof finishResult>[0] {
  const row = toSingleRow([...line.nameWords, ...line.valueWords]);
  return {
    nameRows: [[...line.nameWords]],
    value: toAtoms(line.valueWords),
    flag: toAtoms(line.flagWords),
    unit: toAtoms(line.unitWords),
    range: line.rangeWords.length > 0 ? [toAtoms(line.rangeWords)] : [],
    isAmbiguous: false,
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

const toAtoms = (words: readonly ReportWord[]): Atom[] =>
  words.length === 0
    ? []
    : [
        {
          kind: 'text',
          text: joinWords(words),
          words,
          box: uniteBoxes(words.map(({ box }) => box)),
          segment: 0,
        },
      ];
