import { type TextRow, type RowSegment, groupIntoRows, joinWords } from './rows.ts';
import type { BoundingBox, ReportPage, ReportWord } from './report-model.ts';

const NUMBER = String.raw`[(\[]?[<>]?\s?\d[\d.,]*`;
const DASH = String.raw`[-–—−]|to|a|à|bis|al|hasta|até`;
const COMPARED = String.raw`[<>≤≥]=?|less than|greater than|more than|up to|below|above|under|over|(?:inferior|superior|menor|mayor|maior)e?(?: (?:a|de|que))?|hasta|unter|über|kleiner(?: als)?|größer(?: als)?|bis(?: zu)?|jusqu'à|(?:inf|sup)érieure? à|inferiore a|superiore a|fino a|até`;
const UNIT = String.raw`(?:\s\S{1,14}){0,2}`;

/** The first line of an interval: "15 -", "Female: 15.0 to", "less than". */
const OPEN_DASH = new RegExp(String.raw`(?:^|\s)(${NUMBER})\s?(?:${DASH})$`, 'iu');
const OPEN_COMPARED = new RegExp(String.raw`(?:^|[\s:])(?:${COMPARED})$`, 'iu');
const OPEN_NUMBER = new RegExp(String.raw`(?:^|\s)([(\[]\s?\d[\d.,]*|\d[\d.,]*)$`, 'u');
/** Its second line: "150", "150 ng/mL", "- 150". */
const END = new RegExp(String.raw`^\d[\d.,]*\s?[)\]]?${UNIT}$`, 'u');
const DASH_AND_END = new RegExp(
  String.raw`^(?:[-–—−]|to|bis|hasta|até)\s?(\d[\d.,]*)\s?[)\]]?${UNIT}$`,
  'iu',
);

/** In points: lines of a cell are aligned at their start, end or middle. */
const ALIGNED = 4;
/** In font sizes: the largest gap between two lines of a cell. */
const CLOSE = 0.9;

/**
 * Moves the second line of an interval behind its first one: "15 -" with "150" below it is 15 - 150. On their own the
 * dash would be a flag and the number lost. The moved words keep no place on the page.
 */
export function withWholeRanges(page: ReportPage): ReportPage {
  const moved = new Map<ReportWord, ReportWord>();
  const rows = groupIntoRows(page.words);
  rows.forEach((row, index) => {
    const above = rows[index - 1];
    const upper = above && findUpperLine(above, row);
    const end = upper?.words.at(-1)?.box;
    if (!upper || !end) return;
    const blank = 0.3 * row.fontSize;
    for (const word of row.words) moved.set(word, moveBehind(word, end, end.x1 + blank - row.box.x0));
  });
  return moved.size === 0 ? page : { ...page, words: page.words.map((word) => moved.get(word) ?? word) };
}

const moveBehind = (word: ReportWord, { y0, y1 }: BoundingBox, by: number): ReportWord => ({
  ...word,
  isMoved: true,
  box: { x0: word.box.x0 + by, x1: word.box.x1 + by, y0, y1 },
});

/** The cell of the row above that this row completes; it must not be the first number of its row. */
function findUpperLine(above: TextRow, row: TextRow): RowSegment | undefined {
  const [own, ...others] = row.segments;
  if (!own || others.length > 0 || row.box.y0 - above.box.y1 > CLOSE * row.fontSize) return undefined;
  const at = above.segments.findIndex(
    (segment) => isAligned(segment.box, own.box) && isBroken(joinWords(segment.words), joinWords(own.words)),
  );
  const hasNumberBefore = above.segments
    .slice(0, at)
    .some(({ words }) => words.some(({ text }) => /\d/.test(text)));
  const next = above.segments[at + 1];
  const upper = above.segments[at];
  const isFree = upper && (!next || next.box.x0 - upper.box.x1 > own.box.x1 - own.box.x0 + row.fontSize);
  return hasNumberBefore && isFree ? upper : undefined;
}

/** Whether a line that ends openly is completed by the one below to an interval. */
export function isBroken(upper: string, lower: string): boolean {
  const least = OPEN_DASH.exec(upper)?.[1];
  if (least !== undefined) return END.test(lower) && toNumber(least) < toNumber(lower);
  if (OPEN_COMPARED.test(upper)) return END.test(lower);
  const [, first] = OPEN_NUMBER.exec(upper) ?? [];
  const [, most] = DASH_AND_END.exec(lower) ?? [];
  return first !== undefined && most !== undefined && toNumber(first) < toNumber(most);
}

const toNumber = (text: string): number =>
  Number((/\d[\d.,]*/.exec(text)?.[0] ?? '').replaceAll(',', '.').replace(/\.$/, ''));

const isAligned = (upper: BoundingBox, lower: BoundingBox): boolean =>
  [upper.x0 - lower.x0, upper.x1 - lower.x1, (upper.x0 + upper.x1 - lower.x0 - lower.x1) / 2].some(
    (gap) => Math.abs(gap) < ALIGNED,
  );
