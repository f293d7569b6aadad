import type { CardLabel } from './card-labels.ts';
import { CARD_ALIGNED, isAmountLine, isMethodLine, isRangeLabel, isStatus, sizeOf } from './card-lines.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import type { Word } from './word.ts';

export interface CardName {
  readonly words: readonly Word[];
  readonly top: number;
  readonly status: readonly Segment[];
  /** Where another card begins whose name stands beside this one. */
  readonly right?: number;
}

/** In font sizes, of the white between a name and what stands below it in its card. */
const NEAR = 2.5;
/** In font sizes, between the lines of one name. */
const TIGHT = 0.35;

/** The name above the range, or above the amount where that comes first, in one line or several; beside it perhaps how it is seen. */
export function nameAbove(
  { above, line: below }: { above: readonly Row[]; line?: Row },
  label: CardLabel,
): CardName | undefined {
  const at = above.findLastIndex((line) => !isMethodLine(line) && !isStatus(line));
  const line = above[at];
  const [own, ...beside] = line?.segments ?? [];
  if (!line || !own || !mayBeName(own) || Math.abs(own.box.x0 - label.segment.box.x0) > CARD_ALIGNED)
    return undefined;
  const under = Math.min(label.segment.box.y0, below?.box.y0 ?? Number.POSITIVE_INFINITY);
  const { box } = label.segment;
  if (under - line.box.y1 > NEAR * sizeOf(line)) return undefined;
  if (beside.some((some) => !isStatus(some) && !mayBeName(some))) return undefined;
  const other = beside.find((some) => !isStatus(some));
  const end = Math.max(box.x1, ...label.below.slice(0, 1).map(({ segments: [first] }) => first?.box.x1 ?? 0));
  if (other && other.box.x0 < end) return undefined;
  const lines = [own];
  for (let index = at - 1; index >= 0; index -= 1) {
    const upper = above[index]?.segments[0];
    const first = lines[0];
    if (!upper || !first || !isSameName(upper, first)) break;
    lines.unshift(upper);
  }
  const status = [...beside.filter(isStatus), ...above.slice(at + 1).filter(isStatus)];
  return {
    words: lines.flatMap(({ words }) => words),
    top: lines[0]?.box.y0 ?? line.box.y0,
    status,
    ...(other ? { right: other.box.x0 - CARD_ALIGNED } : {}),
  };
}

/** "Hormone" heads the names of tables, and ends a name in two lines. */
const MAY_NAME: ReadonlySet<string> = new Set(['name']);

const mayBeName = (segment: Segment): boolean => {
  const text = textOf(segment.words);
  return (
    /\p{L}/u.test(text) &&
    !/\d{2}[:/.-]\d|:$/u.test(text) &&
    MAY_NAME.has(roleOfHeading(text) ?? 'name') &&
    !isAmountLine(segment) &&
    !isRangeLabel(segment)
  );
};

/** Whether a line is the upper one of a name: set right above it in the same print, and a name itself. */
function isSameName(upper: Segment, lower: Segment): boolean {
  const [one, other] = [upper.words[0], lower.words[0]];
  return (
    one !== undefined &&
    other !== undefined &&
    mayBeName(upper) &&
    one.font === other.font &&
    Math.abs(one.fontSize - other.fontSize) < 0.05 * one.fontSize &&
    Math.abs(upper.box.x0 - lower.box.x0) < CARD_ALIGNED &&
    lower.box.y0 - upper.box.y1 < TIGHT * one.fontSize
  );
}
