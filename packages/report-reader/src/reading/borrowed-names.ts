import type { ParsedRow } from './regions.ts';
import type { RegionContext } from './reading-state.ts';

/** A table needs this many rows with their own names before a row without one is an exception. */
const LEAST_NAMED = 3;

/**
 * Whether a number takes its name from the line above although the rows of its table have their own names: its own name
 * may be unread, and the line above a heading.
 */
export function hasBorrowedName({ parts }: ParsedRow, { region, columns }: RegionContext): boolean {
  const [value] = parts.value;
  if (parts.name.length > 0 || columns.length === 0 || !value || value.labelRole !== undefined) return false;
  const results = region.rows.filter(hasAmount);
  const named = results.filter((row) => row.parts.name.length > 0).length;
  return named >= LEAST_NAMED && named > 2 * (results.length - named);
}

const hasAmount = ({ parts }: ParsedRow): boolean =>
  parts.value.some(({ kind }) => kind === 'number' || kind === 'compared') &&
  parts.unit.length + parts.range.length > 0;
