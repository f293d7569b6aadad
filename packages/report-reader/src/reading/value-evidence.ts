import type { Atom } from './atoms.ts';
import { measureGapTo, type ReportColumn } from './columns.ts';
import { isHeaderLabel, measureSentenceShare } from './lexicon/non-results.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import type { ParsedRow } from './regions.ts';

interface ValueCell {
  readonly value: Atom;
  readonly parsed: ParsedRow;
  readonly columns: readonly ReportColumn[];
  readonly hasHeader: boolean;
}

/** Whether a value in words is a table cell in its column: separate from the name, and not too long. */
export function isTableCell({ value, parsed: { parts }, columns, hasHeader }: ValueCell): boolean {
  const [name] = parts.name;
  if (!hasHeader || !name || value.segment === name.segment) return false;
  const words = value.text.split(' ').length;
  const isIn = columns.some((column) => column.role === 'value' && measureGapTo(column, value.box) === 0);
  const isFirst = columns.some((column) => column.role === 'name' && Math.abs(name.box.x0 - column.x0) < 16);
  return words < 8 && isIn && isFirst;
}

/** "COLL: 08/17/22" and "Norfolk VA 23510" belong to the report header. */
const HEADER_TEXT =
  /\p{L}{2}:?\s(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2}|\d{4}[/.-]\d{2}[/.-]\d{2})|,?\s[A-Z]{2}\s\d{5}(?:-\d{4})?$/u;

/** "M000448812" and "312-881-0447-0" identify a person or a sample. */
const isIdentifier = (text: string): boolean =>
  /^[A-Z]{0,3}-?\d{6,}$/.test(text) || /^\d+(?:-\d+){2,}$/.test(text);

export const isDateAtom = ({ text }: Atom): boolean =>
  /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-](?:\d{2}|\p{L}{3})[./-]\d{2})$/u.test(text);

interface ValueContext {
  readonly isInCell: boolean;
  readonly hasUnit: boolean;
  /** "Blood film   Neutrophilia with toxic granulation. No blasts seen." */
  readonly mayBeSentence: boolean;
}

/** Scores a value by its form. */
export function scoreValue(value: Atom, { isInCell, hasUnit, mayBeSentence }: ValueContext): number {
  // 128400 copies/mL is a high count, not an identifier.
  if (value.kind === 'number')
    return /^0\d/.test(value.text) || (!hasUnit && value.labelRole !== 'value' && /^\d{6,}$/.test(value.text))
      ? -2
      : 0.4;
  if (value.kind === 'compared') return 0.2;
  if (value.text.endsWith(':') && value.kind !== 'quality') return -3;
  if (isHeaderLabel(value.text) || HEADER_TEXT.test(value.text) || isDateAtom(value)) return -6;
  if (isIdentifier(value.text)) return -3;
  if (value.kind === 'quality') return value.text.startsWith('(') && value.text.length > 4 ? -2 : 0.6;
  if (value.kind === 'range')
    return parseQualitative(value.text.split(':')[0] ?? '') === undefined ? -0.8 : 0.6;
  if (value.kind === 'text') {
    const words = value.text.split(' ').length;
    if (value.labelRole === 'value' && words < 5) return 0.2;
    return isInCell && (mayBeSentence || words < 4 || measureSentenceShare(value.text) <= 0.2) ? -0.1 : -3;
  }
  // "Blood group: A"
  if (value.kind === 'flag')
    return (value.labelRole === 'value' || isInCell) && /^\p{L}{1,2}$/u.test(value.text) ? 0.2 : -0.4;
  return -3;
}
