import type { FlagLevel, ReadLine } from './word.ts';

const PLAIN = /^[HL]$/;
const MARKED = /^(?:[*!]{1,2}[HL]|[HL][*!]{1,2})$/;
const LEAST_PLAIN = 2;

const CRITICAL: Readonly<Partial<Record<FlagLevel, FlagLevel>>> = {
  high: 'critical_high',
  low: 'critical_low',
};

const DOUBLED: Readonly<Record<string, FlagLevel>> = { '++': 'critical_high', '--': 'critical_low' };
const SINGLE = /^[+-]$/;

/** "++" is far too high, where the report prints "+" or "-" by itself for what lies just outside its range. */
function withDoubledSigns(lines: readonly ReadLine[]): readonly ReadLine[] {
  if (!lines.some(({ flag }) => SINGLE.test(flag ?? ''))) return lines;
  return lines.map((line) => {
    const level = DOUBLED[line.flag ?? ''];
    return level ? { ...line, flagLevel: level } : line;
  });
}

/**
 * The lines with "++", "*H" or "L!" as critical in a report that mostly prints the sign or the letter alone: what is
 * more than high is critical. Where every flag is marked, the mark says nothing.
 */
export function withCriticalSigns(printed: readonly ReadLine[]): ReadLine[] {
  const lines = withDoubledSigns(printed);
  const marked = lines.filter(({ flag }) => MARKED.test(flag ?? ''));
  const plain = lines.filter(({ flag }) => PLAIN.test(flag ?? ''));
  const isTelling = plain.length >= Math.max(LEAST_PLAIN, marked.length + 1);
  return lines.map((line) => {
    const more = isTelling && line.flagLevel && marked.includes(line) ? CRITICAL[line.flagLevel] : undefined;
    const flagLevel = more ?? line.flagLevel;
    return flagLevel?.startsWith('critical') ? { ...line, flagLevel, interpretation: 'critical' } : line;
  });
}
