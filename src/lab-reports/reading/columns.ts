import { dateLength, readDate, isoDate } from './dates.ts';
import { boundOfHeading, headingAt, roleOfHeading, type ColumnRole } from './lexicon/headers.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { isUnit } from './units.ts';
import { type Box, unite } from './word.ts';

/** Where on the page one kind of field stands. */
export interface Column {
  readonly role: ColumnRole;
  readonly x0: number;
  readonly x1: number;
  /** The date in its heading, where the columns are dates. */
  readonly date?: string;
  /** Which bound of a range it has, where each has a column. */
  readonly bound?: 'min' | 'max';
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
  let best: Header | undefined;
  let bestScore = 0;
  for (let count = 1; count <= 3; count += 1) {
    const some = rows.slice(index, index + count);
    if (some.length < count || !standTogether(some) || some.some(hasFinding)) break;
    const cells = withBounds(cellsOf(mergedSegments(some)));
    const score = scoreOf(cells);
    const withoutFirst = count > 1 ? scoreOf(cellsOf(mergedSegments(some.slice(1)))) : 0;
    const goesOn = best?.rows === count - 1 && score >= bestScore && isAllKnown(cells);
    if ((goesOn || score > bestScore + (count - 1) * 0.3) && score > withoutFirst) {
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
  segments.some(({ words }) => {
    const [first, second] = words;
    if (!first || roleOfHeading(textOf(words))) return false;
    const isAmount = /^[<>]?\d+(?:[.,]\d+)?$/.test(first.text) && second !== undefined && isUnit(second.text);
    return isAmount || qualityOf(textOf(words)) !== undefined;
  });

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

interface Cell {
  readonly role: ColumnRole | undefined;
  readonly box: Box;
  readonly text: string;
  readonly date?: string;
  readonly bound?: 'min' | 'max';
}

/** The segments of several rows, those that stand above each other as one. */
function mergedSegments(rows: readonly Row[]): Segment[] {
  const merged: Segment[] = [];
  for (const row of rows) {
    for (const segment of row.segments) {
      const above = merged.findIndex(({ box }) => box.x0 < segment.box.x1 && segment.box.x0 < box.x1);
      const standing = merged[above];
      if (standing) {
        merged[above] = {
          words: [...standing.words, ...segment.words],
          box: unite([standing.box, segment.box]),
        };
      } else merged.push(segment);
    }
  }
  return merged.toSorted((a, b) => a.box.x0 - b.box.x0);
}

const cellsOf = (segments: readonly Segment[]): Cell[] =>
  segments.flatMap((segment) => {
    const text = textOf(segment.words);
    const role = text.endsWith(':') && segments.length < 3 ? undefined : roleOfHeading(text);
    if (role || boundOfHeading(text)) return [{ role, box: segment.box, text }];
    const date = readDate(text, 'dmy');
    if (date && segment.words.length <= 3)
      return [{ role: undefined, box: segment.box, text, date: isoDate(date.date) }];
    return partsOf(segment);
  });

/** Headings printed so close that no gap parts them. */
function partsOf(segment: Segment): Cell[] {
  const texts = segment.words.map((word) => word.text);
  const cells: Cell[] = [];
  for (let at = 0; at < texts.length;) {
    const heading = headingAt(texts, at);
    const isDate = dateLength(texts, at) > 0;
    const count = heading?.count ?? 1;
    const words = segment.words.slice(at, at + count);
    const text = textOf(words);
    const date = isDate ? readDate(text, 'dmy') : undefined;
    cells.push({
      role: text.endsWith(':') ? undefined : heading?.role,
      box: unite(words.map((word) => word.box)),
      text,
      ...(date ? { date: isoDate(date.date) } : {}),
    });
    at += count;
  }
  return cells;
}

/**
 * "Low" and "High" together are the bounds of a range, instead of what stands above both. Where no column is left for
 * the result they are places for it, and so is "Normal" between them.
 */
function withBounds(cells: readonly Cell[]): Cell[] {
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
  if (cells.some((_, at) => isLabelledDate(cells, at))) return 0;
  const letters = (some: readonly Cell[]) => some.reduce((sum, cell) => sum + cell.text.length, 0);
  const share = letters(known) / (letters(cells) || 1);
  const hasResult =
    roles.has('value') || (roles.has('range') && roles.has('name')) || (dates > 0 && roles.size > 0);
  if (!hasResult || roles.size + Math.min(1, dates) < 2 || share < 0.55) return 0;
  if (dates > 0 && !roles.has('value') && !cells.slice(1).every(isHeading)) return 0;
  return roles.size + dates * 0.2 + share;
}

/** The head of a page has dates too, beside words that head no column. */
const isHeading = ({ role, date, text }: Cell): boolean =>
  role !== undefined || date !== undefined || /^\d{1,2}[:h.]\d\d$/.test(text);

/** "Collected : 04/12/2024" says a date of the patient's data; behind "Result:" it may be the one of a column. */
function isLabelledDate(cells: readonly Cell[], at: number): boolean {
  if (cells[at]?.date === undefined) return false;
  const before = cells[at - 1]?.text ?? '';
  const label = /^:+$/.test(before) ? `${cells[at - 2]?.text ?? ''}:` : before;
  const role = roleOfHeading(label);
  return label.endsWith(':') && role !== 'value' && role !== 'previous';
}

/** "Date  14/03/22  20/02/23  03/04/24": nothing but dates, and before them at most what they are. */
const isDates = (cells: readonly Cell[]): boolean =>
  cells.length > 2 &&
  cells.slice(1).every((cell) => cell.date !== undefined) &&
  !/[:\d]/.test(cells[0]?.text ?? '');

function columnsOf(cells: readonly Cell[]): Column[] {
  const hasValue = cells.some((cell) => cell.role === 'value');
  const newest = cells
    .map((cell) => cell.date ?? '')
    .toSorted()
    .at(-1);
  const columns: Column[] = [];
  if (isDates(cells) && cells[0]) columns.push({ role: 'name', x0: cells[0].box.x0, x1: cells[0].box.x1 });
  for (const { role, date, bound, box } of cells.slice(columns.length)) {
    if (role) columns.push({ role, x0: box.x0, x1: box.x1, ...(bound ? { bound } : {}) });
    else if (date && !hasValue) {
      columns.push({ role: date === newest ? 'value' : 'previous', x0: box.x0, x1: box.x1, date });
    } else if (date) columns.push({ role: 'previous', x0: box.x0, x1: box.x1, date });
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
