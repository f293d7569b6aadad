import type { CardLabel } from './card-labels.ts';
import { nameAbove } from './card-names.ts';
import {
  announcedIn,
  isAmountLine,
  isBareLabel,
  isFound,
  isMethodLine,
  isScaleOf,
  isStatus,
  sizeOf,
  textsOf,
} from './card-lines.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { unitLength } from './units.ts';

export interface CardValue {
  readonly line: Row;
  /** What stands above it, or above the range where that comes first. */
  readonly above: readonly Row[];
  /** Whether its form says that it is one. */
  readonly isSure: boolean;
  /** Whether what stands below may be more of it. */
  readonly isLong: boolean;
  /** How it is seen, in a line of its own. */
  readonly status: readonly Row[];
  /** Further lines of the range. */
  readonly range: readonly Row[];
}

/** The amount under its range, at a distance perhaps: a drawing may stand between. */
export function valueBelow(label: CardLabel, next: CardLabel | undefined): CardValue | undefined {
  const end = next ? (nameAbove(next, next)?.top ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const lines = label.below.filter(({ box }) => box.y0 < end - 1);
  const amount = lines.find(
    (line, index) => isFound(line) && !(isStatus(line) && lines.slice(index).some(isMore)),
  );
  const range: Row[] = [];
  for (const line of lines) {
    if (line !== amount && isMoreOfRange(line, { label, range, amount })) range.push(line);
    else if (line === amount || !isBetween(line, label)) {
      const behind = lines[lines.indexOf(line) + 1];
      const isLong = behind !== undefined && goesOn(behind, line);
      const status = lines.filter((other) => other !== line && isStatus(other) && isNear(other, line));
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

/** Right below an amount, or above it at any distance. */
const isNear = (line: Row, amount: Segment): boolean => line.box.y0 - amount.box.y1 < sizeOf(line);

/** An amount that is no word for how another is seen. */
const isMore = (line: Row): boolean => isFound(line) && !isStatus(line);

/** A word that announces the value, how it is seen, and the ends of a scale. */
const isBetween = (line: Row, { segment }: CardLabel): boolean =>
  announcedIn(line)?.length === 0 || isStatus(line) || isScaleOf(line, segment.words);

/** Words right below a finding, in the same print, are perhaps more of it. */
const goesOn = (line: Row, above: Row): boolean =>
  line.box.y0 - above.box.y1 < 0.3 * sizeOf(above) &&
  Math.abs(sizeOf(line) - sizeOf(above)) < 0.05 * sizeOf(above) &&
  !isStatus(line) &&
  /\p{L}{2}/u.test(textOf(line.words));

interface Range {
  readonly label: CardLabel;
  readonly range: readonly Row[];
  readonly amount: Row | undefined;
}

/**
 * The bounds below a label that has none beside it, their unit in a line of its own, and what is set as small as they
 * are above an amount in large print.
 */
function isMoreOfRange(line: Row, { label: { segment }, range, amount }: Range): boolean {
  if (!amount || line.box.y0 > amount.box.y0 || isStatus(line)) return false;
  const size = sizeOf(segment);
  const isSmall = Math.abs(sizeOf(line) - size) < 0.05 * size;
  const isUnit = unitLength(textsOf(line.words), 0) === line.words.length;
  const isFirst = range.length === 0 && isBareLabel(segment) && isAmountLine(line);
  const isLarge = sizeOf(amount) > 1.15 * size;
  return isSmall && (isFirst || isUnit || (isLarge && announcedIn(line) === undefined));
}

/** The amount between name and range; how it is measured may stand there too. */
export function valueAbove(label: CardLabel): CardValue | undefined {
  const at = label.above.findLastIndex((line) => !isStatus(line) && !isMethodLine(line));
  const line = label.above[at];
  if (!line) return undefined;
  const status = label.above.slice(at + 1).filter(isStatus);
  const [below] = label.below;
  const isUnit = below !== undefined && unitLength(textsOf(below.words), 0) === below.words.length;
  const isBounds = below !== undefined && isBareLabel(label.segment) && isAmountLine(below);
  return {
    line,
    above: label.above.slice(0, at),
    isSure: isFound(line),
    isLong: false,
    status: status.slice(0, 1),
    range: below && isNear(below, label.segment) && (isUnit || isBounds) ? [below] : [],
  };
}
