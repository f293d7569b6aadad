import type { FlagLevel, ReadLine } from './word.ts';

const DOUBLED: Readonly<Record<string, FlagLevel>> = { '++': 'critical_high', '--': 'critical_low' };
const SINGLE = /^[+-]$/;

/** "++" is far too high, where the report prints "+" or "-" by itself for what lies just outside its range. */
export function withDoubledSigns(lines: readonly ReadLine[]): ReadLine[] {
  if (!lines.some(({ flag }) => SINGLE.test(flag ?? ''))) return [...lines];
  return lines.map((line) => {
    const level = DOUBLED[line.flag ?? ''];
    return level ? { ...line, flagLevel: level } : line;
  });
}
