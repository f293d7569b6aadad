import { parseFlagLevel } from './lexicon/flags.ts';
import type { PrintedNumber } from './numbers.ts';
import type { PrintedInterval } from './range-text.ts';
import type { FlagLevel, ReportInterpretation } from './report-model.ts';
import { isContradiction, classifyExpected, classifyFinding } from './worded-ranges.ts';

export const NOT_COMPARED = { isAboveMax: null, isBelowMin: null } as const;
export type RangeComparison = { readonly isAboveMax: boolean | null; readonly isBelowMin: boolean | null };

interface ComparisonInput {
  readonly number: PrintedNumber | undefined;
  /** "6-10" for a count under the microscope. */
  readonly span: PrintedInterval | undefined;
  readonly interval: PrintedInterval;
}

/** Compares a value with its range; null where that cannot be decided. */
export function compareToInterval({ number, span, interval }: ComparisonInput): RangeComparison {
  if (number) return compareNumber(number, interval);
  if (!span || span.min === null || span.max === null) return NOT_COMPARED;
  const least = compareNumber({ value: span.min, comparator: null }, interval);
  const most = compareNumber({ value: span.max, comparator: null }, interval);
  const isAbove = least.isAboveMax === most.isAboveMax ? least.isAboveMax : null;
  return { isAboveMax: isAbove, isBelowMin: least.isBelowMin === most.isBelowMin ? least.isBelowMin : null };
}

function compareNumber(
  number: { value: number; comparator: string | null },
  interval: PrintedInterval,
): RangeComparison {
  const { value, comparator } = number;
  const { min, max } = interval;
  const above =
    max !== null &&
    (value > max ||
      (value === max && (interval.maxIsOutside ? !comparator?.startsWith('<') : comparator === '>')));
  const below =
    min !== null &&
    (value < min ||
      (value === min && (interval.minIsOutside ? !comparator?.startsWith('>') : comparator === '<')));
  return {
    isAboveMax:
      max === null ? null : above && !(comparator?.startsWith('<') && value !== max && min === null),
    isBelowMin: min === null ? null : below && !(comparator?.startsWith('>') && max === null),
  };
}

/** Letters with different meanings in different languages are resolved by the side of the range the value is on. */
export function resolveFlagLevel(
  flag: string,
  { isAboveMax, isBelowMin }: RangeComparison,
): FlagLevel | null {
  const level = parseFlagLevel(flag) ?? parseFlagLevel(flag.split(' ')[0] ?? '') ?? null;
  const isVague = level === 'abnormal' || level === null || /^[NCAB]$/.test(flag);
  if (isVague && isAboveMax) return 'high';
  return isVague && isBelowMin ? 'low' : level;
}

interface InterpretationInput {
  readonly flagLevel: FlagLevel | null;
  readonly compared: RangeComparison;
  readonly printedValue: string;
  readonly referenceRange: string | null;
  /** Whether an amount was measured of something that is present or absent: 25 cells/µL, not an index. */
  readonly isFound: boolean;
}

/** The printed flag decides, else the range; without bounds, equal words. */
export function interpretResult({
  flagLevel,
  compared,
  printedValue,
  referenceRange,
  isFound,
}: InterpretationInput): ReportInterpretation {
  if (flagLevel)
    return flagLevel.startsWith('critical') ? 'critical' : flagLevel === 'normal' ? 'normal' : 'abnormal';
  const sides = [compared.isAboveMax, compared.isBelowMin];
  if (sides.includes(true)) return 'abnormal';
  if (sides.includes(false)) return 'normal';
  const expected = referenceRange ? classifyExpected(referenceRange) : undefined;
  const quality = classifyFinding(printedValue);
  if (expected === 'absent' && isFound) return 'abnormal';
  if (!expected || !quality || !referenceRange) return 'unknown';
  // "Positive" next to "Positive" may be a confirmation.
  if (printedValue.toLowerCase() === referenceRange.toLowerCase())
    return POSITIVE_WORD.test(printedValue) ? 'unknown' : 'normal';
  const [titers, bound] = [readTiter(printedValue), readTiter(referenceRange)];
  // A word and a titer that contradict each other are left to the reader.
  if (titers && bound && titers < bound && expected === 'absent' && quality === 'present') return 'unknown';
  if (titers && bound)
    return titers > bound || (titers === bound && /^\s*</.test(referenceRange)) ? 'abnormal' : 'normal';
  if (expected === 'absent')
    return quality === 'absent' ? 'normal' : quality === 'present' ? 'abnormal' : 'unknown';
  return isContradiction(printedValue, referenceRange) ? 'abnormal' : 'unknown';
}

const POSITIVE_WORD =
  /^(?:positi[vf]\p{L}*|(?:react|reakt|reag|reatt)\p{L}*|detec?t\p{L}*|nachweisbar|rilevato|d[ée]tect\p{L}*)$/iu;

/** 320 of "1:320" and "1/320". */
const readTiter = (text: string): number | undefined =>
  Number(/\b1\s?[:/]\s?(\d{1,6})\b/.exec(text)?.[1]) || undefined;
