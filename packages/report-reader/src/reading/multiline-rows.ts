import type { Atom } from './atoms.ts';
import { type ReportColumn, measureGapTo, findNearest } from './columns.ts';
import { isBloodGroupName } from './lexicon/qualitative-results.ts';
import { isMethodName } from './lexicon/methods.ts';
import { isAllCaps } from './text-normalization.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { type ReportWord, uniteBoxes } from './report-model.ts';

/** A row with its atoms, before roles are assigned. */
export interface TokenizedRow {
  readonly row: TextRow;
  readonly atoms: readonly Atom[];
}

/**
 * Merges table rows whose cells have several lines, centered vertically: a value may stand between two lines of its
 * name. White space above and below separates the table rows. Returns the rows of the region with the lines of one
 * table row merged cell by cell; rows that cannot be separated stay as they are.
 */
export function mergeMultilineRows(
  rows: readonly TokenizedRow[],
  columns: readonly ReportColumn[],
): TextRow[] {
  const findings = rows.map((row) => isFinding(row, columns));
  rows.forEach((_, index) => {
    if (!isNextToSplitFinding(rows, index, columns)) return;
    // Neither half is a result on its own.
    [findings[index - 1], findings[index], findings[index + 1]] = [false, true, false];
  });
  const labels = rows.map(({ atoms }) => atoms.find(({ labelRole }) => labelRole !== undefined));
  const wholes = rows.map(({ atoms }) => atoms.filter(isUnitOrRange));
  const bands = rows.flatMap((_, index) => {
    const band = findings[index]
      ? findBand({ rows: rows.map(({ row }) => row), findings, labels, wholes, index })
      : undefined;
    return band ? [band] : [];
  });
  const free = bands.filter((band) => !bands.some((other) => other !== band && overlaps(band, other)));
  return rows.flatMap(({ row }, index) => {
    const band = free.find(({ from, to }) => from <= index && index <= to);
    if (!band) return [row];
    return index === band.from ? band.merged : [];
  });
}

interface RowBand {
  readonly from: number;
  readonly to: number;
  readonly merged: readonly TextRow[];
}

const overlaps = (one: RowBand, other: RowBand): boolean => one.from <= other.to && other.from <= one.to;

/** Whether a row has a value: a number in the value column, or words there after a name. */
const isFinding = ({ atoms }: TokenizedRow, columns: readonly ReportColumn[]): boolean =>
  atoms.length < 12 &&
  atoms.some(({ kind, box, segment, text }) => {
    const isGroup = kind === 'flag' && /^(?:A|B|AB|O)$/.test(text) && isBloodGroupName(atoms[0]?.text ?? '');
    const isNumber = kind === 'number' || kind === 'compared' || kind === 'range';
    // "Raised (+)" is a finding, though its words are those of a flag.
    const isWord =
      segment > 0 &&
      (kind === 'quality' ||
        isGroup ||
        (kind === 'flag' && /^(?:[+]{2,4}|\p{L}{3,})/u.test(text)) ||
        (kind === 'text' && !/\p{L}-$/u.test(text)));
    const role = findNearest(columns, box)?.role;
    // A number is not a unit: right before one, far from the heading of its column, it is a result.
    const isBeforeUnit = role === 'unit' && segment > 0 && (kind === 'number' || kind === 'quality');
    return isBeforeUnit || ((isNumber || isWord) && role === 'value');
  });

/** Whether the row has only a name, and its value is split into one line slightly above and one slightly below. */
function isNextToSplitFinding(
  rows: readonly TokenizedRow[],
  index: number,
  columns: readonly ReportColumn[],
): boolean {
  const own = rows[index];
  // Half of a current or previous value, and no other cell.
  const isOfValues = (row: TokenizedRow | undefined) => {
    const roles = row?.row.segments.map(({ box }) => findNearest(columns, box)?.role) ?? [];
    return roles.includes('value') && roles.every((role) => role === 'value' || role === 'previous');
  };
  const touches = (one: TokenizedRow | undefined, other: TokenizedRow | undefined) =>
    gapBetween(one?.row, other?.row) < 0;
  const [above, below] = [rows[index - 1], rows[index + 1]];
  return (
    own?.atoms[0] !== undefined &&
    findNearest(columns, own.atoms[0].box)?.role === 'name' &&
    !isFinding(own, columns) &&
    isOfValues(above) &&
    isOfValues(below) &&
    touches(above, own) &&
    touches(own, below)
  );
}

/** In font sizes: the largest gap between lines of one cell, and how much wider the gap between cells must be. */
const CLOSE = 0.6;
const APART = 0.3;

interface BandContext {
  readonly rows: readonly TextRow[];
  readonly findings: readonly boolean[];
  /** Labels such as "Range: 70-99" are not lines of a name. */
  readonly labels: readonly (Atom | undefined)[];
  /** Units and plain ranges: two in one column belong to two results, even if one of them has no value. */
  readonly wholes: readonly (readonly Atom[])[];
  readonly index: number;
}

/** First all closely following lines; if they cannot be separated, only those that overlap vertically. */
const findBand = (around: BandContext): RowBand | undefined =>
  findBandWithin(around, CLOSE) ?? findBandWithin(around, 0);

function findBandWithin(
  { rows, findings, labels, wholes, index }: BandContext,
  limit: number,
): RowBand | undefined {
  const size = rows[index]?.fontSize ?? 0;
  const gap = (at: number): number => gapBetween(rows[at], rows[at + 1]) / (size || 1);
  let from = index;
  let to = index;
  const isHeading = (at: number): boolean => isHeadingAbove(rows[at], rows[index]);
  while (gap(from - 1) < limit && !findings[from - 1] && !isHeading(from - 1)) from -= 1;
  while (gap(to) < limit && !findings[to + 1]) to += 1;
  if (from === to) return undefined;
  const gaps = Array.from({ length: to - from }, (_, step) => gap(from + step));
  const apart = Math.max(...gaps) + APART;
  if ((gap(from - 1) < apart && !isHeading(from - 1)) || gap(to) < apart) return undefined;
  const band = rows.slice(from, to + 1);
  const above = gaps
    .slice(0, index - from)
    .filter((one, step) => one > 0 && rows[from + step]?.segments.length === 1);
  // Headings stand above too; a vertically centered cell has as many lines below as above.
  if (above.length > to - index || band.some((row) => row.words.length > 14)) return undefined;
  if (labels.slice(from, to + 1).some((label) => label && !isSmallMethod(label, size))) return undefined;
  const own = wholes[index] ?? [];
  if (wholes.slice(from, to + 1).some((others) => others.some((other) => isOfSecondResult(other, own))))
    return undefined;
  // A row below with only one cell may be anything; its words must show that it continues this one.
  const isTold =
    from < index ||
    gaps.some((one) => one < 0) ||
    rows.slice(index + 1, to + 1).some(({ segments }) => segments.length > 1);
  if (!isTold) return undefined;
  const merged = mergeRows(band, rows[index]);
  return merged && { from, to, merged };
}

const isUnitOrRange = ({ kind, segment, text }: Atom): boolean =>
  segment > 0 && (kind === 'unit' || (kind === 'range' && !/\p{L}/u.test(text)));

const isOfSecondResult = (other: Atom, own: readonly Atom[]): boolean =>
  own.some((one) => one !== other && one.kind === other.kind && measureGapTo(one.box, other.box) === 0);

const isSmallMethod = ({ labelRole, words }: Atom, size: number): boolean =>
  labelRole === 'method' && words.every(({ fontSize }) => fontSize < 0.9 * size);

/** Whether a row above is in larger print or another font than the name below it. */
function isHeadingAbove(row: TextRow | undefined, middle: TextRow | undefined): boolean {
  const [own, name] = [row?.words[0], middle?.words[0]];
  if (own && name && isTitleAbove(row, middle)) return true;
  if (!own || !name || row?.segments.length !== 1 || Math.abs(own.box.x0 - name.box.x0) > 20) return false;
  return own.fontSize > 1.05 * name.fontSize || (own.font !== name.font && own.fontSize >= name.fontSize);
}

/** "UREA   Method: ..." with an indented "Urea" below: capitals above lower case are a test title. */
function isTitleAbove(row: TextRow | undefined, middle: TextRow | undefined): boolean {
  const [title, name] = [row?.segments[0], middle?.segments[0]];
  return (
    title !== undefined &&
    name !== undefined &&
    isAllCaps(joinWords(title.words)) &&
    /^\p{Lu}\p{Ll}{2}/u.test(name.words[0]?.text ?? '') &&
    name.box.x0 > title.box.x0 + INDENT
  );
}

/** In points. */
const INDENT = 3;

const gapBetween = (above: TextRow | undefined, below: TextRow | undefined): number =>
  above && below ? below.box.y0 - above.box.y1 : Number.POSITIVE_INFINITY;

interface BandCell {
  x0: number;
  x1: number;
  readonly lines: RowSegment[];
}

/** Merges the lines into one row, with small print in a second row; undefined if they are not cells of a table. */
function mergeRows(rows: readonly TextRow[], middle: TextRow | undefined): TextRow[] | undefined {
  const cells = groupIntoCells(rows);
  const isTable = rows.every(({ segments }) =>
    cells.every(({ lines }) => segments.filter((segment) => lines.includes(segment)).length < 2),
  );
  if (!middle || !isTable || cells.length < 2) return undefined;
  const small = (cells[0]?.lines ?? []).filter((line) => isSmall(line, middle) || isMethod(line));
  const segments = cells.flatMap(({ lines }) => {
    const printed = lines.filter((line) => !small.includes(line));
    return printed.length > 0 ? [buildSegment(printed)] : [];
  });
  return [buildRow(segments, middle), ...(small.length > 0 ? [buildRow([buildSegment(small)], middle)] : [])];
}

const isSmall = ({ words }: RowSegment, { fontSize }: TextRow): boolean =>
  words.every((word) => word.fontSize < 0.9 * fontSize);

/** "(CHOD-PAP)" in a line of its own below a name. */
const isMethod = ({ words }: RowSegment): boolean => {
  const text = joinWords(words);
  return /^[([].*[)\]]$/.test(text) && isMethodName(text);
};

function groupIntoCells(rows: readonly TextRow[]): BandCell[] {
  const cells: BandCell[] = [];
  for (const segment of rows.flatMap(({ segments }) => segments)) {
    const touched = cells.filter(({ x0, x1 }) => x0 < segment.box.x1 && segment.box.x0 < x1);
    const [first = { x0: segment.box.x0, x1: segment.box.x1, lines: [] }, ...others] = touched;
    first.lines.push(segment, ...others.flatMap(({ lines }) => lines));
    first.x0 = Math.min(first.x0, segment.box.x0, ...others.map(({ x0 }) => x0));
    first.x1 = Math.max(first.x1, segment.box.x1, ...others.map(({ x1 }) => x1));
    for (const other of others) cells.splice(cells.indexOf(other), 1);
    if (!cells.includes(first)) cells.push(first);
  }
  return cells.toSorted((a, b) => a.x0 - b.x0);
}

function buildSegment(lines: readonly RowSegment[]): RowSegment {
  const words = lines.toSorted((a, b) => a.box.y0 - b.box.y0).flatMap((line) => line.words);
  return { words: joinHyphens(words), box: uniteBoxes(lines.map(({ box }) => box)) };
}

/** "Non-" with "reactive" below it. */
function joinHyphens(words: readonly ReportWord[]): ReportWord[] {
  const joined: ReportWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isBroken =
      before && /\p{L}-$/u.test(before.text) && /^\p{Ll}/u.test(word.text) && before.box.x0 > word.box.x0 - 1;
    if (isBroken && before.box.y1 < word.box.y1)
      joined[joined.length - 1] = {
        ...before,
        text: before.text + word.text,
        box: uniteBoxes([before.box, word.box]),
      };
    else joined.push(word);
  }
  return joined;
}

const buildRow = (segments: readonly RowSegment[], { fontSize, page }: TextRow): TextRow => ({
  words: segments.flatMap(({ words }) => words),
  segments,
  box: uniteBoxes(segments.map(({ box }) => box)),
  fontSize,
  page,
});
