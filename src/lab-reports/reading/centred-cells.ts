import { isUnit } from './units.ts';
import { isNegation, isTurnable, qualityOf } from './lexicon/qualities.ts';
import { type Row, rowsOf, type Segment, textOf } from './rows.ts';
import type { Page, Word } from './word.ts';

/**
 * A page whose cells of two lines, which stand half a line above and half a line below the line that they belong to,
 * are put into that line: "not" and below it "reactive" beside "IgG" would else be of the results above and below.
 */
export function withCentredCells(page: Page): Page {
  const moved = new Map<Word, Word>();
  const rows = rowsOf(page.words);
  rows.forEach((row, index) => {
    const [above, below] = [rows[index - 1], rows[index + 1]];
    if (!above || !below || !isBetween(row, above, below)) return;
    // Lines of two tables beside each other go on in steps of half a line.
    if (overlaps(rows[index - 2], above) || overlaps(below, rows[index + 2])) return;
    const moves = inLineOf(row, above, below);
    if (moves.every(({ from }) => page.words.includes(from)))
      for (const { from, to } of moves) moved.set(from, to);
  });
  return moved.size === 0 ? page : { ...page, words: page.words.map((word) => moved.get(word) ?? word) };
}

/** How much of their height the line in the middle and those around it have in common. */
const SHARED = 0.25;

const overlaps = (one: Row | undefined, next: Row | undefined): boolean =>
  one !== undefined && next !== undefined && one.box.y1 - next.box.y0 > SHARED * next.fontSize;

/** A line between two others of the same cells, beside which it stands as far above the one as below the other. */
function isBetween({ box, fontSize, segments }: Row, above: Row, below: Row): boolean {
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

interface Move {
  readonly from: Word;
  readonly to: Word;
}

/** The words of both lines as one line beside the middle one; none where a cell of both says nothing as a whole. */
function inLineOf(row: Row, above: Row, below: Row): Move[] {
  const pairs = above.segments.flatMap((upper) => {
    const lower = below.segments.find((segment) => isUnder(upper, segment));
    return lower ? [{ upper, lower }] : [];
  });
  const isAll = pairs.length === above.segments.length && pairs.length === below.segments.length;
  const first = Math.min(...[row, above, below].map(({ box }) => box.x0));
  const isName = ({ upper, lower }: Pair): boolean => Math.min(upper.box.x0, lower.box.x0) < first + 1;
  const isWhole = pairs.some(saysOneThing) && pairs.every((pair) => saysOneThing(pair) || isName(pair));
  return isAll && isWhole ? pairs.flatMap((pair) => moveInto(row, pair)) : [];
}

interface Pair {
  readonly upper: Segment;
  readonly lower: Segment;
}

/** From the same edge, to the same edge, or about the same middle. */
const isUnder = ({ box: upper }: Segment, { box: lower }: Segment): boolean =>
  [upper.x0 - lower.x0, upper.x1 - lower.x1, (upper.x0 + upper.x1 - lower.x0 - lower.x1) / 2].some(
    (gap) => Math.abs(gap) < 3,
  );

/** A unit, or a finding, that neither of the two lines is by itself. */
function saysOneThing({ upper, lower }: Pair): boolean {
  const [one, other] = [textOf(upper.words), textOf(lower.words)];
  const whole = `${one} ${other}`;
  if (isNegation(one) && isTurnable(other)) return true;
  if (qualityOf(whole) !== undefined) return qualityOf(one) === undefined || qualityOf(other) === undefined;
  return !/^[\d.,]+$/.test(one) && isUnit(whole);
}

/** Words set side by side between the edges that both lines had, so that they reach into no other cell. */
function moveInto({ box: { y0, y1 } }: Row, { upper, lower }: Pair): Move[] {
  const [left, right] = [Math.min(upper.box.x0, lower.box.x0), Math.max(upper.box.x1, lower.box.x1)];
  const widthOf = ({ box }: Segment): number => box.x1 - box.x0;
  const blank = (upper.words[0]?.fontSize ?? 0) * 0.3;
  const scale = (right - left) / (widthOf(upper) + blank + widthOf(lower));
  const moved = ({ words, box }: Segment, from: number): Move[] =>
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
