import { type HeadingCell, readHeadingCells, isUnknownHeading, mergeSegments } from './heading-cells.ts';
import { type ColumnRole, matchColumnRole } from './lexicon/column-headings.ts';
import { isHeaderLabel } from './lexicon/non-results.ts';
import { type TextRow, joinWords } from './rows.ts';

/** "Collected 12/03/2024   Reported ..." right above headings that need no dates belongs to the report header. */
export function isReportHeaderLine([first, ...others]: readonly TextRow[]): boolean {
  const below = readHeadingCells(mergeSegments(others));
  const cells = first && others.length > 0 ? readHeadingCells(first.segments) : [];
  const isWhole = ['name', 'value'].every((role) => below.some((cell) => cell.role === role));
  const hasDate = cells.some(({ date }) => date !== undefined);
  return isWhole && hasDate && cells.some((cell, at) => isLabeled(cell) || (at > 0 && isOther(cell)));
}

/** "Collected 12/03/2024" in one segment. */
const isLabeled = ({ date = '' }: HeadingCell): boolean =>
  isHeaderLabel(date.replaceAll(/\S*\d\S*/g, ' ').trim());

const isOther = ({ date, role }: HeadingCell): boolean => date === undefined && !ABOVE_DATES.has(role);

const ABOVE_DATES: ReadonlySet<ColumnRole | undefined> = new Set(['value', 'previous'] as const);

/** A line below headings that is under none of them and is not a heading itself is the title of what follows. */
export function isTitleBelowHeadings(rows: readonly TextRow[]): boolean {
  const [last, ...others] = rows.toReversed();
  const above = others.flatMap(({ segments }) => segments);
  return (
    last !== undefined &&
    above.length > 1 &&
    last.segments.every(
      ({ words, box }) =>
        above.every((segment) => segment.box.x1 < box.x0 || segment.box.x0 > box.x1) &&
        matchColumnRole(joinWords(words)) === undefined,
    ) &&
    readHeadingCells(last.segments).every(isUnknownHeading)
  );
}

/** "Sampled" and "Reported" above two dates belong to the report header; elsewhere dates may be headings. */
export function hasDateLabelsAbove(rows: readonly TextRow[], index: number): boolean {
  const [above, row] = [rows[index - 1], rows[index]];
  if (!above || !row || row.box.y0 - above.box.y1 > row.fontSize) return false;
  const labels = readHeadingCells(row.segments).flatMap(({ date, box }) => {
    const label = above.segments.find((segment) => segment.box.x1 > box.x0 && segment.box.x0 < box.x1);
    const text = label && joinWords(label.words).replace(/\s*:$/, '');
    return date !== undefined && text !== undefined && isHeaderLabel(text) ? [text] : [];
  });
  return new Set(labels).size > 1;
}
