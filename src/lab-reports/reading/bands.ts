import type { Atom } from './atoms.ts';
import { type Column, gapTo, nearest } from './columns.ts';
import { namesBloodGroup } from './lexicon/qualities.ts';
import { namesMethod } from './lexicon/methods.ts';
import { isShouted } from './plain.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { type Word, unite } from './word.ts';

/** A line with its pieces, which are known before their roles are. */
export interface CutRow {
  readonly row: Row;
  readonly atoms: readonly Atom[];
}

/**
 * Tables whose cells have several lines, set around the middle of their row: a value stands between two lines of its
 * name. White above and below tells which lines are one row of the table. The lines of the region, those of one row of
 * the table as one line, cell by cell; lines that nothing tells apart stay as they are.
 */
export function withBands(rows: readonly CutRow[], columns: readonly Column[]): Row[] {
  const findings = rows.map((row) => isFinding(row, columns));
  rows.forEach((_, index) => {
    if (!isBesideFinding(rows, index, columns)) return;
    // Neither half is a finding by itself.
    [findings[index - 1], findings[index], findings[index + 1]] = [false, true, false];
  });
  const labels = rows.map(({ atoms }) => atoms.find(({ said }) => said !== undefined));
  const wholes = rows.map(({ atoms }) => atoms.filter(isWhole));
  const bands = rows.flatMap((_, index) => {
    const band = findings[index]
      ? bandAround({ rows: rows.map(({ row }) => row), findings, labels, wholes, index })
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

interface Band {
  readonly from: number;
  readonly to: number;
  readonly merged: readonly Row[];
}

const overlaps = (one: Band, other: Band): boolean => one.from <= other.to && other.from <= one.to;

/** Whether a line has a value: a number in the column of values, or words there beside a name. */
const isFinding = ({ atoms }: CutRow, columns: readonly Column[]): boolean =>
  atoms.length < 12 &&
  atoms.some(({ kind, box, segment, text }) => {
    const isGroup = kind === 'flag' && /^(?:A|B|AB|O)$/.test(text) && namesBloodGroup(atoms[0]?.text ?? '');
    const isNumber = kind === 'number' || kind === 'compared' || kind === 'range';
    // "Raised (+)" is what was found, though its words are those of a flag.
    const isWord =
      segment > 0 &&
      (kind === 'quality' ||
        isGroup ||
        (kind === 'flag' && /^(?:[+]{2,4}|\p{L}{3,})/u.test(text)) ||
        (kind === 'text' && !/\p{L}-$/u.test(text)));
    const role = nearest(columns, box)?.role;
    // No unit is a number: what ends right before one, far behind the heading of its column, is a result.
    const isBeforeUnit = role === 'unit' && segment > 0 && (kind === 'number' || kind === 'quality');
    return isBeforeUnit || ((isNumber || isWord) && role === 'value');
  });

/** Whether a line has no value itself, but one over two lines, of which one stands a little higher and one lower. */
function isBesideFinding(rows: readonly CutRow[], index: number, columns: readonly Column[]): boolean {
  const own = rows[index];
  // Half of a value, and of what it was earlier: nothing of any other cell.
  const isOfValues = (row: CutRow | undefined) => {
    const roles = row?.row.segments.map(({ box }) => nearest(columns, box)?.role) ?? [];
    return roles.includes('value') && roles.every((role) => role === 'value' || role === 'previous');
  };
  const touches = (one: CutRow | undefined, other: CutRow | undefined) =>
    gapBetween(one?.row, other?.row) < 0;
  const [above, below] = [rows[index - 1], rows[index + 1]];
  return (
    own?.atoms[0] !== undefined &&
    nearest(columns, own.atoms[0].box)?.role === 'name' &&
    !isFinding(own, columns) &&
    isOfValues(above) &&
    isOfValues(below) &&
    touches(above, own) &&
    touches(own, below)
  );
}

/** In font sizes: lines of one cell stand closer than this, and cells further apart than their lines by that. */
const CLOSE = 0.6;
const APART = 0.3;

interface Around {
  readonly rows: readonly Row[];
  readonly findings: readonly boolean[];
  /** What in a line says what it holds: "Range: 70-99" is no line of a name. */
  readonly labels: readonly (Atom | undefined)[];
  /** Units and plain ranges: two in one column are of two results, though one of them may have no value. */
  readonly wholes: readonly (readonly Atom[])[];
  readonly index: number;
}

/** All lines that follow closely; where they are not told from others, those that stand beside each other. */
const bandAround = (around: Around): Band | undefined => bandWithin(around, CLOSE) ?? bandWithin(around, 0);

function bandWithin({ rows, findings, labels, wholes, index }: Around, limit: number): Band | undefined {
  const size = rows[index]?.fontSize ?? 0;
  const gap = (at: number): number => gapBetween(rows[at], rows[at + 1]) / (size || 1);
  let from = index;
  let to = index;
  const isHeading = (at: number): boolean => isSetApart(rows[at], rows[index]);
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
  // Headings stand above too; what is set around its middle has as much below.
  if (above.length > to - index || band.some((row) => row.words.length > 14)) return undefined;
  if (labels.slice(from, to + 1).some((label) => label && !isSmallMethod(label, size))) return undefined;
  const own = wholes[index] ?? [];
  if (wholes.slice(from, to + 1).some((others) => others.some((other) => isSecond(other, own))))
    return undefined;
  // A line below with but one cell may be anything; that it goes on, its words have to say.
  const isTold =
    from < index ||
    gaps.some((one) => one < 0) ||
    rows.slice(index + 1, to + 1).some(({ segments }) => segments.length > 1);
  if (!isTold) return undefined;
  const merged = merge(band, rows[index]);
  return merged && { from, to, merged };
}

const isWhole = ({ kind, segment, text }: Atom): boolean =>
  segment > 0 && (kind === 'unit' || (kind === 'range' && !/\p{L}/u.test(text)));

const isSecond = (other: Atom, own: readonly Atom[]): boolean =>
  own.some((one) => one !== other && one.kind === other.kind && gapTo(one.box, other.box) === 0);

const isSmallMethod = ({ said, words }: Atom, size: number): boolean =>
  said === 'method' && words.every(({ fontSize }) => fontSize < 0.9 * size);

/** Whether a line above is in larger print or another face than the name below it. */
function isSetApart(row: Row | undefined, middle: Row | undefined): boolean {
  const [own, name] = [row?.words[0], middle?.words[0]];
  if (own && name && isTitleOver(row, middle)) return true;
  if (!own || !name || row?.segments.length !== 1 || Math.abs(own.box.x0 - name.box.x0) > 20) return false;
  return own.fontSize > 1.05 * name.fontSize || (own.font !== name.font && own.fontSize >= name.fontSize);
}

/** "UREA   Method: ...", and below it, set in, "Urea": capitals above small letters are the heading of an examination. */
function isTitleOver(row: Row | undefined, middle: Row | undefined): boolean {
  const [title, name] = [row?.segments[0], middle?.segments[0]];
  return (
    title !== undefined &&
    name !== undefined &&
    isShouted(textOf(title.words)) &&
    /^\p{Lu}\p{Ll}{2}/u.test(name.words[0]?.text ?? '') &&
    name.box.x0 > title.box.x0 + SET_IN
  );
}

/** In points. */
const SET_IN = 3;

const gapBetween = (above: Row | undefined, below: Row | undefined): number =>
  above && below ? below.box.y0 - above.box.y1 : Number.POSITIVE_INFINITY;

interface Cell {
  x0: number;
  x1: number;
  readonly lines: Segment[];
}

/** The lines as one, their small print behind them; undefined where they are no cells. */
function merge(rows: readonly Row[], middle: Row | undefined): Row[] | undefined {
  const cells = cellsOf(rows);
  const isTable = rows.every(({ segments }) =>
    cells.every(({ lines }) => segments.filter((segment) => lines.includes(segment)).length < 2),
  );
  if (!middle || !isTable || cells.length < 2) return undefined;
  const small = (cells[0]?.lines ?? []).filter((line) => isSmall(line, middle) || isMethod(line));
  const segments = cells.flatMap(({ lines }) => {
    const printed = lines.filter((line) => !small.includes(line));
    return printed.length > 0 ? [segmentOf(printed)] : [];
  });
  return [rowOf(segments, middle), ...(small.length > 0 ? [rowOf([segmentOf(small)], middle)] : [])];
}

const isSmall = ({ words }: Segment, { fontSize }: Row): boolean =>
  words.every((word) => word.fontSize < 0.9 * fontSize);

/** "(CHOD-PAP)" in a line of its own below a name. */
const isMethod = ({ words }: Segment): boolean => {
  const text = textOf(words);
  return /^[([].*[)\]]$/.test(text) && namesMethod(text);
};

function cellsOf(rows: readonly Row[]): Cell[] {
  const cells: Cell[] = [];
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

function segmentOf(lines: readonly Segment[]): Segment {
  const words = lines.toSorted((a, b) => a.box.y0 - b.box.y0).flatMap((line) => line.words);
  return { words: joinHyphens(words), box: unite(lines.map(({ box }) => box)) };
}

/** "Non-" and "reactive" below it. */
function joinHyphens(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isBroken =
      before && /\p{L}-$/u.test(before.text) && /^\p{Ll}/u.test(word.text) && before.box.x0 > word.box.x0 - 1;
    if (isBroken && before.box.y1 < word.box.y1)
      joined[joined.length - 1] = {
        ...before,
        text: before.text + word.text,
        box: unite([before.box, word.box]),
      };
    else joined.push(word);
  }
  return joined;
}

const rowOf = (segments: readonly Segment[], { fontSize, page }: Row): Row => ({
  words: segments.flatMap(({ words }) => words),
  segments,
  box: unite(segments.map(({ box }) => box)),
  fontSize,
  page,
});
