import type { Cell } from './heading-cells.ts';
import { roleOfHeading } from './lexicon/headers.ts';

/** "Date  14/03/22  20/02/23  03/04/24": nothing but dates, and before them at most what they are. */
export const isDates = (cells: readonly Cell[]): boolean =>
  cells.length > 2 &&
  cells.slice(1).every((cell) => cell.date !== undefined) &&
  !/[:\d]/.test(cells[0]?.text ?? '');

/** "Date:  14/03/22  20/02/23  03/04/24": one label, and more dates than a moment has. */
export function isLabelOfDates(cells: readonly Cell[]): boolean {
  const [first, ...others] = cells;
  const dates = others.filter(({ date }) => date !== undefined).length;
  const isOther = first?.date === undefined && (first?.role === undefined || first.role === 'other');
  const telling = others.some(({ role }) => role === 'unit' || role === 'range');
  return isOther && dates > (telling ? 1 : 2) && others.every(({ text }) => !text.endsWith(':'));
}

/** "Collected : 04/12/2024" says a date of the patient's data; behind "Result:" it may be the one of a column. */
export function isLabelledDate(cells: readonly Cell[], at: number): boolean {
  if (cells[at]?.date === undefined) return false;
  const before = cells[at - 1]?.text ?? '';
  const label = /^:+$/.test(before) ? `${cells[at - 2]?.text ?? ''}:` : before;
  const role = roleOfHeading(label);
  return label.endsWith(':') && role !== 'value' && role !== 'previous';
}

/** "Date:" before several dates stands where the names do. */
export const withoutDateLabel = (cells: readonly Cell[]): readonly Cell[] =>
  isLabelOfDates(cells)
    ? cells.map((cell, at) => (at === 0 ? { box: cell.box, text: cell.text, role: undefined } : cell))
    : cells;
