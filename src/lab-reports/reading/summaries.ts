import { bare } from './plain.ts';
import type { ReadLine } from './word.ts';

/**
 * A report may name what is abnormal once more in a summary: name, value and flag alone. Where the same stands with its
 * unit or range elsewhere, that is the result, and the line of the summary is none.
 */
export function withoutSummary(lines: readonly ReadLine[]): readonly ReadLine[] {
  const whole = new Set(lines.filter((line) => !isBare(line)).map(keyOf));
  return lines.filter((line) => !(isBare(line) && line.flagLevel !== null && whole.has(keyOf(line))));
}

const isBare = ({ unit, referenceRange }: ReadLine): boolean => unit === null && referenceRange === null;

const keyOf = ({ testName, printedValue, flagLevel }: ReadLine): string =>
  `${bare(testName)}|${printedValue}|${flagLevel}`;
