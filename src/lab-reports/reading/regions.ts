import { assign, type Role } from './assign.ts';
import { atomsOf, type Atom, type AtomKind } from './atoms.ts';
import { withBands } from './bands.ts';
import { withRange } from './bounds.ts';
import { gapTo, headerAt, type Column } from './columns.ts';
import { cutAtColumns } from './cut-at-columns.ts';
import { withNewest } from './date-columns.ts';
import type { Dating } from './dating.ts';
import { withFindingsAbove } from './findings-above.ts';
import { withHeadedUnits } from './headed-units.ts';
import { overNames } from './headings-over-names.ts';
import { learn } from './learn-columns.ts';
import { isMinus } from './lexicon/flags.ts';
import { seemEarlier, unlessLost } from './lost-results.ts';
import type { DecimalSign } from './numbers.ts';
import { takePair } from './pairs.ts';
import type { Row } from './rows.ts';
import { takePluses, takeSignBehind } from './sign-flags.ts';
import { takeSoleBound } from './sole-bounds.ts';
import { takeCounted, takeUnitOfColumn, takeUnitOfTime } from './sole-amounts.ts';
import type { Box } from './word.ts';
import { leaveExpected, takeWords } from './words-of-cell.ts';

/** A line with a role for each of its pieces. */
export interface ParsedRow {
  readonly row: Row;
  readonly atoms: readonly Atom[];
  readonly parts: Readonly<Record<Role, readonly Atom[]>>;
  readonly cost: number;
}

/** Lines below the same headings, or below none. */
export interface Region {
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
  readonly rows: readonly ParsedRow[];
}

interface RawRegion {
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
  /** The lines of its headings. */
  readonly head: readonly Row[];
  readonly rows: Row[];
}

export interface Known {
  readonly sign: DecimalSign;
  readonly dating: Dating;
  /** The columns of the page before. */
  readonly carried: readonly Column[];
}

/** Cuts the lines of a page at its headings and gives every piece of every line its role. */
export function regionsOf(rows: readonly Row[], { sign, dating, carried }: Known): Region[] {
  const raw: RawRegion[] = [{ columns: carried, hasHeader: carried.length > 0, head: [], rows: [] }];
  for (let index = 0; index < rows.length; index += 1) {
    const header = headerAt(rows, index);
    const row = rows[index];
    if (header) {
      const near = rows.slice(Math.max(0, index - 1), index + header.rows + 2);
      const head = rows.slice(index, index + header.rows);
      raw.push({ columns: withNewest(header.columns, { near, dating }), hasHeader: true, head, rows: [] });
      index += header.rows - 1;
    } else if (row) raw.at(-1)?.rows.push(row);
  }
  return shareColumns(
    raw.map((region) => readRegion({ ...region, columns: overNames(region.columns, region.rows) }, sign)),
  );
}

/** Tables of a page with the same headings teach each other nothing more; the last one's columns go on to the next page. */
const shareColumns = (regions: Region[]): Region[] =>
  regions.filter((region) => region.rows.length > 0 || region.hasHeader);

const ROWS_TO_LEARN_FROM = 40;

function readRegion(given: RawRegion, sign: DecimalSign): Region {
  const first = parseRegion(given, sign);
  const isOfDates = !given.columns.some(({ role, date }) => role === 'value' && date === undefined);
  const isMisled = isOfDates && seemEarlier(first);
  const raw = isMisled ? { ...given, columns: given.columns.map(asEarlier) } : given;
  const region = isMisled ? parseRegion(raw, sign) : first;
  const under = (columns: readonly Column[]) => () =>
    parseRegion({ ...raw, columns, hasHeader: columns.length > 0 }, sign);
  const withoutNames = raw.columns.filter(({ role }) => role !== 'name');
  const others = [
    ...(withoutNames.length < raw.columns.length ? [under(withoutNames)] : []),
    raw.columns.length > 0 ? under([]) : () => unlearned(region),
  ];
  return region.columns.length > 0 ? unlessLost(region, others) : region;
}

/** A date alone heads earlier results where those of this time have lost their heading. */
const asEarlier = (column: Column): Column =>
  column.role === 'value' ? { ...column, role: 'previous', isEarlier: true } : column;

/** The same lines, with nothing known of where their fields stand. */
const unlearned = ({ rows }: Region): Region => ({
  columns: [],
  hasHeader: false,
  rows: rows.map(({ row, atoms }) => parsed(row, atoms, [])),
});

function parseRegion({ columns, hasHeader, head, rows }: RawRegion, sign: DecimalSign): Region {
  const hasBounds = columns.some(({ bound }) => bound !== undefined);
  const cutUp = (row: Row) =>
    hasBounds ? withRange(atomsOf(row, sign, columns), columns) : atomsOf(row, sign, columns);
  const printed = rows.map((row) => cutAtColumns(row, columns)).map((row) => ({ row, atoms: cutUp(row) }));
  const lines = withFindingsAbove(printed, (row) => ({ row, atoms: cutUp(row) }));
  const atomsOfLine = new Map(lines.map(({ row, atoms }) => [row, atoms]));
  const whole = columns.length > 0 ? withBands(lines, columns) : lines.map(({ row }) => row);
  const cut = withHeadedUnits(
    whole.map((row) => ({ row, atoms: atomsOfLine.get(row) ?? cutUp(row) })),
    head,
  );
  const telling = cut
    .filter(({ atoms }) => atoms.length > 2 && atoms.length < 12)
    .slice(0, ROWS_TO_LEARN_FROM);
  const first = new Map(telling.map(({ row, atoms }) => [row, parsed(row, atoms, columns)]));
  const learned = learn(columns, placesOf([...first.values()]));
  const isSame = learned.every(({ x0, x1 }, index) => columns[index]?.x0 === x0 && columns[index].x1 === x1);
  const again = isSame && learned.length === columns.length ? first : undefined;
  return {
    columns: learned,
    hasHeader,
    rows: cut.map(({ row, atoms }) => again?.get(row) ?? parsed(row, atoms, learned)),
  };
}

/** More pieces than this has no line of a table, and no need of a deep look. */
const MOST_ATOMS = 26;

function parsed(row: Row, atoms: readonly Atom[], columns: readonly Column[]): ParsedRow {
  const parts: Record<Role, Atom[]> = {
    name: [],
    value: [],
    flag: [],
    unit: [],
    range: [],
    previous: [],
    skip: [],
  };
  if (atoms.length > MOST_ATOMS) return { row, atoms, parts: { ...parts, skip: [...atoms] }, cost: 99 };
  const { roles, cost } = assign(atoms, isRunning(atoms) ? [] : columns);
  atoms.forEach((atom, index) => {
    if (atom.kind !== 'label') parts[roles[index] ?? 'skip'].push(atom);
  });
  takeTail(parts, atoms);
  takeWords(parts, atoms);
  leaveExpected(parts);
  takeSignBehind(parts, atoms);
  takePluses(parts, atoms, columns);
  takeMinus(parts, columns);
  leaveWordsBeside(parts);
  leaveShare(parts);
  takeSoleBound(parts, atoms, columns);
  takeCounted(parts, atoms, columns);
  takeUnitOfColumn(parts, columns);
  takeUnitOfTime(parts);
  leaveUnitOfOther(parts, atoms);
  takePair(parts, atoms);
  return { row, atoms, parts, cost };
}

/** "Negative   500 ng/mL": the unit is of the cutoff, which is no result, and words have none. */
function leaveUnitOfOther(parts: Record<Role, Atom[]>, atoms: readonly Atom[]): void {
  const [unit] = parts.unit;
  const before = unit && atoms[atoms.indexOf(unit) - 1];
  const isInWords = parts.value.some(({ kind }) => kind === 'quality' || kind === 'text');
  const isOfOther =
    before?.segment === unit?.segment &&
    before !== undefined &&
    (parts.skip.includes(before) || parts.previous.includes(before)) &&
    (before.kind === 'number' || before.kind === 'compared');
  if (isInWords && isOfOther) move(parts, parts.unit, 'skip');
}

const OF_RANGE: ReadonlySet<AtomKind> = new Set([
  'text',
  'quality',
  'flag',
  'range',
  'compared',
  'threshold',
]);
const BOUNDED: ReadonlySet<AtomKind> = new Set(['range', 'compared', 'threshold']);

/**
 * What stands behind a range, with no gap between, is more of it where it has more bounds or ends its bracket, however
 * narrow the column is. So is its unit. Without a range the bound of the method stands for one.
 */
function takeTail(parts: Record<Role, Atom[]>, atoms: readonly Atom[]): void {
  const last = parts.range.at(-1);
  const behind = last
    ? atoms.slice(atoms.indexOf(last) + 1).filter(({ segment }) => segment === last.segment)
    : atoms.filter(({ kind }) => kind === 'threshold');
  const isFree = behind.every(
    (atom) => OF_RANGE.has(atom.kind) && (parts.skip.includes(atom) || parts.flag.includes(atom)),
  );
  const isMore = behind.some(({ kind }) => BOUNDED.has(kind)) || closes(last, behind.at(-1));
  if (isFree && isMore) move(parts, behind, 'range');
  const unit = parts.skip.find(
    ({ kind, segment }) => kind === 'unit' && segment > 0 && segment === last?.segment,
  );
  if (unit && parts.unit.length === 0) move(parts, [unit], 'unit');
  const [own] = parts.unit;
  const isInWords = parts.value.some(({ kind }) => kind === 'text');
  // Words have no unit: it is of the range.
  if (isInWords && last && own?.segment === last.segment && own.box.x0 > last.box.x0)
    move(parts, [own], 'range');
}

/** "0-150 (70-150" and "borderline)" */
const closes = (open: Atom | undefined, end: Atom | undefined): boolean =>
  open !== undefined && /\([^)]*$/.test(open.text) && end !== undefined && end.text.endsWith(')');

/** In font sizes: further from a range that is a word, other words are of something else, a drawing perhaps. */
const FAR = 4;

/** "absent          Alb a1 a2": the words of a drawing beside the table are no more of the range. */
function leaveWordsBeside(parts: Record<Role, Atom[]>): void {
  const [word, other] = parts.range;
  const isFar =
    word?.kind === 'quality' &&
    other?.kind === 'text' &&
    other.box.x0 - word.box.x1 > FAR * (other.words[0]?.fontSize ?? 0);
  if (!isFar) return;
  parts.skip.push(...parts.range.slice(1));
  parts.range = [word];
}

/** "[2.00 - 7.00] (54.9 %)": what share of all cells was found is no range, though it stands in the cell of one. */
function leaveShare(parts: Record<Role, Atom[]>): void {
  const share = parts.range.at(-1);
  const isShare = share?.kind === 'text' && /^\(\d{1,3}(?:[.,]\d+)?\s?%\)$/u.test(share.text);
  if (!isShare || parts.range.length < 2) return;
  parts.range = parts.range.slice(0, -1);
  parts.skip.push(share);
}

/** A minus in the column of the flags, where nothing else stands, is one; finish says whether it can be meant. */
function takeMinus(parts: Record<Role, Atom[]>, columns: readonly Column[]): void {
  const flags = columns.filter(({ role }) => role === 'flag');
  const minus = parts.skip.find(
    ({ text, box }) => isMinus(text) && flags.some((column) => gapTo(column, box) === 0),
  );
  if (minus && parts.flag.length === 0 && parts.value[0]?.kind === 'number') move(parts, [minus], 'flag');
}

function move(parts: Record<Role, Atom[]>, atoms: readonly Atom[], role: Role): void {
  for (const other of ['skip', 'flag', 'unit'] as const)
    parts[other] = parts[other].filter((atom) => !atoms.includes(atom));
  parts[role].push(...atoms);
}

/** "Sodium: 140 mmol/L (136 - 145)" and "Dengue IgM: not detected" stand in no columns, though there may be some around. */
export function isRunning(given: readonly Atom[]): boolean {
  const atoms = given.slice(wordsBeforeLabel(given));
  const [label, value] = atoms;
  if (label?.kind !== 'text' || !label.text.endsWith(':') || !value) return false;
  const isNear = value.box.x0 - label.box.x1 < 1.5 * (label.words[0]?.fontSize ?? 0);
  if (atoms.length === 2) return value.kind === 'quality' && isNear;
  return (
    value.kind === 'number' &&
    atoms.every(({ segment, kind }) => segment === label.segment || kind === 'blank')
  );
}

/** "Hepatitis B" of "Hepatitis B surface antigen: negative", where B might be a flag elsewhere. */
function wordsBeforeLabel(atoms: readonly Atom[]): number {
  const label = atoms.findIndex(({ kind, text }) => kind === 'text' && text.endsWith(':'));
  const before = atoms.slice(0, Math.max(0, label));
  const isOfName = before.every(
    ({ kind, segment }) => segment === atoms[label]?.segment && (kind === 'text' || kind === 'flag'),
  );
  return isOfName ? before.length : 0;
}

/** Where the fields of the clear lines stand. */
function placesOf(rows: readonly ParsedRow[]): Map<Role & Column['role'], Box[]> {
  const places = new Map<Role & Column['role'], Box[]>();
  for (const { parts, atoms, cost } of rows) {
    const [value] = parts.value;
    const isClear =
      cost < 3.2 && parts.name.length > 0 && value && (parts.unit.length > 0 || parts.range.length > 0);
    if (!isClear || atoms.some((atom) => atom.said !== undefined)) continue;
    for (const role of ['name', 'value', 'flag', 'unit', 'range', 'previous'] as const) {
      for (const atom of parts[role]) places.set(role, [...(places.get(role) ?? []), atom.box]);
    }
  }
  return places;
}
