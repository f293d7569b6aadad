import { roleOfHeading } from './lexicon/headers.ts';
import { isHeadLabel } from './lexicon/not-results.ts';
import { readNumber, type DecimalSign } from './numbers.ts';
import { intervalLength, readInterval } from './range-text.ts';
import { isUnit } from './units.ts';

/** When, for whom or of what grade a range holds: "8 h", "Men", "à jeun", "< 50 years", "Normal". */
const SCOPE =
  /^(?:\d{1,2}(?:[:.]\d\d)?\s?(?:h|hs|hrs?|uhr|ore|am|pm)|[<>≥≤]?\s?\d{1,3}\s?\p{L}+|\p{L}[\p{L}\s.()/-]{0,30})$/iu;

const MOST_WORDS = 6;

/** How many words from `start` on are a range with its scope before a colon: "8 h : 166 - 507"; 0 for none. */
export function labelledLength(texts: readonly string[], start: number, sign: DecimalSign): number {
  for (let count = 1; count <= MOST_WORDS; count += 1) {
    const last = texts[start + count - 1];
    if (last === undefined) return 0;
    if (!last.endsWith(':')) continue;
    const label = texts
      .slice(start, start + count)
      .join(' ')
      .replace(/\s*:$/, '');
    const isOther = isHeadLabel(label) || (roleOfHeading(label) !== undefined && !/^normal/i.test(label));
    const interval = isOther || !SCOPE.test(label) ? 0 : intervalLength(texts, start + count, sign);
    return interval === 0 ? 0 : count + interval;
  }
  return 0;
}

const LONGEST_THRESHOLD = 5;

/** How many words from `start` on are the bound of a method in brackets, as in "Negative (< 50 ng/mL)"; 0 for none. */
export function thresholdLength(texts: readonly string[], start: number, sign: DecimalSign): number {
  if (!texts[start]?.startsWith('(')) return 0;
  const count = texts.slice(start, start + LONGEST_THRESHOLD).findIndex((text) => text.endsWith(')')) + 1;
  const inside = texts
    .slice(start, start + count)
    .join(' ')
    .replace(/^\(\s*(?:cut[- ]?off\s*:?\s*)?|\s*\)$/giu, '');
  const [, compared = '', unit = ''] = /^([<>≤≥]?=?\s*[\d.,]+)\s*(\S.*)$/u.exec(inside) ?? [];
  const isAmount = readNumber(compared, sign) !== undefined || readInterval(compared, sign) !== undefined;
  return count > 0 && isAmount && isUnit(unit) ? count : 0;
}
