import { flagLevelOf } from './lexicon/flags.ts';
import type { PrintedNumber } from './numbers.ts';
import type { Interval } from './range-text.ts';
import type { FlagLevel, Meaning } from './word.ts';
import { contradicts, expectedOf, foundIn } from './worded-ranges.ts';

export const NEITHER = { isAboveMax: null, isBelowMin: null } as const;
export type Compared = { readonly isAboveMax: boolean | null; readonly isBelowMin: boolean | null };

interface Comparing {
  readonly number: PrintedNumber | undefined;
  /** "6-10" where a count under the microscope is a span. */
  readonly span: Interval | undefined;
  readonly interval: Interval;
}

/** On which side of its range a value lies; null where that is not to be said. */
export function compareAny({ number, span, interval }: Comparing): Compared {
  if (number) return compare(number, interval);
  if (!span || span.min === null || span.max === null) return NEITHER;
  const least = compare({ value: span.min, comparator: null }, interval);
  const most = compare({ value: span.max, comparator: null }, interval);
  const isAbove = least.isAboveMax === most.isAboveMax ? least.isAboveMax : null;
  return { isAboveMax: isAbove, isBelowMin: least.isBelowMin === most.isBelowMin ? least.isBelowMin : null };
}

function compare(number: { value: number; comparator: string | null }, interval: Interval): Compared {
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

/** Letters that mean different things in different languages are understood by the side the value is on. */
export function levelOf(flag: string, { isAboveMax, isBelowMin }: Compared): FlagLevel | null {
  const level = flagLevelOf(flag) ?? flagLevelOf(flag.split(' ')[0] ?? '') ?? null;
  const isVague = level === 'abnormal' || level === null || /^[NCAB]$/.test(flag);
  if (isVague && isAboveMax) return 'high';
  return isVague && isBelowMin ? 'low' : level;
}

interface Judged {
  readonly flagLevel: FlagLevel | null;
  readonly compared: Compared;
  readonly printedValue: string;
  readonly referenceRange: string | null;
  /** Whether an amount was measured of what is there or not: 25 cells/µL, and no index. */
  readonly isFound: boolean;
}

/** What is printed decides; where nothing is, the range; where there is no bound, equal words. */
export function meaningOf({ flagLevel, compared, printedValue, referenceRange, isFound }: Judged): Meaning {
  if (flagLevel)
    return flagLevel.startsWith('critical') ? 'critical' : flagLevel === 'normal' ? 'normal' : 'abnormal';
  const sides = [compared.isAboveMax, compared.isBelowMin];
  if (sides.includes(true)) return 'abnormal';
  if (sides.includes(false)) return 'normal';
  const expected = referenceRange ? expectedOf(referenceRange) : undefined;
  const quality = foundIn(printedValue);
  if (expected === 'absent' && isFound) return 'abnormal';
  if (!expected || !quality || !referenceRange) return 'unknown';
  // "Positive" beside "Positive" may be how it was confirmed.
  if (printedValue.toLowerCase() === referenceRange.toLowerCase())
    return FOUND.test(printedValue) ? 'unknown' : 'normal';
  const [titers, bound] = [titerIn(printedValue), titerIn(referenceRange)];
  // A word and a titre that say different things are left to whoever reads them.
  if (titers && bound && titers < bound && expected === 'absent' && quality === 'present') return 'unknown';
  if (titers && bound)
    return titers > bound || (titers === bound && /^\s*</.test(referenceRange)) ? 'abnormal' : 'normal';
  if (expected === 'absent')
    return quality === 'absent' ? 'normal' : quality === 'present' ? 'abnormal' : 'unknown';
  return contradicts(printedValue, referenceRange) ? 'abnormal' : 'unknown';
}

const FOUND =
  /^(?:positi[vf]\p{L}*|(?:react|reakt|reag|reatt)\p{L}*|detec?t\p{L}*|nachweisbar|rilevato|d[ée]tect\p{L}*)$/iu;

/** 320 of "1:320" and "1/320". */
const titerIn = (text: string): number | undefined =>
  Number(/\b1\s?[:/]\s?(\d{1,6})\b/.exec(text)?.[1]) || undefined;
