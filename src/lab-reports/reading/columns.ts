import { isDates, isLabelledDate, isLabelOfDates, withoutDateLabel } from './date-headings.ts';
import { hasLabelsAbove, isOfPageHead, isTitleBelow } from './beside-headings.ts';
import {
  type Cell,
  cellsOf,
  isUnknown,
  lettersOf,
  mergedSegments,
  unitOfHeading,
  withBounds,
  withFindings,
  withoutAims,
} from './heading-cells.ts';
import { roleOfHeading, type ColumnRole } from './lexicon/headers.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { type Row, textOf } from './rows.ts';
import { sampleHeadingsAt } from './sample-headings.ts';
import { isUnit } from './units.ts';
import type { Box } from './word.ts';

/** Where on the page one kind of field stands. */
export interface Column {
  readonly role: ColumnRole;
  readonly x0: number;
  readonly x1: number;
  /** The date in its heading as it is printed, where the columns are dates. */
  readonly date?: string;
  /** The newest of several dates of the table, as YYYY-MM-DD, with the time of day where it is printed. */
  readonly moment?: string;
  /** Its heading says in words that its results are earlier ones. */
  readonly isEarlier?: true;
  /** Nobody can tell whether its results are the newest. */
  readonly isUnsure?: true;
  /** Which bound of a range it has, where each has a column. */
  readonly bound?: 'min' | 'max';
  /** The unit of all its results, where the heading says one: "Result (kU/L)". */
  readonly unit?: string;
  /** Known by where its fields stand; there is no heading. */
  readonly isLearned?: true;
}

/** A line of headings; `rows` of them when they are printed over several lines. */
export interface Header {
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Where a second table begins beside the first. */
  readonly cuts: readonly number[];
}

/** The headings that begin at this row; undefined for other rows. */
export function headerAt(rows: readonly Row[], index: number): Header | undefined {
  const first = rows[index];
  if (!first) return undefined;
  if (!seen.has(first)) seen.set(first, findHeader(rows, index));
  return seen.get(first);
}

/** Rows belong to one page and stand where they stand, so the answer stays. */
const seen = new WeakMap<Row, Header | undefined>();

function findHeader(rows: readonly Row[], index: number): Header | undefined {
  if (hasLabelsAbove(rows, index)) return undefined;
  const ofSamples = sampleHeadingsAt(rows, index);
  if (ofSamples) return { columns: columnsOf(ofSamples.cells), rows: ofSamples.rows, cuts: [] };
  let best: Header | undefined;
  let bestScore = 0;
  for (let count = 1; count <= 3; count += 1) {
    const some = rows.slice(index, index + count);
    if (some.length < count || !standTogether(some) || some.some(hasFinding) || isTitleBelow(some)) break;
    if (isOfPageHead(some)) break;
    const cells = withoutAims(withBounds(withFindings(cellsOf(mergedSegments(some)))));
    const score = scoreOf(cells);
    const withoutFirst = count > 1 ? scoreOf(cellsOf(mergedSegments(some.slice(1)))) : 0;
    const goesOn = best?.rows === count - 1 && score >= bestScore && isAllKnown(cells);
    // "Previous" above a date alone is what tells that its results are.
    const isMore =
      score > withoutFirst || (score === withoutFirst && cells.some(({ isEarlier }) => isEarlier));
    if ((goesOn || score > bestScore + (count - 1) * 0.3) && isMore) {
      const isRunning = some.every((row) => row.segments.length === 1) || some.some(isLegend);
      best = {
        columns: isRunning ? [] : columnsOf(cells),
        rows: count,
        cuts: isRunning ? [] : cutsOf(cells),
      };
      bestScore = score;
    }
  }
  return best;
}

/** "Biomarker / your result / reference" says in which order they stand, and not where. */
const isLegend = ({ words }: Row): boolean => words.filter(({ text }) => text === '/').length > 1;

/** "Result   92 mg/dL   Reference range" has words that head columns, and a result. */
const hasFinding = ({ segments }: Row): boolean =>
  isResult(segments.map(({ words }) => textOf(words))) ||
  segments.some(({ words }) => {
    const [first, second] = words;
    if (!first || roleOfHeading(textOf(words))) return false;
    const isAmount = /^[<>]?\d+(?:[.,]\d+)?$/.test(first.text) && second !== undefined && isUnit(second.text);
    return isAmount || qualityOf(textOf(words)) !== undefined;
  });

const NUMBER = /^[<>]?\d{1,4}(?:[.,]\d+)?$/;
const BETWEEN = /^[([]?\d+(?:[.,]\d+)?\s?[-–]\s?\d+(?:[.,]\d+)?[)\]]?$/u;

/** "ALT   28   IU/L   0-32" right above the next table is the last result of the one before it. */
const isResult = (cells: readonly string[]): boolean =>
  cells.some((text) => NUMBER.test(text)) && cells.some(isUnit) && cells.some((text) => BETWEEN.test(text));

function standTogether(rows: readonly Row[]): boolean {
  return rows.every((row, index) => {
    if (row.words.length > 24) return false;
    const above = rows[index - 1];
    if (!above) return true;
    const hasNumbers = row.words.some((word) => /^[<>]?\d+([.,]\d+)?$/.test(word.text));
    return !hasNumbers && row.box.y0 - above.box.y1 < 0.9 * row.fontSize;
  });
}

/** "Reference" above "range": a further line that leaves no heading unknown. */
const isAllKnown = (cells: readonly Cell[]): boolean =>
  cells.every(({ role, date, bound }) => role !== undefined || date !== undefined || bound !== undefined);

const TELLING: ReadonlySet<ColumnRole | undefined> = new Set([
  'name',
  'value',
  'flag',
  'unit',
  'range',
  'previous',
] as const);

/** How surely this is a line of headings: two telling roles at least, and little else. */
function scoreOf(cells: readonly Cell[]): number {
  const known = cells.filter((cell) => cell.role !== undefined || cell.date !== undefined);
  const roles = new Set(known.map((cell) => cell.role).filter((role) => TELLING.has(role)));
  const dates = known.filter((cell) => cell.date !== undefined).length;
  if (isDates(cells)) return dates;
  if (!isLabelOfDates(cells) && cells.some((_, at) => isLabelledDate(cells, at))) return 0;
  const share = lettersOf(known) / (lettersOf(cells) || 1);
  const hasResult =
    roles.has('value') || (roles.has('range') && roles.has('name')) || (dates > 0 && roles.size > 0);
  const isEnough = share >= 0.55 || isMostlyKnown(cells, roles);
  if (!hasResult || roles.size + Math.min(1, dates) < 2 || !isEnough) return 0;
  if (dates > 0 && !roles.has('value') && !cells.slice(1).every(isHeading) && !isMisread(cells, roles))
    return 0;
  // Dates head results, too: "Result" above each of them says less than they do.
  const columns = roles.size + (dates > 1 && !roles.has('value') ? 1 : 0);
  return columns + dates * 0.2 + share;
}

/** Names, results, and one column more of which nobody knows what it holds. */
const isMostlyKnown = (cells: readonly Cell[], roles: ReadonlySet<ColumnRole | undefined>): boolean =>
  cells.length > 2 &&
  roles.has('name') &&
  roles.has('value') &&
  cells.filter(isUnknown).length === 1 &&
  cells.every(({ text }) => text.length < 36 && !/[\d:]/.test(text));

/** The head of a page has dates too, beside words that head no column. */
const isHeading = ({ role, date, text }: Cell): boolean =>
  role !== undefined || date !== undefined || /^\d{1,2}[:h.]\d\d$/.test(text);

/** One heading that nobody knows between several dates, beside those of names, units or ranges. */
const isMisread = (cells: readonly Cell[], roles: ReadonlySet<ColumnRole | undefined>): boolean =>
  [...roles].filter((role) => role !== undefined).length > 1 &&
  cells.filter(({ date }) => date !== undefined).length > 1 &&
  cells.slice(1).filter((cell) => !isHeading(cell)).length === 1 &&
  cells.every(({ text }) => !text.includes(':') || /\d:\d/.test(text));

function columnsOf(given: readonly Cell[]): Column[] {
  const cells = withoutDateLabel(given);
  const hasValue = cells.some((cell) => cell.role === 'value');
  const columns: Column[] = [];
  if (isDates(cells) && cells[0]) columns.push({ role: 'name', x0: cells[0].box.x0, x1: cells[0].box.x1 });
  for (const { role, date, bound, box, text, isEarlier } of cells.slice(columns.length)) {
    const unit = role === 'value' ? unitOfHeading(text) : undefined;
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

/** A table whose first column has no heading still has names there. */
function withValueOfDates(columns: Column[], cells: readonly Cell[]): Column[] {
  const first = cells[0];
  return first &&
    !columns.some((column) => column.role === 'name') &&
    first.role === undefined &&
    first.date === undefined
    ? [{ role: 'name', x0: first.box.x0, x1: first.box.x1 }, ...columns]
    : columns;
}

/** A name heading behind a result heading begins another table. */
function cutsOf(cells: readonly Cell[]): number[] {
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

/** How far a box lies from a column; 0 where they overlap. */
export const gapTo = (column: { x0: number; x1: number }, box: Box): number =>
  Math.max(0, column.x0 - box.x1, box.x0 - column.x1);

export function nearest<Place extends { x0: number; x1: number }>(
  columns: readonly Place[],
  box: Box,
): Place | undefined {
  let best: Place | undefined;
  for (const column of columns) if (!best || gapTo(column, box) < gapTo(best, box)) best = column;
  return best;
}
