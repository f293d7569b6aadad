import type { Atom } from './atoms.ts';
import { gapTo, type Column } from './columns.ts';
import { isHeadLabel, sentenceShare } from './lexicon/not-results.ts';
import { qualityOf } from './lexicon/qualities.ts';
import type { ParsedRow } from './regions.ts';

interface Cell {
  readonly value: Atom;
  readonly parsed: ParsedRow;
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
}

/** Whether a value in words stands in its column as the cell of a table: by itself, and not too long. */
export function isCell({ value, parsed: { parts }, columns, hasHeader }: Cell): boolean {
  const [name] = parts.name;
  if (!hasHeader || !name || value.segment === name.segment) return false;
  const words = value.text.split(' ').length;
  const isIn = columns.some((column) => column.role === 'value' && gapTo(column, value.box) === 0);
  const isFirst = columns.some((column) => column.role === 'name' && Math.abs(name.box.x0 - column.x0) < 16);
  return words < 8 && isIn && isFirst;
}

/** "COLL: 08/17/22" and "Norfolk VA 23510" are of the head of a report. */
const OF_HEAD =
  /\p{L}{2}:?\s(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2}|\d{4}[/.-]\d{2}[/.-]\d{2})|,?\s[A-Z]{2}\s\d{5}(?:-\d{4})?$/u;

/** "M000448812" and "312-881-0447-0" say who somebody is, or which sample. */
const isIdentifier = (text: string): boolean =>
  /^[A-Z]{0,3}-?\d{6,}$/.test(text) || /^\d+(?:-\d+){2,}$/.test(text);

export const isDate = ({ text }: Atom): boolean =>
  /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-](?:\d{2}|\p{L}{3})[./-]\d{2})$/u.test(text);

interface Around {
  readonly isInCell: boolean;
  readonly hasUnit: boolean;
  /** "Blood film   Neutrophilia with toxic granulation. No blasts seen." */
  readonly mayBeSentence: boolean;
}

/** How much a value speaks for itself. */
export function valueEvidence(value: Atom, { isInCell, hasUnit, mayBeSentence }: Around): number {
  // 128400 copies/mL are many, and nobody's number.
  if (value.kind === 'number')
    return /^0\d/.test(value.text) || (!hasUnit && value.said !== 'value' && /^\d{6,}$/.test(value.text))
      ? -2
      : 0.4;
  if (value.kind === 'compared') return 0.2;
  if (value.text.endsWith(':') && value.kind !== 'quality') return -3;
  if (isHeadLabel(value.text) || OF_HEAD.test(value.text) || isDate(value)) return -6;
  if (isIdentifier(value.text)) return -3;
  if (value.kind === 'quality') return value.text.startsWith('(') && value.text.length > 4 ? -2 : 0.6;
  if (value.kind === 'range') return qualityOf(value.text.split(':')[0] ?? '') === undefined ? -0.8 : 0.6;
  if (value.kind === 'text') {
    const words = value.text.split(' ').length;
    if (value.said === 'value' && words < 5) return 0.2;
    return isInCell && (mayBeSentence || words < 4 || sentenceShare(value.text) <= 0.2) ? -0.1 : -3;
  }
  // "Blood group: A"
  if (value.kind === 'flag')
    return (value.said === 'value' || isInCell) && /^\p{L}{1,2}$/u.test(value.text) ? 0.2 : -0.4;
  return -3;
}
