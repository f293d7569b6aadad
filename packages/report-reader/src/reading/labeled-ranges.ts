import type { Atom } from './atom.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { isGenericName, isHeaderLabel } from './lexicon/non-results.ts';
import { readNumber, type DecimalSign } from './numbers.ts';
import { intervalLength, readInterval } from './range-text.ts';
import { isUnit } from './units.ts';

/** When, for whom or for which grade a range holds: "8 h", "Men", "à jeun", "< 50 years", "Normal". */
const SCOPE =
  /^(?:\d{1,2}(?:[:.]\d\d)?\s?(?:h|hs|hrs?|uhr|ore|am|pm)|[<>≥≤]?\s?\d{1,3}\s?\p{L}+|\p{L}[\p{L}\s.()/-]{0,30})$/iu;

const MOST_WORDS = 6;

/** How many words from `start` on are a range with its scope before a colon: "8 h : 166 - 507"; 0 for none. */
export function scopedRangeLength(texts: readonly string[], start: number, sign: DecimalSign): number {
  for (let count = 1; count <= MOST_WORDS; count += 1) {
    const last = texts[start + count - 1];
    if (last === undefined) return 0;
    if (!last.endsWith(':')) continue;
    const label = texts
      .slice(start, start + count)
      .join(' ')
      .replace(/\s*:$/, '');
    const isOther = isHeaderLabel(label) || (matchColumnRole(label) !== undefined && !/^normal/i.test(label));
    const interval = isOther || !SCOPE.test(label) ? 0 : intervalLength(texts, start + count, sign);
    return interval === 0 ? 0 : count + interval;
  }
  return 0;
}

const LONGEST_THRESHOLD = 5;

/** How many words from `start` on are a method cutoff in brackets, as in "Negative (< 50 ng/mL)"; 0 for none. */
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

/** "N : Négatif" */
const OF_NORMAL = /^(?:n|vn|vr|v\.?n\.?|v\.?r\.?)\s?:?$/iu;

/** "Normal   135 - 145" in a row of its own: a range heading before a range is its label, even without a colon. */
export function withRangeLabel(atoms: readonly Atom[]): readonly Atom[] {
  const [heading, interval, ...others] = atoms;
  const isLine =
    heading !== undefined &&
    interval !== undefined &&
    (interval.segment > heading.segment || OF_NORMAL.test(heading.text)) &&
    (interval.kind === 'range' || interval.kind === 'quality') &&
    interval.labelRole !== 'range' &&
    others.every(({ kind }) => kind === 'unit') &&
    (matchColumnRole(heading.text) === 'range' || OF_NORMAL.test(heading.text));
  if (!isLine) return atoms;
  return atoms.map((atom, index) => ({
    ...atom,
    labelRole: 'range',
    ...(index === 0 ? { kind: 'label' } : {}),
  }));
}

/** "Your result   6.2 mmol/L": a generic name, alone in its cell before a value, is a label without a colon. */
export function withValueLabel(atoms: readonly Atom[]): readonly Atom[] {
  const at = atoms.findIndex(
    ({ kind, text, segment, labelRole }, index) =>
      kind === 'text' &&
      labelRole === undefined &&
      isGenericName(text) &&
      atoms[index - 1]?.segment !== segment &&
      (atoms[index + 1]?.segment ?? 0) > segment,
  );
  const [label, value] = [atoms[at], atoms[at + 1]];
  if (!label || !value || value.labelRole !== undefined || !VALUES.has(value.kind)) return atoms;
  return atoms.map((atom, index) =>
    index === at
      ? { ...atom, kind: 'label', labelRole: 'value' }
      : atom.segment === value.segment && atom.labelRole === undefined
        ? { ...atom, labelRole: 'value' }
        : atom,
  );
}

const VALUES: ReadonlySet<string> = new Set(['number', 'compared', 'quality']);
