import type { FlagLevel, ParsedResult } from './report-model.ts';

const UNMARKED_FLAG = /^[HL]$/;
const MARKED_FLAG = /^(?:[*!]{1,2}[HL]|[HL][*!]{1,2})$/;
const LEAST_PLAIN = 2;

const CRITICAL: Readonly<Partial<Record<FlagLevel, FlagLevel>>> = {
  high: 'critical_high',
  low: 'critical_low',
};

const DOUBLED: Readonly<Record<string, FlagLevel>> = { '++': 'critical_high', '--': 'critical_low' };
const SINGLE = /^[+-]$/;

/** "++" is critical if the report prints a single "+" or "-" for values just outside their range. */
function withDoubledSigns(lines: readonly ParsedResult[]): readonly ParsedResult[] {
  if (!lines.some(({ flag }) => SINGLE.test(flag ?? ''))) return lines;
  return lines.map((line) => {
    const level = DOUBLED[line.flag ?? ''];
    return level ? { ...line, flagLevel: level } : line;
  });
}

/**
 * Marks "++", "*H" and "L!" as critical in a report that mostly prints the sign or letter alone. If every flag is
 * marked, the mark has no meaning.
 */
export function withCriticalSigns(printed: readonly ParsedResult[]): ParsedResult[] {
  const lines = withDoubledSigns(printed);
  const marked = lines.filter(({ flag }) => MARKED_FLAG.test(flag ?? ''));
  const plain = lines.filter(({ flag }) => UNMARKED_FLAG.test(flag ?? ''));
  const isTelling = plain.length >= Math.max(LEAST_PLAIN, marked.length + 1);
  return lines.map((line) => {
    const more = isTelling && line.flagLevel && marked.includes(line) ? CRITICAL[line.flagLevel] : undefined;
    const flagLevel = more ?? line.flagLevel;
    return flagLevel?.startsWith('critical') ? { ...line, flagLevel, interpretation: 'critical' } : line;
  });
}
