import { type Cell, cellsOf } from './heading-cells.ts';
import { isLabelOfDates } from './date-headings.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import type { Box } from './word.ts';

/** "Date:", "Time:", "Lab No:" and what else is said of each sample, in lines of their own. */
const MOST_LINES = 4;

/** In points. */
const NEAR = 14;

/**
 * The headings of a cumulative report, where several labelled lines stand above the results: the dates of the samples
 * in one of them, their times and numbers under these in others, units and ranges beside any.
 */
export function sampleHeadingsAt(
  rows: readonly Row[],
  index: number,
): { readonly cells: readonly Cell[]; readonly rows: number } | undefined {
  const near = rows.slice(index, index + MOST_LINES);
  if (!near[0] || !isLabelled(near[0])) return undefined;
  const dates = near.map(datesOf).find((cells) => cells.length > 1);
  if (!dates) return undefined;
  const end = near.findIndex((row) => !isOfSamples(row, dates));
  const own = end < 0 ? near : near.slice(0, end);
  const [label] = own.flatMap(({ segments }) => cellsOf(segments.slice(0, 1)));
  const others = own.flatMap(({ segments }) => cellsOf(segments.slice(1))).filter(isHeading);
  if (own.length < 2 || !label || !own.some((row) => datesOf(row).length > 1)) return undefined;
  const cells = [label, ...others.toSorted((a, b) => a.box.x0 - b.box.x0)];
  return isLabelOfDates(cells) ? { cells, rows: own.length } : undefined;
}

const isHeading = ({ role, date }: Cell): boolean => role !== undefined || date !== undefined;

const isLabelled = ({ segments: [label, ...others] }: Row): boolean =>
  others.length > 1 && label !== undefined && /^\p{L}[^:]*:$/u.test(textOf(label.words));

const datesOf = ({ segments }: Row): Cell[] =>
  cellsOf(segments.slice(1)).filter(({ date }) => date !== undefined);

/** A label, and behind it dates, headings, and what stands under or above the dates. */
const isOfSamples = (row: Row, dates: readonly Cell[]): boolean =>
  isLabelled(row) && row.segments.slice(1).every((segment) => isOfSample(segment, dates));

const isOfSample = (segment: Segment, dates: readonly Cell[]): boolean =>
  cellsOf([segment]).every(
    (cell) => isHeading(cell) || (/\d/.test(cell.text) && dates.some(({ box }) => isInLine(box, cell.box))),
  );

const isInLine = (date: Box, box: Box): boolean => box.x0 < date.x1 + NEAR && date.x0 - NEAR < box.x1;
