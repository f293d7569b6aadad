import { matchAnalyte, isPlausible } from './lexicon/analyte-limits.ts';
import { TARGET_PHRASE } from './lexicon/non-results.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { findConflictingDuplicates } from './conflicting-duplicates.ts';
import { checkPanels } from './panel-checks.ts';
import { isCountUnit } from './amount-pairs.ts';
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
  const flags = judgeFlags(lines);
  for (const line of lines) for (const reason of findLineReasons(line, flags)) mark(line, reason);
  for (const [line, reason] of checkPanels(lines)) mark(line, reason);
  for (const line of findConflictingDuplicates(lines)) mark(line, 'duplicate_with_other_value');
  return lines.map((line) => ({ ...line, reviewReasons: [...(reasons.get(line) ?? [])] }));
}

function findLineReasons(line: ParsedResult, flags: FlagUse): ReviewReason[] {
  const found: ReviewReason[] = [];
  if (isFlagContradicted(line)) found.push('flag_disagrees_with_range');
  const isUnflagged = line.flag === null && (line.isAboveMax || line.isBelowMin);
  if (isUnflagged && (flags === 'reliable' || (flags === 'some' && isFarOutside(line))))
    found.push('missing_flag_of_value_out_of_range');
  if (hasRangeOfOtherUnit(line) || isNameOfNoAnalyte(line)) found.push('unclear_columns');
  if (hasLostDecimalPoint(line)) found.push('decimals_differ_from_range');
  if (isImplausible(line)) found.push('implausible_value');
  if (isUnitUnusual(line)) found.push('unit_differs_from_usual');
  if (line.confidence < SURE_ENOUGH) found.push('low_confidence');
  const isWords = line.type === 'comment' && parseQualitative(line.printedValue) === undefined;
  const isBounded = line.min !== null || line.max !== null;
  if ((isWords && line.min !== null && line.max !== null) || (isBounded && LONE_SIGN.test(line.printedValue)))
    found.push('unclear_columns');
  if (isWords && isSelfContradictory(line.printedValue)) found.push('unclear_columns');
  return found;
}

/** The name of a sample alone, whose analyte stands elsewhere, or of an amount that was not measured. */
const isNameOfNoAnalyte = ({ testName }: ParsedResult): boolean =>
  SAMPLE_ALONE.test(testName) || TARGET_PHRASE.test(testName);

const SAMPLE_ALONE =
  /^(?:serum|s[ée]rum|plasma|(?:whole )?blood|blut|vollblut|sang|sangue|sangre|suero|siero|soro|urine|urin|urina|orina|saliva|stool|stuhl)$/iu;

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
type FlagUse = 'reliable' | 'some' | 'none';

function judgeFlags(lines: readonly ParsedResult[]): FlagUse {
  const outside = lines.filter((line) => line.isAboveMax || line.isBelowMin);
  const flagged = outside.filter((line) => line.flag !== null && line.flagLevel !== null).length;
  if (flagged >= 2 && flagged >= outside.length * 0.6) return 'reliable';
  return flagged > 0 ? 'some' : 'none';
}

const FAR_OUTSIDE = 2;

const isFarOutside = ({ value, min, max }: ParsedResult): boolean =>
  value !== null &&
  ((max !== null && max > 0 && value > max * FAR_OUTSIDE) || (min !== null && value < min / FAR_OUTSIDE));

/** Decimals of a printed number; thousands groups are not decimals. */
function countDecimals(text: string, value: number): number {
  const decimals = /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
  return decimals === 3 && value >= 1000 ? 0 : decimals;
}

/** Single cells per microliter. */
const OF_CELLS = /^(?:c[eé]l\S*|cells|zellen)?\s?\/\s?(?:mm\s?[3³]|[µμu]l)$/iu;

/** Far above a range with more decimals, a decimal point was lost; far below one with fewer, one was added. */
function hasLostDecimalPoint({
  testName,
  value,
  printedValue,
  referenceRange,
  unit,
  min,
  max,
}: ParsedResult): boolean {
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
  return printed > expected && min !== null && min > 0 && value < min / 6 && !SUPPRESSED.test(testName);
}

const FAR_ABOVE = 500;
const FAR_BELOW = 100;
/** These fall to a thousandth of their range in a disease or in the urine of a healthy person. */
const SUPPRESSED = /tsh|thyrotropin|tireotropin|testost|estradiol|progest|fsh|\blh\b|hcg|igf|viral|titer/i;

function isImplausible({ testName, value, unit, min, max, comparator, specimen }: ParsedResult): boolean {
  if (value === null || specimen === 'urine' || specimen === 'other') return false;
  const key = matchAnalyte(testName);
  if (key && comparator === null && !isPlausible(key, value, unit)) return true;
  if (
    comparator === null &&
    value > 0 &&
    min !== null &&
    value < min / FAR_BELOW &&
    !SUPPRESSED.test(testName)
  )
    return true;
  return max !== null && max > 0 && value > max * FAR_ABOVE;
}

/** Whether a range is impossible in the printed unit: the unit is another one, or a part of it was lost. */
function isUnitUnusual({ testName, unit, min, max, specimen }: ParsedResult): boolean {
  const key =
    unit === null || specimen === 'urine' || specimen === 'other' ? undefined : matchAnalyte(testName);
  if (!key || max === null || max <= 0) return false;
  return !isPlausible(key, max, unit) && (min === null || min <= 0 || !isPlausible(key, min, unit));
}
