import { type Cell, cellsOf, isUnknown, mergedSegments } from './heading-cells.ts';
import { type ColumnRole, roleOfHeading } from './lexicon/headers.ts';
import { isHeadLabel } from './lexicon/not-results.ts';
import { type Row, textOf } from './rows.ts';

/** "Collected 12/03/2024   Reported 14/03/2024" right above headings that need no dates is of the head of the page. */
export function isOfPageHead([first, ...others]: readonly Row[]): boolean {
  const below = cellsOf(mergedSegments(others));
  const cells = first && others.length > 0 ? cellsOf(first.segments) : [];
  const isWhole = ['name', 'value'].every((role) => below.some((cell) => cell.role === role));
  const hasDate = cells.some(({ date }) => date !== undefined);
  return isWhole && hasDate && cells.some((cell, at) => isLabelled(cell) || (at > 0 && isOther(cell)));
}

/** "Collected 12/03/2024" in one piece. */
const isLabelled = ({ date = '' }: Cell): boolean => isHeadLabel(date.replaceAll(/\S*\d\S*/g, ' ').trim());

const isOther = ({ date, role }: Cell): boolean => date === undefined && !ABOVE_DATES.has(role);

const ABOVE_DATES: ReadonlySet<ColumnRole | undefined> = new Set(['value', 'previous'] as const);

/** A line below headings that stands under none of them and names nothing is the title of what follows. */
export function isTitleBelow(rows: readonly Row[]): boolean {
  const [last, ...others] = rows.toReversed();
  const above = others.flatMap(({ segments }) => segments);
  return (
    last !== undefined &&
    above.length > 1 &&
    last.segments.every(
      ({ words, box }) =>
        above.every((segment) => segment.box.x1 < box.x0 || segment.box.x0 > box.x1) &&
        roleOfHeading(textOf(words)) === undefined,
    ) &&
    cellsOf(last.segments).every(isUnknown)
  );
}

/** "Sampled" and "Reported" above two dates are of the head of the page, though dates may head columns elsewhere. */
export function hasLabelsAbove(rows: readonly Row[], index: number): boolean {
  const [above, row] = [rows[index - 1], rows[index]];
  if (!above || !row || row.box.y0 - above.box.y1 > row.fontSize) return false;
  const labels = cellsOf(row.segments).flatMap(({ date, box }) => {
    const label = above.segments.find((segment) => segment.box.x1 > box.x0 && segment.box.x0 < box.x1);
    const text = label && textOf(label.words).replace(/\s*:$/, '');
    return date !== undefined && text !== undefined && isHeadLabel(text) ? [text] : [];
  });
  return new Set(labels).size > 1;
}
