import type { CardLabel } from './card-labels.ts';
import { findNameAbove } from './card-names.ts';
import {
  getAnnouncedWords,
  isAmountLine,
  isBareLabel,
  isCardValue,
  isMethodLine,
  isRangeScale,
  isStatusText,
  getLargestFontSize,
  getWordTexts,
} from './card-lines.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { unitLength } from './units.ts';

export interface CardValue {
  readonly line: TextRow;
  /** The lines above it, or above the range if that comes first. */
  readonly above: readonly TextRow[];
  /** Whether its form proves that it is a value. */
  readonly isSure: boolean;
  /** Whether the next line may continue it. */
  readonly isLong: boolean;
  /** The status, in a line of its own. */
  readonly status: readonly TextRow[];
  /** Further lines of the range. */
  readonly range: readonly TextRow[];
}

/** Finds the amount under its range; a drawing may be between them. */
export function findValueBelow(label: CardLabel, next: CardLabel | undefined): CardValue | undefined {
  const end = next ? (findNameAbove(next, next)?.top ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const lines = label.below.filter(({ box }) => box.y0 < end - 1);
  const amount = lines.find(
    (line, index) => isCardValue(line) && !(isStatusText(line) && lines.slice(index).some(isOtherValue)),
  );
  const range: TextRow[] = [];
  for (const line of lines) {
    if (line !== amount && isMoreOfRange(line, { label, range, amount })) range.push(line);
    else if (line === amount || !isBetween(line, label)) {
      const behind = lines[lines.indexOf(line) + 1];
      const isLong = behind !== undefined && isContinuation(behind, line);
      const status = lines.filter((other) => other !== line && isStatusText(other) && isNear(other, line));
      return {
        line,
        above: label.above,
        isSure: line === amount && !isLong,
        isLong,
        status: status.slice(0, 1),
        range,
      };
    }
  }
  return undefined;
}

/** Right below an amount, or anywhere above it. */
const isNear = (line: TextRow, amount: RowSegment): boolean =>
  line.box.y0 - amount.box.y1 < getLargestFontSize(line);

/** An amount that is not the status of another one. */
const isOtherValue = (line: TextRow): boolean => isCardValue(line) && !isStatusText(line);

/** A value label, a status, or the ends of a scale. */
const isBetween = (line: TextRow, { segment }: CardLabel): boolean =>
  getAnnouncedWords(line)?.length === 0 || isStatusText(line) || isRangeScale(line, segment.words);

/** Words right below a finding, in the same print, may continue it. */
const isContinuation = (line: TextRow, above: TextRow): boolean =>
  line.box.y0 - above.box.y1 < 0.3 * getLargestFontSize(above) &&
  Math.abs(getLargestFontSize(line) - getLargestFontSize(above)) < 0.05 * getLargestFontSize(above) &&
  !isStatusText(line) &&
  /\p{L}{2}/u.test(joinWords(line.words));

interface CardRange {
  readonly label: CardLabel;
  readonly range: readonly TextRow[];
  readonly amount: TextRow | undefined;
}

/**
 * Whether a line continues the range: bounds below a bare label, their unit in a line of its own, and text in the print
 * of the range above a large amount.
 */
function isMoreOfRange(line: TextRow, { label: { segment }, range, amount }: CardRange): boolean {
  if (!amount || line.box.y0 > amount.box.y0 || isStatusText(line)) return false;
  const size = getLargestFontSize(segment);
  const isSmall = Math.abs(getLargestFontSize(line) - size) < 0.05 * size;
  const isUnit = unitLength(getWordTexts(line.words), 0) === line.words.length;
  const isFirst = range.length === 0 && isBareLabel(segment) && isAmountLine(line);
  const isLarge = getLargestFontSize(amount) > 1.15 * size;
  return isSmall && (isFirst || isUnit || (isLarge && getAnnouncedWords(line) === undefined));
}

/** Finds the amount between name and range; the method may be there too. */
export function findValueAbove(label: CardLabel): CardValue | undefined {
  const at = label.above.findLastIndex((line) => !isStatusText(line) && !isMethodLine(line));
  const line = label.above[at];
  if (!line) return undefined;
  const status = label.above.slice(at + 1).filter(isStatusText);
  const [below] = label.below;
  const isUnit = below !== undefined && unitLength(getWordTexts(below.words), 0) === below.words.length;
  const isBounds = below !== undefined && isBareLabel(label.segment) && isAmountLine(below);
  return {
    line,
    above: label.above.slice(0, at),
    isSure: isCardValue(line),
    isLong: false,
    status: status.slice(0, 1),
    range: below && isNear(below, label.segment) && (isUnit || isBounds) ? [below] : [],
  };
}
