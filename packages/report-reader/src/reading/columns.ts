import { isDateRow, isLabeledDate, isLabeledDateRow, withoutDateLabel } from './date-headings.ts';
import { hasDateLabelsAbove, isReportHeaderLine, isTitleBelowHeadings } from './non-headings.ts';
import {
  type HeadingCell,
  readHeadingCells,
  isUnknownHeading,
  countLetters,
  mergeSegments,
  readHeadingUnit,
  withBounds,
  withObservationAsValue,
  withoutTargetRanges,
} from './heading-cells.ts';
import { matchColumnRole, type ColumnRole } from './lexicon/column-headings.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { type TextRow, joinWords } from './rows.ts';
import { findSampleHeadings } from './sample-headings.ts';
import { isUnit } from './units.ts';
import type { BoundingBox } from './report-model.ts';

/** The horizontal extent of one kind of field. */
export interface ReportColumn {
  readonly role: ColumnRole;
  readonly x0: number;
  readonly x1: number;
  /** The date in its heading as printed, if columns are dates. */
  readonly date?: string;
  /** The newest of several dates of the table, as YYYY-MM-DD, with the time of day if printed. */
  readonly newestDate?: string;
  /** Its heading says that its results are previous ones. */
  readonly isEarlier?: true;
  /** It cannot be determined whether its results are the newest. */
  readonly isNewestUncertain?: true;
  /** Which bound of a range it has, if each has its own column. */
  readonly bound?: 'min' | 'max';
  /** The unit of all its results, if the heading has one: "Result (kU/L)". */
  readonly unit?: string;
  /** Learned from the positions of fields; there is no heading. */
  readonly isLearned?: true;
}

/** Table headings; `rows` is the number of lines that they take. */
interface TableHeader {
  readonly columns: readonly ReportColumn[];
  readonly rows: number;
  /** Where a second table begins to the right of the first. */
  readonly cuts: readonly number[];
}

/** The headings that begin at this row; undefined for other rows. Cached per row. */
export function findHeaderAt(rows: readonly TextRow[], index: number): TableHeader | undefined {
  const first = rows[index];
  if (!first) return undefined;
  if (!headersByRow.has(first)) headersByRow.set(first, findHeader(rows, index));
  return headersByRow.get(first);
}

/** A row belongs to one page and never moves, so the cached answer stays valid. */
const headersByRow = new WeakMap<TextRow, TableHeader | undefined>();

function findHeader(rows: readonly TextRow[], index: number): TableHeader | undefined {
  if (hasDateLabelsAbove(rows, index)) return undefined;
  const ofSamples = findSampleHeadings(rows, index);
  if (ofSamples) return { columns: buildColumns(ofSamples.cells), rows: ofSamples.rows, cuts: [] };
  let best: TableHeader | undefined;
  let bestScore = 0;
  for (let count = 1; count <= 3; count += 1) {
    const some = rows.slice(index, index + count);
    if (
      some.length < count ||
      !areAdjacentLines(some) ||
      some.some(hasResultCell) ||
      isTitleBelowHeadings(some)
    )
      break;
    if (isReportHeaderLine(some)) break;
    const cells = withoutTargetRanges(
      withBounds(withObservationAsValue(readHeadingCells(mergeSegments(some)))),
    );
    const score = scoreHeadings(cells);
    const withoutFirst = count > 1 ? scoreHeadings(readHeadingCells(mergeSegments(some.slice(1)))) : 0;
    const goesOn = best?.rows === count - 1 && score >= bestScore && isAllKnown(cells);
    // "Previous" above a single date is what marks its results as previous.
    const isMore =
      score > withoutFirst || (score === withoutFirst && cells.some(({ isEarlier }) => isEarlier));
    if ((goesOn || score > bestScore + (count - 1) * 0.3) && isMore) {
      const isRunning = some.every((row) => row.segments.length === 1) || some.some(isLegend);
      best = {
        columns: isRunning ? [] : buildColumns(cells),
        rows: count,
        cuts: isRunning ? [] : findTableStarts(cells),
      };
      bestScore = score;
    }
  }
  return best;
}

/** "Biomarker / your result / reference" gives the order of the fields, not their positions. */
const isLegend = ({ words }: TextRow): boolean => words.filter(({ text }) => text === '/').length > 1;

/** "Result   92 mg/dL   Reference range" has heading words and a result. */
const hasResultCell = ({ segments }: TextRow): boolean =>
  isResult(segments.map(({ words }) => joinWords(words))) ||
  segments.some(({ words }) => {
    const [first, second] = words;
    if (!first || matchColumnRole(joinWords(words))) return false;
    const isAmount = /^[<>]?\d[\d.,]*$/.test(first.text) && second !== undefined && isUnit(second.text);
    return isAmount || parseQualitative(joinWords(words)) !== undefined;
  });

const NUMBER = /^[<>]?\d{1,4}(?:[.,]\d+)?$/;
const BETWEEN = /^[([]?\d+(?:[.,]\d+)?\s?[-–]\s?\d+(?:[.,]\d+)?[)\]]?$/u;

/** "ALT   28   IU/L   0-32" right above the next table is the last result of the one before it. */
const isResult = (cells: readonly string[]): boolean =>
  cells.some((text) => NUMBER.test(text)) && cells.some(isUnit) && cells.some((text) => BETWEEN.test(text));

function areAdjacentLines(rows: readonly TextRow[]): boolean {
  return rows.every((row, index) => {
    if (row.words.length > 24) return false;
    const above = rows[index - 1];
    if (!above) return true;
    const hasNumbers = row.words.some((word) => /^[<>]?\d+([.,]\d+)?$/.test(word.text));
    return !hasNumbers && row.box.y0 - above.box.y1 < 0.9 * row.fontSize;
  });
}

/** "Reference" above "range": a further line that leaves no heading unknown. */
const isAllKnown = (cells: readonly HeadingCell[]): boolean =>
  cells.every(({ role, date, bound }) => role !== undefined || date !== undefined || bound !== undefined);

const SCORED_ROLES: ReadonlySet<ColumnRole | undefined> = new Set([
  'name',
  'value',
  'flag',
  'unit',
  'range',
  'previous',
] as const);

/** How likely this is a line of headings: at least two scored roles, and little else. */
function scoreHeadings(cells: readonly HeadingCell[]): number {
  const known = cells.filter((cell) => cell.role !== undefined || cell.date !== undefined);
  const roles = new Set(known.map((cell) => cell.role).filter((role) => SCORED_ROLES.has(role)));
  const dates = known.filter((cell) => cell.date !== undefined).length;
  if (isDateRow(cells)) return dates;
  if (!isLabeledDateRow(cells) && cells.some((_, at) => isLabeledDate(cells, at))) return 0;
  const share = countLetters(known) / (countLetters(cells) || 1);
  const hasResult =
    roles.has('value') || (roles.has('range') && roles.has('name')) || (dates > 0 && roles.size > 0);
  const isEnough = share >= 0.55 || isMostlyKnown(cells, roles);
  if (!hasResult || roles.size + Math.min(1, dates) < 2 || !isEnough) return 0;
  if (dates > 0 && !roles.has('value') && !cells.slice(1).every(isHeading) && !isMisread(cells, roles))
    return 0;
  // Dates are headings of results, too: "Result" above each of them says less than they do.
  const columns = roles.size + (dates > 1 && !roles.has('value') ? 1 : 0);
  return columns + dates * 0.2 + share;
}

/** Names, results, and one more column with an unknown heading. */
const isMostlyKnown = (cells: readonly HeadingCell[], roles: ReadonlySet<ColumnRole | undefined>): boolean =>
  cells.length > 2 &&
  roles.has('name') &&
  roles.has('value') &&
  cells.filter(isUnknownHeading).length === 1 &&
  cells.every(({ text }) => text.length < 36 && !/[\d:]/.test(text));

/** The report header has dates too, next to words that are not column headings. */
const isHeading = ({ role, date, text }: HeadingCell): boolean =>
  role !== undefined || date !== undefined || /^\d{1,2}[:h.]\d\d$/.test(text);

/** One unknown heading among several dates, with headings of names, units or ranges. */
const isMisread = (cells: readonly HeadingCell[], roles: ReadonlySet<ColumnRole | undefined>): boolean =>
  [...roles].filter((role) => role !== undefined).length > 1 &&
  cells.filter(({ date }) => date !== undefined).length > 1 &&
  cells.slice(1).filter((cell) => !isHeading(cell)).length === 1 &&
  cells.every(({ text }) => !text.includes(':') || /\d:\d/.test(text));

function buildColumns(given: readonly HeadingCell[]): ReportColumn[] {
  const cells = withoutDateLabel(given);
  const hasValue = cells.some((cell) => cell.role === 'value');
  const columns: ReportColumn[] = [];
  if (isDateRow(cells) && cells[0]) columns.push({ role: 'name', x0: cells[0].box.x0, x1: cells[0].box.x1 });
  for (const { role, date, bound, box, text, isEarlier } of cells.slice(columns.length)) {
    const unit = role === 'value' ? readHeadingUnit(text) : undefined;
    const place = { x0: box.x0, x1: box.x1 };
    if (role) columns.push({ role, ...place, ...(bound ? { bound } : {}), ...(unit ? { unit } : {}) });
    else if (date !== undefined)
      columns.push({
        role: hasValue || isEarlier ? 'previous' : 'value',
        ...place,
        date,
        ...(isEarlier ? { isEarlier } : {}),
      });
  }
  return hasValue ? columns : withValueOfDates(columns, cells);
}

/** If the first column has no heading, it still has the names. */
function withValueOfDates(columns: ReportColumn[], cells: readonly HeadingCell[]): ReportColumn[] {
  const first = cells[0];
  return first &&
    !columns.some((column) => column.role === 'name') &&
    first.role === undefined &&
    first.date === undefined
    ? [{ role: 'name', x0: first.box.x0, x1: first.box.x1 }, ...columns]
    : columns;
}

/** A name heading after a result heading begins another table. */
function findTableStarts(cells: readonly HeadingCell[]): number[] {
  const cuts: number[] = [];
  let sawValue = false;
  let names = 0;
  for (const cell of cells) {
    if (cell.role === 'value') sawValue = true;
    if (cell.role !== 'name') continue;
    if (names > 0 && sawValue) {
      cuts.push(cell.box.x0 - 2);
      sawValue = false;
    }
    names += 1;
  }
  return cuts;
}

/** Horizontal distance of a box from a column; 0 if they overlap. */
export const measureGapTo = (column: { x0: number; x1: number }, box: BoundingBox): number =>
  Math.max(0, column.x0 - box.x1, box.x0 - column.x1);

export function findNearest<Place extends { x0: number; x1: number }>(
  columns: readonly Place[],
  box: BoundingBox,
): Place | undefined {
  let best: Place | undefined;
  for (const column of columns)
    if (!best || measureGapTo(column, box) < measureGapTo(best, box)) best = column;
  return best;
}
