import type { HeadingCell } from './heading-cells.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';

/** "Date  14/03/22  20/02/23  03/04/24": only dates, with at most a label before them. */
export const isDateRow = (cells: readonly HeadingCell[]): boolean =>
  cells.length > 2 &&
  cells.slice(1).every((cell) => cell.date !== undefined) &&
  !/[:\d]/.test(cells[0]?.text ?? '');

/** "Date:  14/03/22  20/02/23  03/04/24": one label with several dates. */
export function isLabeledDateRow(cells: readonly HeadingCell[]): boolean {
  const [first, ...others] = cells;
  const dates = others.filter(({ date }) => date !== undefined).length;
  const isOther = first?.date === undefined && (first?.role === undefined || first.role === 'other');
  const telling = others.some(({ role }) => role === 'unit' || role === 'range');
  return isOther && dates > (telling ? 1 : 2) && others.every(({ text }) => !text.endsWith(':'));
}

/** "Collected : 04/12/2024" belongs to the patient data; after "Result:" it may head a column. */
export function isLabeledDate(cells: readonly HeadingCell[], at: number): boolean {
  if (cells[at]?.date === undefined) return false;
  const before = cells[at - 1]?.text ?? '';
  const label = /^:+$/.test(before) ? `${cells[at - 2]?.text ?? ''}:` : before;
  const role = matchColumnRole(label);
  return label.endsWith(':') && role !== 'value' && role !== 'previous';
}

/** "Date:" before several dates stands in the name column. */
export const withoutDateLabel = (cells: readonly HeadingCell[]): readonly HeadingCell[] =>
  isLabeledDateRow(cells)
    ? cells.map((cell, at) => (at === 0 ? { box: cell.box, text: cell.text, role: undefined } : cell))
    : cells;
