import { isBroken } from './broken-ranges.ts';
import { findHeaderAt, measureGapTo } from './columns.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { type TextRow, groupIntoRows, joinWords } from './rows.ts';
import type { ReportPage, ReportWord } from './report-model.ts';

/** In points: how far a continued line may begin from its column. */
const NEAR = 12;
/** In font sizes: a wider gap separates the footer from the table. */
const WIDE = 2.2;
/** The share of the page height below which only footers stand. */
const FOOT = 0.93;
/** At most this many lines continue a result on the next page. */
const MOST_LINES = 6;

const INTERVAL = /\d\s?(?:[-–—−~]|to|a|à|bis|al|hasta)\s?[<>]?\d|[<>≤≥]=?\s?\d|\p{L}{3,}\s+\d[\d.,]*$/iu;
const FOOTER = /\bpage\b|\bp[áa]gina\b|\bseite\b|\bpagina\b|\bfeuille\b|^\d{1,2}\s?\/\s?\d{1,2}$/iu;

/**
 * Moves the lines at the top of a page that continue the last result of the page before it, such as further lines of its
 * range or name, to the end of that page, where they are read like any others. The moved words keep no place.
 */
export function withContinuedResults(pages: readonly ReportPage[]): ReportPage[] {
  const whole = [...pages];
  for (let index = 1; index < whole.length; index += 1) {
    const [before, page] = [whole[index - 1], whole[index]];
    const lines = before && page ? findContinuedLines(before, page) : undefined;
    if (!before || !page || !lines) continue;
    const taken = new Set(lines.rows.flatMap(({ words }) => words));
    whole[index - 1] = appendBelow(before, lines);
    whole[index] = { ...page, words: page.words.filter((word) => !taken.has(word)) };
  }
  return whole;
}

interface ContinuedLines {
  /** The last row of the table on the page before. */
  readonly last: TextRow;
  readonly rows: readonly TextRow[];
}

function findContinuedLines(before: ReportPage, page: ReportPage): ContinuedLines | undefined {
  const result = findLastResult(before, page);
  if (!result) return findLabeledRange(before, page);
  const rows = groupIntoRows(page.words);
  const heads = rows.findIndex((_, index) => findHeaderAt(rows, index) !== undefined);
  const begin = heads < 0 ? 0 : heads + (findHeaderAt(rows, heads)?.rows ?? 1);
  const count = rows.slice(begin).findIndex((row) => !isFragment(row, result));
  const lines = rows.slice(begin, count < 0 ? undefined : begin + count);
  if (lines.length === 0 || lines.length > MOST_LINES) return undefined;
  const isOfAbove = belongsToResult(lines, result, rows.slice(begin + lines.length));
  return isOfAbove ? { last: result.last, rows: lines } : undefined;
}

/** "Reference values: 15 - 150" at the top, after "Result: 86 ng/mL" at the end of the page before. */
function findLabeledRange(before: ReportPage, page: ReportPage): ContinuedLines | undefined {
  const last = groupIntoRows(before.words).findLast((row) => !isFooter(row, before, page));
  const first = groupIntoRows(page.words).find((row) => !isFooter(row, page, before));
  const [said, range] = [last, first].map((row) => joinWords(row?.words ?? []));
  const isOfResult =
    last && labelRoleOf(said) === 'value' && /\d/.test(said ?? '') && !INTERVAL.test(said ?? '');
  return isOfResult && first && labelRoleOf(range) === 'range' && INTERVAL.test(range ?? '')
    ? { last, rows: [first] }
    : undefined;
}

const labelRoleOf = (text = ''): ReturnType<typeof matchColumnRole> =>
  text.includes(':') ? matchColumnRole(text.split(':')[0] ?? '') : undefined;

interface LastResult {
  /** The row with its value. */
  readonly row: TextRow;
  /** Its last row, which may be a further line of its range. */
  readonly last: TextRow;
  /** Where ranges stand. */
  readonly column: { readonly x0: number; readonly x1: number };
  /** What is printed in its range column, in all its rows. */
  readonly range: string;
}

/** The last result of a page if nothing but the footer stands below it. */
function findLastResult(page: ReportPage, next: ReportPage): LastResult | undefined {
  const rows = groupIntoRows(page.words);
  const column = findRangeColumn(rows);
  const at = rows.findLastIndex((row) => isResultRow(row));
  const row = rows[at];
  if (!row || !column) return undefined;
  const further: TextRow[] = [];
  for (const below of rows.slice(at + 1)) {
    const above = further.at(-1) ?? row;
    const isApart = below.box.y0 - above.box.y1 > WIDE * below.fontSize;
    if (isApart || isFooter(below, page, next)) break;
    if (below.segments.length > 1 || measureGapTo(column, below.box) > NEAR) return undefined;
    further.push(below);
  }
  const cells = [row, ...further].flatMap(({ segments }) =>
    segments.slice(segments.length > 1 ? 1 : 0).filter(({ box }) => measureGapTo(column, box) === 0),
  );
  return {
    row,
    last: further.at(-1) ?? row,
    column,
    range: cells.map(({ words }) => joinWords(words)).join('; '),
  };
}

const isResultRow = ({ segments }: TextRow): boolean =>
  segments.length > 1 &&
  /\p{L}{2}/u.test(joinWords(segments[0]?.words ?? [])) &&
  segments.slice(1).some(({ words }) => words.some(({ text }) => /\d/.test(text))) &&
  !FOOTER.test(segments.map(({ words }) => joinWords(words)).join(' '));

const isFooter = (row: TextRow, { height }: ReportPage, next: ReportPage): boolean =>
  FOOTER.test(joinWords(row.words)) ||
  row.box.y0 > FOOT * height ||
  row.words.every(({ text, box }) =>
    next.words.some((word) => word.text === text && Math.abs(word.box.x0 - box.x0) < 2),
  );

/** The column under the last range heading; a report without headings has none. */
function findRangeColumn(rows: readonly TextRow[]): LastResult['column'] | undefined {
  const index = rows.findLastIndex((_, at) => findHeaderAt(rows, at) !== undefined);
  return findHeaderAt(rows, index)?.columns.find(({ role }) => role === 'range');
}

/** A line with nothing but a range in its column, or more of the name. */
const isFragment = (row: TextRow, result: LastResult): boolean =>
  row.segments.every(
    ({ words, box }) => isRangePart(joinWords(words), box.x0, result) || isNamePart(row, result),
  );

function isRangePart(text: string, x0: number, { column, range }: LastResult): boolean {
  const isInColumn = x0 > column.x0 - NEAR && x0 < column.x1 + NEAR;
  return isInColumn && matchColumnRole(text) === undefined && (INTERVAL.test(text) || isBroken(range, text));
}

/** Lower case where the name of the result begins. */
const isNamePart = ({ segments }: TextRow, { row }: LastResult): boolean =>
  segments.length === 1 &&
  segments[0] !== undefined &&
  Math.abs(segments[0].box.x0 - row.box.x0) < NEAR / 2 &&
  /^(?:\p{Ll}{3}|\()/u.test(joinWords(segments[0].words)) &&
  !/\d/.test(joinWords(segments[0].words));

/**
 * Whether lines at the top belong to the result of the page before, not to the first result below them: that has a range
 * of its own, and the one above lacks one, ends openly, or has several labeled lines too.
 */
function belongsToResult(
  lines: readonly TextRow[],
  result: LastResult,
  [next, below]: readonly TextRow[],
): boolean {
  const first = joinWords(lines[0]?.words ?? []);
  if (lines.every((row) => isNamePart(row, result))) return next === undefined || startsName(next, result);
  const isOpen = result.range === '' || isBroken(result.range, first);
  const isWorded = LABEL.test(result.range) && LABEL.test(first);
  if (!isOpen && !isWorded) return false;
  if (!next) return true;
  const ownRange = next.segments
    .slice(1)
    .filter(({ box }) => measureGapTo(result.column, box) === 0)
    .map(({ words }) => joinWords(words))
    .join(' ');
  if (!startsName(next, result) || !/\d/.test(ownRange)) return false;
  if (isOpen) return true;
  const goesOn = below !== undefined && below.segments.length === 1 && isFragment(below, result);
  // In a cell that is centered on the next result, each label stands once.
  const own = `${ownRange} ${joinWords(below?.words ?? [])}`.toLowerCase().split(/\P{L}+/u);
  return !goesOn || own.includes(LABEL.exec(first)?.[0].toLowerCase() ?? '');
}

/** "Female:" and "Luteal phase" before the bounds. */
const LABEL = /\p{L}{3,}/u;

const startsName = ({ segments }: TextRow, { row }: LastResult): boolean =>
  segments.length > 1 &&
  Math.abs((segments[0]?.box.x0 ?? 0) - row.box.x0) < NEAR &&
  /^[\p{Lu}\d]/u.test(joinWords(segments[0]?.words ?? []));

/** Inserts rows below the last one; what stands below it moves down. */
function appendBelow(page: ReportPage, { last, rows }: ContinuedLines): ReportPage {
  const top = rows[0]?.box.y0 ?? 0;
  const by = last.box.y1 + 0.3 * last.fontSize - top;
  const height = Math.max(...rows.map(({ box }) => box.y1)) - top + 0.6 * last.fontSize;
  const shift = (word: ReportWord, distance: number): ReportWord => ({
    ...word,
    box: { ...word.box, y0: word.box.y0 + distance, y1: word.box.y1 + distance },
  });
  const stays = page.words.map((word) => (word.box.y0 >= last.box.y1 ? shift(word, height) : word));
  const added = rows
    .flatMap(({ words }) => words)
    .map((word) => ({ ...shift(word, by), page: last.page, isMoved: true as const }));
  return { ...page, words: [...stays, ...added] };
}
