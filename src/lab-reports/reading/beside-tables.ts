import { type Column, headerAt } from './columns.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { type Row, type Segment, textOf } from './rows.ts';

/** Two tables beside each other, and where the second one begins. */
export interface Beside {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
  /** Where the names and findings stand of the first and of the second one. */
  readonly columns: readonly (readonly Column[])[];
}

/** In points: how exactly things stand in a line. */
const ALIGNED = 3;
/** Fewer names under each other may be remarks, or methods. */
const LEAST_NAMES = 4;
const LEAST_RESULTS_BEFORE = 3;
/** Of the names, how many must be of what laboratories measure. */
const LEAST_KNOWN = 0.6;
/** And how many must be others: colour and pH are of urine and of stool. */
const LEAST_DIFFERENT = 0.7;
/** Of the lines, how many may reach from one table into the other, as remarks do. */
const MOST_CROSSING = 0.2;
/** In font sizes: the widest gap between the lines of one table. */
const MOST_GAP = 2.6;

/**
 * A table without headings beside one that may have some: names under each other, most of them once, with what was
 * found behind them, and results of the other table before them.
 */
export function tableBeside(rows: readonly Row[]): Beside | undefined {
  const names = rows.flatMap(namesWithin);
  const tried: number[] = [];
  for (const { x } of names) {
    if (tried.some((other) => Math.abs(other - x) < ALIGNED)) continue;
    tried.push(x);
    const aligned = names.filter((name) => Math.abs(name.x - x) < ALIGNED);
    if (isTable(aligned)) return areaOf(rows, aligned);
  }
  return undefined;
}

interface Name {
  readonly x: number;
  readonly own: Segment;
  readonly finding: Segment;
  readonly row: Row;
  readonly text: string;
  /** The name and finding before it in its line, where there is a result. */
  readonly before: readonly [name: Segment, finding: Segment] | undefined;
}

/** What may be names of a second table: words behind others, with a finding behind them. */
const namesWithin = (row: Row): Name[] =>
  row.segments.flatMap((segment, index) => {
    const behind = row.segments[index + 1];
    const text = textOf(segment.words);
    const isName = /^\p{L}/u.test(text) && qualityOf(text) === undefined;
    if (!isName || !behind || !startsWithFinding(behind)) return [];
    return [{ x: segment.box.x0, own: segment, finding: behind, row, text, before: resultIn(row, index) }];
  });

function resultIn({ segments }: Row, end: number): readonly [Segment, Segment] | undefined {
  const [name] = segments;
  const finding = segments.slice(1, end).find(startsWithFinding);
  return name && finding ? [name, finding] : undefined;
}

const startsWithFinding = ({ words }: Segment): boolean =>
  /^[<>≤≥]?=?\d[\d.,]*$/u.test(words[0]?.text ?? '') || qualityOf(textOf(words)) !== undefined;

function isTable(names: readonly Name[]): boolean {
  const known = names.filter(({ text }) => namesAnalyte(text)).length;
  return (
    names.length >= LEAST_NAMES &&
    new Set(names.map(({ text }) => text)).size >= LEAST_DIFFERENT * names.length &&
    names.filter(({ before }) => before).length >= LEAST_RESULTS_BEFORE &&
    known >= LEAST_KNOWN * names.length
  );
}

/** From the headings above both tables as far down as they stand beside each other. */
function areaOf(rows: readonly Row[], names: readonly Name[]): Beside | undefined {
  const [first, last] = [names[0], names.at(-1)];
  if (!first || !last) return undefined;
  const { x } = first;
  const [from, to] = [rows.indexOf(first.row), rows.indexOf(last.row)];
  const crossing = rows.slice(from, to + 1).filter((row) => crosses(row, x));
  if (crossing.length > MOST_CROSSING * names.length) return undefined;
  let top = from;
  while (isOfTables(rows[top - 1], x) && isNear(rows[top - 1], rows[top])) top -= 1;
  const end = rows.findIndex((row, index) => index > to && (crosses(row, x) || isAcross(rows, index, x)));
  return {
    top: (rows[top]?.box.y0 ?? 0) - 1,
    bottom: end < 0 ? Number.POSITIVE_INFINITY : (rows[end]?.box.y0 ?? 0) - 1,
    cuts: [x - ALIGNED],
    columns: [
      columnsOf(names.flatMap(({ before }) => (before ? [before] : []))),
      columnsOf(names.map(({ own, finding }) => [own, finding])),
    ],
  };
}

const columnsOf = (results: readonly (readonly [Segment, Segment])[]): Column[] => [
  { role: 'name', ...placeOf(results.map(([name]) => name)) },
  { role: 'value', ...placeOf(results.map(([, finding]) => finding)) },
];

const placeOf = (segments: readonly Segment[]): { x0: number; x1: number } => ({
  x0: Math.min(...segments.map(({ box }) => box.x0)),
  x1: Math.max(...segments.map(({ box }) => box.x1)),
});

const crosses = ({ segments }: Row, x: number): boolean =>
  segments.some(({ box }) => box.x0 < x - ALIGNED && box.x1 > x + ALIGNED);

/** Titles, headings and further lines of the tables; the head of the page has labels. */
const isOfTables = (row: Row | undefined, x: number): boolean =>
  row !== undefined && !crosses(row, x) && row.words.every(({ text }) => !text.endsWith(':'));

const isNear = (above: Row | undefined, below: Row | undefined): boolean =>
  above !== undefined && below !== undefined && below.box.y0 - above.box.y1 <= MOST_GAP * above.fontSize;

/** Headings below that reach across both. */
function isAcross(rows: readonly Row[], index: number, x: number): boolean {
  const columns = headerAt(rows, index)?.columns ?? [];
  return columns.some(({ x1 }) => x1 < x) && columns.some(({ x0 }) => x0 > x - ALIGNED);
}
