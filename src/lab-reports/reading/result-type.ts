import { qualityOf } from './lexicon/qualities.ts';
import { sameUnitKey } from './units.ts';
import type { ResultType } from './word.ts';

const DURATION =
  /^(?:s|secs?|seconds?|seg|segs|segundos|sek|sekunden|secondes?|secondi|min|minutes?|minutos)\.?$/i;

interface Printed {
  readonly printedValue: string;
  readonly isNumber: boolean;
  readonly unit: string | null;
}

/** What kind of thing a value is, by how it is printed and its unit. */
export function typeOf({ printedValue, isNumber, unit }: Printed): ResultType {
  if (isNumber && unit && sameUnitKey(unit) === '%') return 'percentage';
  if (isNumber && unit && DURATION.test(unit)) return 'duration';
  if (isNumber) return 'numeric';
  const quality = qualityOf(printedValue);
  if (quality === 'titer') return 'ratio';
  if (/^[<>]?\s*\d[\d.,]*\s*[-–]\s*\d[\d.,]*$/.test(printedValue)) return 'range';
  const isYesOrNo =
    quality === 'absent' ||
    (quality === 'present' &&
      /^(?:pos|react|reakt|reatt|reag|detec|d[ée]tect|present|nachweis|rilevat|weakly|strong)/iu.test(
        printedValue,
      ));
  return isYesOrNo ? 'boolean' : 'comment';
}
