import type { ParsedRow } from './regions.ts';
import type { Place } from './reading-state.ts';
import { textOf } from './rows.ts';

/** How much speaks against a name that ends within a bracket: it may be the first half of a sentence. */
export const CUT = 3;

/** Whether a bracket of a name is never closed. */
export const isOpen = (name: string): boolean => name.split('(').length > name.split(')').length;

/**
 * "Thyroid stimulating hormone (third   1.82 mIU/L", and right below it "generation), serum": the bracket of a name is
 * closed in the next line, so that it is none that was cut off.
 */
export function closesBelow(name: string, { row, parts }: ParsedRow, { region }: Place): boolean {
  if (!isOpen(name)) return false;
  const below = region.rows[region.rows.findIndex((other) => other.row === row) + 1]?.row;
  const start = parts.name[0]?.box.x0 ?? row.box.x0;
  return (
    below !== undefined &&
    below.segments.length === 1 &&
    Math.abs(below.box.x0 - start) < 30 &&
    below.box.y0 - row.box.y1 < 0.9 * row.fontSize &&
    /^[^(]*\)/u.test(textOf(below.words))
  );
}
