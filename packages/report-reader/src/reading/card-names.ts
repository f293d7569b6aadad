import type { CardLabel } from './card-labels.ts';
import {
  CARD_ALIGNED,
  isAmountLine,
  isMethodLine,
  isRangeLabel,
  isStatusText,
  getLargestFontSize,
} from './card-lines.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import type { ReportWord } from './report-model.ts';

export interface CardName {
  readonly words: readonly ReportWord[];
  readonly top: number;
  readonly status: readonly RowSegment[];
  /** Where another card begins whose name is to the right of this one. */
  readonly right?: number;
}

/** In font sizes: the largest gap between a name and the next line of its card. */
const NEAR = 2.5;
/** In font sizes: the largest gap between the lines of one name. */
const TIGHT = 0.35;

/** Finds the name, in one or more lines, above the range or the amount, with a status next to it. */
export function findNameAbove(
  { above, line: below }: { above: readonly TextRow[]; line?: TextRow },
  label: CardLabel,
): CardName | undefined {
  const at = above.findLastIndex((line) => !isMethodLine(line) && !isStatusText(line));
  const line = above[at];
  const [own, ...beside] = line?.segments ?? [];
  if (!line || !own || !canBeName(own) || Math.abs(own.box.x0 - label.segment.box.x0) > CARD_ALIGNED)
    return undefined;
  const under = Math.min(label.segment.box.y0, below?.box.y0 ?? Number.POSITIVE_INFINITY);
  const { box } = label.segment;
  if (under - line.box.y1 > NEAR * getLargestFontSize(line)) return undefined;
  if (beside.some((some) => !isStatusText(some) && !canBeName(some))) return undefined;
  const other = beside.find((some) => !isStatusText(some));
  const end = Math.max(box.x1, ...label.below.slice(0, 1).map(({ segments: [first] }) => first?.box.x1 ?? 0));
  if (other && other.box.x0 < end) return undefined;
  const lines = [own];
  for (let index = at - 1; index >= 0; index -= 1) {
    const upper = above[index]?.segments[0];
    const first = lines[0];
    if (!upper || !first || !isSameName(upper, first)) break;
    lines.unshift(upper);
  }
  const status = [...beside.filter(isStatusText), ...above.slice(at + 1).filter(isStatusText)];
  return {
    words: lines.flatMap(({ words }) => words),
    top: lines[0]?.box.y0 ?? line.box.y0,
    status,
    ...(other ? { right: other.box.x0 - CARD_ALIGNED } : {}),
  };
}

/** "Hormone" is a heading of a name column, and may also end a name in two lines. */
const MAY_NAME: ReadonlySet<string> = new Set(['name']);

const canBeName = (segment: RowSegment): boolean => {
  const text = joinWords(segment.words);
  return (
    /\p{L}/u.test(text) &&
    !/\d{2}[:/.-]\d|:$/u.test(text) &&
    MAY_NAME.has(matchColumnRole(text) ?? 'name') &&
    !isAmountLine(segment) &&
    !isRangeLabel(segment)
  );
};

/** Whether a line is the upper line of a name: right above it, in the same print, and a possible name itself. */
function isSameName(upper: RowSegment, lower: RowSegment): boolean {
  const [one, other] = [upper.words[0], lower.words[0]];
  return (
    one !== undefined &&
    other !== undefined &&
    canBeName(upper) &&
    one.font === other.font &&
    Math.abs(one.fontSize - other.fontSize) < 0.05 * one.fontSize &&
    Math.abs(upper.box.x0 - lower.box.x0) < CARD_ALIGNED &&
    lower.box.y0 - upper.box.y1 < TIGHT * one.fontSize
  );
}
