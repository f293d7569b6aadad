import { type HeadingCell, readHeadingCells } from './heading-cells.ts';
import { isLabeledDateRow } from './date-headings.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import type { BoundingBox } from './report-model.ts';

/** "Date:", "Time:", "Lab No:" and other sample data, each in its own row. */
const MOST_LINES = 4;

/** In points. */
const NEAR = 14;

/**
 * The headings of a cumulative report, with several labeled rows above the results: sample dates in one of them, times
 * and numbers under the dates in others, units and ranges in any.
 */
export function findSampleHeadings(
  rows: readonly TextRow[],
  index: number,
): { readonly cells: readonly HeadingCell[]; readonly rows: number } | undefined {
  const near = rows.slice(index, index + MOST_LINES);
  if (!near[0] || !isLabeled(near[0])) return undefined;
  const dates = near.map(findDates).find((cells) => cells.length > 1);
  if (!dates) return undefined;
  const end = near.findIndex((row) => !isOfSamples(row, dates));
  const own = end < 0 ? near : near.slice(0, end);
  const [label] = own.flatMap(({ segments }) => readHeadingCells(segments.slice(0, 1)));
  const others = own.flatMap(({ segments }) => readHeadingCells(segments.slice(1))).filter(isHeading);
  if (own.length < 2 || !label || !own.some((row) => findDates(row).length > 1)) return undefined;
  const cells = [label, ...others.toSorted((a, b) => a.box.x0 - b.box.x0)];
  return isLabeledDateRow(cells) ? { cells, rows: own.length } : undefined;
}

const isHeading = ({ role, date }: HeadingCell): boolean => role !== undefined || date !== undefined;

const isLabeled = ({ segments: [label, ...others] }: TextRow): boolean =>
  others.length > 1 && label !== undefined && /^\p{L}[^:]*:$/u.test(joinWords(label.words));

const findDates = ({ segments }: TextRow): HeadingCell[] =>
  readHeadingCells(segments.slice(1)).filter(({ date }) => date !== undefined);

/** A label, followed by dates, headings, and text aligned with the dates. */
const isOfSamples = (row: TextRow, dates: readonly HeadingCell[]): boolean =>
  isLabeled(row) && row.segments.slice(1).every((segment) => isOfSample(segment, dates));

const isOfSample = (segment: RowSegment, dates: readonly HeadingCell[]): boolean =>
  readHeadingCells([segment]).every(
    (cell) => isHeading(cell) || (/\d/.test(cell.text) && dates.some(({ box }) => isInLine(box, cell.box))),
  );

const isInLine = (date: BoundingBox, box: BoundingBox): boolean =>
  box.x0 < date.x1 + NEAR && date.x0 - NEAR < box.x1;
