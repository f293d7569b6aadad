import { type ReportColumn, findHeaderAt } from './columns.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';

/** Two tables next to each other, and where the second one begins. */
interface AdjacentTables {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
  /** The name and value columns of the first and of the second table. */
  readonly columns: readonly (readonly ReportColumn[])[];
}

/** In points: alignment tolerance. */
const ALIGNED = 3;
/** Fewer aligned names may be remarks or methods. */
const LEAST_NAMES = 4;
const LEAST_RESULTS_BEFORE = 3;
/** Minimum share of names with an analyte word. */
const LEAST_KNOWN = 0.6;
/** Minimum share of distinct names: color and pH are measured in urine and in stool. */
const LEAST_DIFFERENT = 0.7;
/** Maximum share of lines that cross from one table into the other, as remarks do. */
const MOST_CROSSING = 0.2;
/** In font sizes: the widest gap between lines of one table. */
const MOST_GAP = 2.6;

/**
 * Finds a table without headings to the right of another one: aligned, mostly distinct names, each followed by a value,
 * with results of the other table before them.
 */
export function findAdjacentTables(rows: readonly TextRow[]): AdjacentTables | undefined {
  const names = rows.flatMap(findNames);
  const tried: number[] = [];
  for (const { x } of names) {
    if (tried.some((other) => Math.abs(other - x) < ALIGNED)) continue;
    tried.push(x);
    const aligned = names.filter((name) => Math.abs(name.x - x) < ALIGNED);
    if (isTable(aligned)) return findTableArea(rows, aligned);
  }
  return undefined;
}

interface AdjacentTableName {
  readonly x: number;
  readonly own: RowSegment;
  readonly finding: RowSegment;
  readonly row: TextRow;
  readonly text: string;
  /** Name and value of the result before it in the row, if there is one. */
  readonly before: readonly [name: RowSegment, finding: RowSegment] | undefined;
}

/** Candidates for names of a second table: text followed by a value. */
const findNames = (row: TextRow): AdjacentTableName[] =>
  row.segments.flatMap((segment, index) => {
    const behind = row.segments[index + 1];
    const text = joinWords(segment.words);
    const isName = /^\p{L}/u.test(text) && parseQualitative(text) === undefined;
    if (!isName || !behind || !startsWithFinding(behind)) return [];
    return [{ x: segment.box.x0, own: segment, finding: behind, row, text, before: resultIn(row, index) }];
  });

function resultIn({ segments }: TextRow, end: number): readonly [RowSegment, RowSegment] | undefined {
  const [name] = segments;
  const finding = segments.slice(1, end).find(startsWithFinding);
  return name && finding ? [name, finding] : undefined;
}

const startsWithFinding = ({ words }: RowSegment): boolean =>
  /^[<>≤≥]?=?\d[\d.,]*$/u.test(words[0]?.text ?? '') || parseQualitative(joinWords(words)) !== undefined;

function isTable(names: readonly AdjacentTableName[]): boolean {
  const known = names.filter(({ text }) => hasAnalyteWord(text)).length;
  return (
    names.length >= LEAST_NAMES &&
    new Set(names.map(({ text }) => text)).size >= LEAST_DIFFERENT * names.length &&
    names.filter(({ before }) => before).length >= LEAST_RESULTS_BEFORE &&
    known >= LEAST_KNOWN * names.length
  );
}

/** The area from the headings above both tables down to the last line that they share. */
function findTableArea(
  rows: readonly TextRow[],
  names: readonly AdjacentTableName[],
): AdjacentTables | undefined {
  const [first, last] = [names[0], names.at(-1)];
  if (!first || !last) return undefined;
  const { x } = first;
  const [from, to] = [rows.indexOf(first.row), rows.indexOf(last.row)];
  const crossing = rows.slice(from, to + 1).filter((row) => crosses(row, x));
  if (crossing.length > MOST_CROSSING * names.length) return undefined;
  let top = from;
  while (isTableLine(rows[top - 1], x) && isNear(rows[top - 1], rows[top])) top -= 1;
  const end = rows.findIndex(
    (row, index) => index > to && (crosses(row, x) || hasSpanningHeadings(rows, index, x)),
  );
  return {
    top: (rows[top]?.box.y0 ?? 0) - 1,
    bottom: end < 0 ? Number.POSITIVE_INFINITY : (rows[end]?.box.y0 ?? 0) - 1,
    cuts: [x - ALIGNED],
    columns: [
      buildColumns(names.flatMap(({ before }) => (before ? [before] : []))),
      buildColumns(names.map(({ own, finding }) => [own, finding])),
    ],
  };
}

const buildColumns = (results: readonly (readonly [RowSegment, RowSegment])[]): ReportColumn[] => [
  { role: 'name', ...findExtent(results.map(([name]) => name)) },
  { role: 'value', ...findExtent(results.map(([, finding]) => finding)) },
];

const findExtent = (segments: readonly RowSegment[]): { x0: number; x1: number } => ({
  x0: Math.min(...segments.map(({ box }) => box.x0)),
  x1: Math.max(...segments.map(({ box }) => box.x1)),
});

const crosses = ({ segments }: TextRow, x: number): boolean =>
  segments.some(({ box }) => box.x0 < x - ALIGNED && box.x1 > x + ALIGNED);

/** Titles, headings and further lines of the tables; lines of the report header have labels. */
const isTableLine = (row: TextRow | undefined, x: number): boolean =>
  row !== undefined && !crosses(row, x) && row.words.every(({ text }) => !text.endsWith(':'));

const isNear = (above: TextRow | undefined, below: TextRow | undefined): boolean =>
  above !== undefined && below !== undefined && below.box.y0 - above.box.y1 <= MOST_GAP * above.fontSize;

/** Headings below that span both tables. */
function hasSpanningHeadings(rows: readonly TextRow[], index: number, x: number): boolean {
  const columns = findHeaderAt(rows, index)?.columns ?? [];
  return columns.some(({ x1 }) => x1 < x) && columns.some(({ x0 }) => x0 > x - ALIGNED);
}
