import { boundOfHeading, type ColumnRole } from './lexicon/headers.ts';
import { isUnit } from './units.ts';
import type { Box } from './word.ts';

/** One heading, or what may be one. */
export interface Cell {
  readonly role: ColumnRole | undefined;
  readonly box: Box;
  readonly text: string;
  /** As it is printed. */
  readonly date?: string;
  readonly isEarlier?: true;
  readonly bound?: 'min' | 'max';
}

/**
 * "Low" and "High" together are the bounds of a range, instead of what stands above both. Where no column is left for
 * the result they are places for it, and so is "Normal" between them.
 */
export function withBounds(cells: readonly Cell[]): Cell[] {
  const bounds = cells.flatMap((cell) => {
    const bound = cell.role === undefined ? boundOfHeading(cell.text) : undefined;
    return bound ? [{ ...cell, bound }] : [];
  });
  const [first, second, ...others] = bounds;
  if (!first || !second || others.length > 0 || first.bound === second.bound) return [...cells];
  const isOf = ({ box }: Cell) => bounds.find((bound) => bound.box === box);
  if (!cells.some(({ role, date }) => role === 'value' || date !== undefined))
    return cells.map((cell) =>
      isOf(cell) || /^normale?s?$/i.test(cell.text) ? { ...cell, role: 'value' } : cell,
    );
  const [left, right] = [Math.min(first.box.x0, second.box.x0), Math.max(first.box.x1, second.box.x1)];
  return cells
    .filter(({ role, box }) => role !== 'range' || box.x1 < left || box.x0 > right)
    .map((cell) => {
      const bound = isOf(cell);
      return bound ? { ...bound, role: 'range' } : cell;
    });
}

/** "Observation" names what is measured as well as what was found; behind another name it is the latter. */
export const withFindings = (cells: readonly Cell[]): Cell[] =>
  cells.some(({ role, date }) => role === 'value' || date !== undefined)
    ? [...cells]
    : cells.map((cell, index) =>
        index > 0 && cell.role === 'name' && /^observations?$/iu.test(cell.text)
          ? { ...cell, role: 'value' }
          : cell,
      );

/** The unit of all results of a column, in brackets behind its heading. */
export function unitOfHeading(text: string): string | undefined {
  const [, inside] = /[([]([^()[\]]+)[)\]]\s*$/u.exec(text) ?? [];
  return inside !== undefined && /[/%]/.test(inside) && isUnit(inside) ? inside : undefined;
}
