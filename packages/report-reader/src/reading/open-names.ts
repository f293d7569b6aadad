import type { ParsedRow } from './regions.ts';
import type { RegionContext } from './reading-state.ts';
import { joinWords } from './rows.ts';

/** Penalty for a name that ends within a bracket: it may be the first half of a sentence. */
export const OPEN_NAME_PENALTY = 3;

/** Whether a name has an unclosed bracket. */
export const hasUnclosedBracket = (name: string): boolean => name.split('(').length > name.split(')').length;

/**
 * "Thyroid stimulating hormone (third   1.82 mIU/L" above "generation), serum": the bracket is closed in the next row,
 * so the name is not truncated.
 */
export function isClosedBelow(name: string, { row, parts }: ParsedRow, { region }: RegionContext): boolean {
  if (!hasUnclosedBracket(name)) return false;
  const below = region.rows[region.rows.findIndex((other) => other.row === row) + 1]?.row;
  const start = parts.name[0]?.box.x0 ?? row.box.x0;
  return (
    below !== undefined &&
    below.segments.length === 1 &&
    Math.abs(below.box.x0 - start) < 30 &&
    below.box.y0 - row.box.y1 < 0.9 * row.fontSize &&
    /^[^(]*\)/u.test(joinWords(below.words))
  );
}
