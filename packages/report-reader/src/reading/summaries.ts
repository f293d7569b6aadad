import { normalizeWords } from './text-normalization.ts';
import type { ParsedResult } from './report-model.ts';

/**
 * A report may repeat abnormal results in a summary, with only name, value and flag. If the same result also appears
 * with its unit or range, the summary line is dropped.
 */
export function withoutSummary(lines: readonly ParsedResult[]): readonly ParsedResult[] {
  const whole = new Set(lines.filter((line) => !hasNoUnitOrRange(line)).map(getResultKey));
  return lines.filter(
    (line) => !(hasNoUnitOrRange(line) && line.flagLevel !== null && whole.has(getResultKey(line))),
  );
}

const hasNoUnitOrRange = ({ unit, referenceRange }: ParsedResult): boolean =>
  unit === null && referenceRange === null;

const getResultKey = ({ testName, printedValue, flagLevel }: ParsedResult): string =>
  `${normalizeWords(testName)}|${printedValue}|${flagLevel}`;
