import { isUnit } from './units.ts';
import { isNegation, isNegatable, parseQualitative } from './lexicon/qualitative-results.ts';
import { type TextRow, groupIntoRows, type RowSegment, joinWords } from './rows.ts';
import type { ReportPage, ReportWord } from './report-model.ts';

/**
 * Moves two-line cells into the line they belong to when their lines stand half a line above and below it: "not" with
 * "reactive" below it, next to "IgG", would otherwise go to the results above and below.
 */
export function withCenteredCells(page: ReportPage): ReportPage {
  const moved = new Map<ReportWord, ReportWord>();
  const rows = groupIntoRows(page.words);
  rows.forEach((row, index) => {
    const [above, below] = [rows[index - 1], rows[index + 1]];
    if (!above || !below || !isBetween(row, above, below)) return;
    // Lines of two adjacent tables alternate in steps of half a line.
    if (overlaps(rows[index - 2], above) || overlaps(below, rows[index + 2])) return;
    const moves = collectMoves(row, above, below);
    if (moves.every(({ from }) => page.words.includes(from)))
      for (const { from, to } of moves) moved.set(from, to);
  });
  return moved.size === 0 ? page : { ...page, words: page.words.map((word) => moved.get(word) ?? word) };
}

/** Minimum vertical overlap of the middle line with those around it, as a share of the height. */
const SHARED = 0.25;

const overlaps = (one: TextRow | undefined, next: TextRow | undefined): boolean =>
  one !== undefined && next !== undefined && one.box.y1 - next.box.y0 > SHARED * next.fontSize;

/** Whether a line is centered between two others without horizontal overlap. */
function isBetween({ box, fontSize, segments }: TextRow, above: TextRow, below: TextRow): boolean {
  const isCentred = Math.abs(above.box.y0 + below.box.y1 - box.y0 - box.y1) < 0.3 * fontSize;
  const others = [...above.segments, ...below.segments];
  const isFree = others.every(({ box: other }) =>
    segments.every(({ box: own }) => other.x1 < own.x0 || other.x0 > own.x1),
  );
  return (
    isCentred &&
    isFree &&
    below.box.y0 - above.box.y1 > -SHARED * fontSize &&
    above.box.y1 - box.y0 > SHARED * fontSize &&
    box.y1 - below.box.y0 > SHARED * fontSize
  );
}

interface WordMove {
  readonly from: ReportWord;
  readonly to: ReportWord;
}

/** Moves the words of both lines into the middle one; empty if a cell makes no sense as a whole. */
function collectMoves(row: TextRow, above: TextRow, below: TextRow): WordMove[] {
  const pairs = above.segments.flatMap((upper) => {
    const lower = below.segments.find((segment) => isAligned(upper, segment));
    return lower ? [{ upper, lower }] : [];
  });
  const isAll = pairs.length === above.segments.length && pairs.length === below.segments.length;
  const first = Math.min(...[row, above, below].map(({ box }) => box.x0));
  const isName = ({ upper, lower }: SegmentPair): boolean => Math.min(upper.box.x0, lower.box.x0) < first + 1;
  const isWhole = pairs.some(isSplitFinding) && pairs.every((pair) => isSplitFinding(pair) || isName(pair));
  return isAll && isWhole ? pairs.flatMap((pair) => movePair(row, pair)) : [];
}

interface SegmentPair {
  readonly upper: RowSegment;
  readonly lower: RowSegment;
}

/** Left-aligned, right-aligned or centered. */
const isAligned = ({ box: upper }: RowSegment, { box: lower }: RowSegment): boolean =>
  [upper.x0 - lower.x0, upper.x1 - lower.x1, (upper.x0 + upper.x1 - lower.x0 - lower.x1) / 2].some(
    (gap) => Math.abs(gap) < 3,
  );

/** A unit or finding that neither of the two lines is on its own. */
function isSplitFinding({ upper, lower }: SegmentPair): boolean {
  const [one, other] = [joinWords(upper.words), joinWords(lower.words)];
  const whole = `${one} ${other}`;
  if (isNegation(one) && isNegatable(other)) return true;
  if (parseQualitative(whole) !== undefined)
    return parseQualitative(one) === undefined || parseQualitative(other) === undefined;
  return !/^[\d.,]+$/.test(one) && isUnit(whole);
}

/** Places the words side by side between the edges of both lines, so that they do not reach into another cell. */
function movePair({ box: { y0, y1 } }: TextRow, { upper, lower }: SegmentPair): WordMove[] {
  const [left, right] = [Math.min(upper.box.x0, lower.box.x0), Math.max(upper.box.x1, lower.box.x1)];
  const widthOf = ({ box }: RowSegment): number => box.x1 - box.x0;
  const blank = (upper.words[0]?.fontSize ?? 0) * 0.3;
  const scale = (right - left) / (widthOf(upper) + blank + widthOf(lower));
  const moved = ({ words, box }: RowSegment, from: number): WordMove[] =>
    words.map((word) => ({
      from: word,
      to: {
        ...word,
        box: {
          x0: from + (word.box.x0 - box.x0) * scale,
          x1: from + (word.box.x1 - box.x0) * scale,
          y0,
          y1,
        },
      },
    }));
  return [...moved(upper, left), ...moved(lower, left + (widthOf(upper) + blank) * scale)];
}
