import { parseQualitative } from './lexicon/qualitative-results.ts';
import { toUnitKey } from './units.ts';
import type { ResultType } from './report-model.ts';

const DURATION =
  /^(?:s|secs?|seconds?|seg|segs|segundos|sek|sekunden|secondes?|secondi|min|minutes?|minutos)\.?$/i;

interface ResultTypeInput {
  readonly printedValue: string;
  readonly isNumber: boolean;
  readonly unit: string | null;
}

/** Classifies a value by its printed form and its unit. */
export function classifyResultType({ printedValue, isNumber, unit }: ResultTypeInput): ResultType {
  if (isNumber && unit && toUnitKey(unit) === '%') return 'percentage';
  if (isNumber && unit && DURATION.test(unit)) return 'duration';
  if (isNumber) return 'numeric';
  const quality = parseQualitative(printedValue);
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
