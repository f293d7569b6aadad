import type { ParsedRow } from './regions.ts';
import type { Place } from './reading-state.ts';

/** Lines with their names in them, before a line without one is an exception. */
const LEAST_NAMED = 3;

/**
 * Whether a number stands under the line above it though the lines of its table begin with their names: its own may not
 * have been read, and the line above be a heading.
 */
export function borrowsName({ parts }: ParsedRow, { region, columns }: Place): boolean {
  const [value] = parts.value;
  if (parts.name.length > 0 || columns.length === 0 || !value || value.said !== undefined) return false;
  const results = region.rows.filter(hasAmount);
  const named = results.filter((row) => row.parts.name.length > 0).length;
  return named >= LEAST_NAMED && named > 2 * (results.length - named);
}

const hasAmount = ({ parts }: ParsedRow): boolean =>
  parts.value.some(({ kind }) => kind === 'number' || kind === 'compared') &&
  parts.unit.length + parts.range.length > 0;
