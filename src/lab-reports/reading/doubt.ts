import { analyteOf, isPlausible } from './lexicon/limits.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { panelDoubts } from './panel-doubts.ts';
import { isCount } from './pairs.ts';
import { plain } from './plain.ts';
import { isCell, ownerOf } from './share-ranges.ts';
import { sameUnitKey } from './units.ts';
import type { ReadLine, ReviewReason } from './word.ts';

/** Below this an OCR engine's word, or our understanding of its line, is not to be trusted by itself. */
const SURE_ENOUGH = 0.75;

/** The lines with every reason why a person should look at them. */
export function doubtful(lines: readonly ReadLine[]): ReadLine[] {
  const reasons = new Map<ReadLine, Set<ReviewReason>>(
    lines.map((line) => [line, new Set(line.reviewReasons)]),
  );
  const mark = (line: ReadLine, reason: ReviewReason): void => void reasons.get(line)?.add(reason);
  const flagsAreKept = printsFlags(lines);
  for (const line of lines) for (const reason of lineDoubts(line, flagsAreKept)) mark(line, reason);
  for (const [line, reason] of panelDoubts(lines)) mark(line, reason);
  for (const line of repeated(lines)) mark(line, 'duplicate_with_other_value');
  return lines.map((line) => ({ ...line, reviewReasons: [...(reasons.get(line) ?? [])] }));
}

function lineDoubts(line: ReadLine, flagsAreKept: boolean): ReviewReason[] {
  const found: ReviewReason[] = [];
  if (disagrees(line)) found.push('flag_disagrees_with_range');
  if (flagsAreKept && line.flag === null && (line.isAboveMax || line.isBelowMin))
    found.push('missing_flag_of_value_out_of_range');
  if (hasRangeOfOther(line)) found.push('unclear_columns');
  if (hasLostPoint(line)) found.push('decimals_differ_from_range');
  if (isImplausible(line)) found.push('implausible_value');
  if (line.confidence < SURE_ENOUGH) found.push('low_confidence');
  const isWords = line.type === 'comment' && qualityOf(line.printedValue) === undefined;
  const isBounded = line.min !== null || line.max !== null;
  if ((isWords && line.min !== null && line.max !== null) || (isBounded && IS_SIGN.test(line.printedValue)))
    found.push('unclear_columns');
  if (isWords && saysBoth(line.printedValue)) found.push('unclear_columns');
  return found;
}

/** "Reactive Non-reactive": two findings that cannot both be of one test, so one was of another line or column. */
function saysBoth(text: string): boolean {
  const words = text.split(' ');
  return words.some((_, at) => {
    const kinds = [words.slice(0, at), words.slice(at)].map((some) => qualityOf(some.join(' ')));
    return kinds.includes('present') && kinds.includes('absent');
  });
}

/** An arrow or a star is no result of its own: the number before it was lost, or taken for it. */
const IS_SIGN = /^[^\p{L}\d+-]+$/u;

/** Neutrophils in percent with the range of their count, which stands in the same line of the report perhaps. */
function hasRangeOfOther({ testName, unit, referenceRange, specimen }: ReadLine): boolean {
  if (!unit || !referenceRange || !isCell(testName) || specimen === 'urine' || specimen === 'other')
    return false;
  if (sameUnitKey(unit) === '%') return ownerOf(testName, referenceRange) === 'count';
  return isCount(unit) && ownerOf(testName, referenceRange, unit) === 'share';
}

function disagrees({ flagLevel, isAboveMax, isBelowMin }: ReadLine): boolean {
  if (flagLevel === null || (isAboveMax === null && isBelowMin === null)) return false;
  if (flagLevel === 'high' || flagLevel === 'critical_high') return !isAboveMax;
  if (flagLevel === 'low' || flagLevel === 'critical_low') return !isBelowMin;
  const isOutside = isAboveMax === true || isBelowMin === true;
  return flagLevel === 'normal' ? isOutside : !isOutside;
}

/** Whether this report flags what lies outside its ranges; then a line without a flag was not read right. */
function printsFlags(lines: readonly ReadLine[]): boolean {
  const outside = lines.filter((line) => line.isAboveMax || line.isBelowMin);
  const flagged = outside.filter((line) => line.flag !== null && line.flagLevel !== null).length;
  return flagged >= 2 && flagged >= outside.length * 0.6;
}

/** Of a number as it is printed, thousands are no decimals. */
function decimalsOf(text: string, value: number): number {
  const decimals = /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
  return decimals === 3 && value >= 1000 ? 0 : decimals;
}

/** Single cells in a microlitre. */
const OF_CELLS = /^(?:c[eé]l\S*|cells|zellen)?\s?\/\s?(?:mm\s?[3³]|[µμu]l)$/iu;

/** Far above the range with fewer decimals, a point was lost; far below it with more, one was found where none was. */
function hasLostPoint({ value, printedValue, referenceRange, unit, min, max }: ReadLine): boolean {
  if (value === null || !referenceRange) return false;
  const expected = Math.max(
    0,
    ...[...referenceRange.matchAll(/\d+(?:[.,]\d+)?/g)].map(([text]) =>
      decimalsOf(text, Math.max(min ?? 0, max ?? 0)),
    ),
  );
  const printed = decimalsOf(printedValue, value);
  // Nobody counts parts of cells: the unit is that of the count, and the number may be the share.
  if (printed > 0 && expected === 0 && OF_CELLS.test(unit ?? '')) return true;
  if (printed < expected) return max !== null && value > max * 6;
  return printed > expected && min !== null && min > 0 && value < min / 6;
}

const FAR_BEYOND = 500;

function isImplausible({ testName, value, unit, max, specimen }: ReadLine): boolean {
  if (value === null || specimen === 'urine' || specimen === 'other') return false;
  const key = analyteOf(testName);
  if (key && !isPlausible(key, value, unit)) return true;
  return max !== null && max > 0 && value > max * FAR_BEYOND;
}

/** The same test twice under the same heading, with values that differ. */
function repeated(lines: readonly ReadLine[]): ReadLine[] {
  const groups = grouped(lines);
  return [...groups.values()]
    .filter((group) => new Set(group.map((line) => line.printedValue)).size > 1)
    .flat();
}

const keyOf = (line: ReadLine): string =>
  [plain(line.testName), line.panel ?? '', sameUnitKey(line.unit ?? ''), line.specimen ?? ''].join('|');

function grouped(lines: readonly ReadLine[]): Map<string, ReadLine[]> {
  const groups = new Map<string, ReadLine[]>();
  for (const line of lines) groups.set(keyOf(line), [...(groups.get(keyOf(line)) ?? []), line]);
  return groups;
}
