import { matchAnalyte, isPlausible } from './lexicon/analyte-limits.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { checkPanels } from './panel-checks.ts';
import { isCountUnit } from './amount-pairs.ts';
import { normalizeText } from './text-normalization.ts';
import { isBloodCell, findRangeOwner } from './share-ranges.ts';
import { toUnitKey } from './units.ts';
import type { ParsedResult, ReviewReason } from './report-model.ts';

/** Below this confidence a result needs review. */
const SURE_ENOUGH = 0.75;

/** Adds all reasons for a manual review to each result. */
export function withReviewReasons(lines: readonly ParsedResult[]): ParsedResult[] {
  const reasons = new Map<ParsedResult, Set<ReviewReason>>(
    lines.map((line) => [line, new Set(line.reviewReasons)]),
  );
  const mark = (line: ParsedResult, reason: ReviewReason): void => void reasons.get(line)?.add(reason);
  const flagsAreKept = hasReliableFlags(lines);
  for (const line of lines) for (const reason of findLineReasons(line, flagsAreKept)) mark(line, reason);
  for (const [line, reason] of checkPanels(lines)) mark(line, reason);
  for (const line of findConflictingDuplicates(lines)) mark(line, 'duplicate_with_other_value');
  return lines.map((line) => ({ ...line, reviewReasons: [...(reasons.get(line) ?? [])] }));
}

function findLineReasons(line: ParsedResult, flagsAreKept: boolean): ReviewReason[] {
  const found: ReviewReason[] = [];
  if (isFlagContradicted(line)) found.push('flag_disagrees_with_range');
  if (flagsAreKept && line.flag === null && (line.isAboveMax || line.isBelowMin))
    found.push('missing_flag_of_value_out_of_range');
  if (hasRangeOfOtherUnit(line)) found.push('unclear_columns');
  if (hasLostDecimalPoint(line)) found.push('decimals_differ_from_range');
  if (isImplausible(line)) found.push('implausible_value');
  if (line.confidence < SURE_ENOUGH) found.push('low_confidence');
  const isWords = line.type === 'comment' && parseQualitative(line.printedValue) === undefined;
  const isBounded = line.min !== null || line.max !== null;
  if ((isWords && line.min !== null && line.max !== null) || (isBounded && LONE_SIGN.test(line.printedValue)))
    found.push('unclear_columns');
  if (isWords && isSelfContradictory(line.printedValue)) found.push('unclear_columns');
  return found;
}

/** "Reactive Non-reactive": contradicting findings, so one belongs to another row or column. */
function isSelfContradictory(text: string): boolean {
  const words = text.split(' ');
  return words.some((_, at) => {
    const kinds = [words.slice(0, at), words.slice(at)].map((some) => parseQualitative(some.join(' ')));
    return kinds.includes('present') && kinds.includes('absent');
  });
}

/** A lone arrow or star is not a result: the number before it was lost or misread. */
const LONE_SIGN = /^[^\p{L}\d+-]+$/u;

/** Neutrophils in percent with the range of their count, which may be in the same row of the report. */
function hasRangeOfOtherUnit({ testName, unit, referenceRange, specimen }: ParsedResult): boolean {
  if (!unit || !referenceRange || !isBloodCell(testName) || specimen === 'urine' || specimen === 'other')
    return false;
  if (toUnitKey(unit) === '%') return findRangeOwner(testName, referenceRange) === 'count';
  return isCountUnit(unit) && findRangeOwner(testName, referenceRange, unit) === 'share';
}

function isFlagContradicted({ flagLevel, isAboveMax, isBelowMin }: ParsedResult): boolean {
  if (flagLevel === null || (isAboveMax === null && isBelowMin === null)) return false;
  if (flagLevel === 'high' || flagLevel === 'critical_high') return !isAboveMax;
  if (flagLevel === 'low' || flagLevel === 'critical_low') return !isBelowMin;
  const isOutside = isAboveMax === true || isBelowMin === true;
  return flagLevel === 'normal' ? isOutside : !isOutside;
}

/** Whether this report flags values outside their ranges; then a missing flag suggests a misreading. */
function hasReliableFlags(lines: readonly ParsedResult[]): boolean {
  const outside = lines.filter((line) => line.isAboveMax || line.isBelowMin);
  const flagged = outside.filter((line) => line.flag !== null && line.flagLevel !== null).length;
  return flagged >= 2 && flagged >= outside.length * 0.6;
}

/** Decimals of a printed number; thousands groups are not decimals. */
function countDecimals(text: string, value: number): number {
  const decimals = /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
  return decimals === 3 && value >= 1000 ? 0 : decimals;
}

/** Single cells per microliter. */
const OF_CELLS = /^(?:c[eé]l\S*|cells|zellen)?\s?\/\s?(?:mm\s?[3³]|[µμu]l)$/iu;

/** Far above a range with more decimals, a decimal point was lost; far below one with fewer, one was added. */
function hasLostDecimalPoint({ value, printedValue, referenceRange, unit, min, max }: ParsedResult): boolean {
  if (value === null || !referenceRange) return false;
  const expected = Math.max(
    0,
    ...[...referenceRange.matchAll(/\d+(?:[.,]\d+)?/g)].map(([text]) =>
      countDecimals(text, Math.max(min ?? 0, max ?? 0)),
    ),
  );
  const printed = countDecimals(printedValue, value);
  // Counts of cells have no decimals: the unit is that of the count, and the number may be the share.
  if (printed > 0 && expected === 0 && OF_CELLS.test(unit ?? '')) return true;
  if (printed < expected) return max !== null && value > max * 6;
  return printed > expected && min !== null && min > 0 && value < min / 6;
}

const FAR_BEYOND = 500;

function isImplausible({ testName, value, unit, max, specimen }: ParsedResult): boolean {
  if (value === null || specimen === 'urine' || specimen === 'other') return false;
  const key = matchAnalyte(testName);
  if (key && !isPlausible(key, value, unit)) return true;
  return max !== null && max > 0 && value > max * FAR_BEYOND;
}

/** The same test twice under the same heading, with different values. */
function findConflictingDuplicates(lines: readonly ParsedResult[]): ParsedResult[] {
  const groups = groupByTest(lines);
  return [...groups.values()]
    .filter((group) => new Set(group.map((line) => line.printedValue)).size > 1)
    .flat();
}

const getTestKey = (line: ParsedResult): string =>
  [normalizeText(line.testName), line.panel ?? '', toUnitKey(line.unit ?? ''), line.specimen ?? ''].join('|');

function groupByTest(lines: readonly ParsedResult[]): Map<string, ParsedResult[]> {
  const groups = new Map<string, ParsedResult[]>();
  for (const line of lines) groups.set(getTestKey(line), [...(groups.get(getTestKey(line)) ?? []), line]);
  return groups;
}
