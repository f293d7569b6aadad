import { isRunningText } from './running-text.ts';
import { assignRoles, type FieldRole } from './assign-roles.ts';
import { tokenizeRow, type Atom, type AtomKind } from './atoms.ts';
import { mergeMultilineRows } from './multiline-rows.ts';
import { mergeBoundColumns } from './bound-columns.ts';
import { measureGapTo, findHeaderAt, type ReportColumn } from './columns.ts';
import { splitAtColumns } from './split-at-columns.ts';
import { withNewestColumn } from './date-columns.ts';
import type { ReportDateContext } from './date-context.ts';
import { splitJoinedResults } from './joined-results.ts';
import { withJoinedFindings } from './split-findings.ts';
import { withHeadingUnits } from './heading-units.ts';
import { withNameHeading } from './name-headings.ts';
import { learnColumns } from './learn-columns.ts';
import { isMinus } from './lexicon/flags.ts';
import { areEarlierResults, chooseReading } from './lost-results.ts';
import type { DecimalSign } from './numbers.ts';
import { takeAmountPair } from './amount-pairs.ts';
import { dropPreviousFlags } from './previous-flags.ts';
import type { TextRow } from './rows.ts';
import { takePlusFinding, takeTrailingSign } from './sign-flags.ts';
import { takeLoneBound } from './lone-bounds.ts';
import { takeMicroscopyCount, takeColumnUnit, takeTimeUnit } from './lone-amounts.ts';
import type { BoundingBox } from './report-model.ts';
import { takeExpectedFinding, takeWordedValue } from './worded-values.ts';

/** A row with a role for each of its atoms. */
export interface ParsedRow {
  readonly row: TextRow;
  readonly atoms: readonly Atom[];
  readonly parts: Readonly<Record<FieldRole, readonly Atom[]>>;
  readonly cost: number;
}

/** Rows below the same headings, or below none. */
export interface TableRegion {
  readonly columns: readonly ReportColumn[];
  readonly hasHeader: boolean;
  readonly rows: readonly ParsedRow[];
}

interface RawRegion {
  readonly columns: readonly ReportColumn[];
  readonly hasHeader: boolean;
  /** The heading rows. */
  readonly head: readonly TextRow[];
  readonly rows: TextRow[];
}

interface RegionOptions {
  readonly sign: DecimalSign;
  readonly dating: ReportDateContext;
  /** The columns of the previous page. */
  readonly carried: readonly ReportColumn[];
}

/** Splits the rows of a page at table headings and assigns a role to every atom. */
export function parseRegions(
  rows: readonly TextRow[],
  { sign, dating, carried }: RegionOptions,
): TableRegion[] {
  const raw: RawRegion[] = [{ columns: carried, hasHeader: carried.length > 0, head: [], rows: [] }];
  for (let index = 0; index < rows.length; index += 1) {
    const header = findHeaderAt(rows, index);
    const row = rows[index];
    if (header) {
      const near = rows.slice(Math.max(0, index - 1), index + header.rows + 2);
      const head = rows.slice(index, index + header.rows);
      raw.push({
        columns: withNewestColumn(header.columns, { near, dating }),
        hasHeader: true,
        head,
        rows: [],
      });
      index += header.rows - 1;
    } else if (row) raw.at(-1)?.rows.push(row);
  }
  return withoutEmptyRegions(
    raw.map((region) =>
      parseBestRegion({ ...region, columns: withNameHeading(region.columns, region.rows) }, sign),
    ),
  );
}

/** Drops empty regions; the columns of the last one carry over to the next page. */
const withoutEmptyRegions = (regions: TableRegion[]): TableRegion[] =>
  regions.filter((region) => region.rows.length > 0 || region.hasHeader);

const ROWS_TO_LEARN_FROM = 40;

function parseBestRegion(given: RawRegion, sign: DecimalSign): TableRegion {
  const first = parseRegion(given, sign);
  const isOfDates = !given.columns.some(({ role, date }) => role === 'value' && date === undefined);
  const isMisled = isOfDates && areEarlierResults(first);
  const raw = isMisled ? { ...given, columns: given.columns.map(toPreviousColumn) } : given;
  const region = isMisled ? parseRegion(raw, sign) : first;
  const under = (columns: readonly ReportColumn[]) => () =>
    parseRegion({ ...raw, columns, hasHeader: columns.length > 0 }, sign);
  const withoutNames = raw.columns.filter(({ role }) => role !== 'name');
  const others = [
    ...(withoutNames.length < raw.columns.length ? [under(withoutNames)] : []),
    raw.columns.length > 0 ? under([]) : () => withoutColumns(region),
  ];
  return region.columns.length > 0 ? chooseReading(region, others) : region;
}

/** A single date heads previous results if the current ones have lost their heading. */
const toPreviousColumn = (column: ReportColumn): ReportColumn =>
  column.role === 'value' ? { ...column, role: 'previous', isEarlier: true } : column;

/** The same rows without known columns. */
const withoutColumns = ({ rows }: TableRegion): TableRegion => ({
  columns: [],
  hasHeader: false,
  rows: rows.map(({ row, atoms }) => parseRow(row, atoms, [])),
});

function parseRegion({ columns, hasHeader, head, rows }: RawRegion, sign: DecimalSign): TableRegion {
  const hasBounds = columns.some(({ bound }) => bound !== undefined);
  const cutUp = (row: TextRow) =>
    hasBounds ? mergeBoundColumns(tokenizeRow(row, sign, columns), columns) : tokenizeRow(row, sign, columns);
  const printed = rows
    .map((row) => splitAtColumns(row, columns))
    .map((row) => ({ row, atoms: cutUp(row) }))
    .flatMap((line) => splitJoinedResults(line, cutUp) ?? [line]);
  const lines = withJoinedFindings(printed, (row) => ({ row, atoms: cutUp(row) }));
  const atomsOfLine = new Map(lines.map(({ row, atoms }) => [row, atoms]));
  const whole = columns.length > 0 ? mergeMultilineRows(lines, columns) : lines.map(({ row }) => row);
  const cut = withHeadingUnits(
    whole.map((row) => ({ row, atoms: atomsOfLine.get(row) ?? cutUp(row) })),
    head,
  );
  const telling = cut
    .filter(({ atoms }) => atoms.length > 2 && atoms.length < 12)
    .slice(0, ROWS_TO_LEARN_FROM);
  const first = new Map(telling.map(({ row, atoms }) => [row, parseRow(row, atoms, columns)]));
  const learned = learnColumns(columns, collectFieldBoxes([...first.values()]));
  const isSame = learned.every(({ x0, x1 }, index) => columns[index]?.x0 === x0 && columns[index].x1 === x1);
  const again = isSame && learned.length === columns.length ? first : undefined;
  return {
    columns: learned,
    hasHeader,
    rows: cut.map(({ row, atoms }) => again?.get(row) ?? parseRow(row, atoms, learned)),
  };
}

/** A row with more atoms is not a table row and is not analyzed. */
const MOST_ATOMS = 26;

function parseRow(row: TextRow, atoms: readonly Atom[], columns: readonly ReportColumn[]): ParsedRow {
  const parts: Record<FieldRole, Atom[]> = {
    name: [],
    value: [],
    flag: [],
    unit: [],
    range: [],
    previous: [],
    skip: [],
  };
  if (atoms.length > MOST_ATOMS) return { row, atoms, parts: { ...parts, skip: [...atoms] }, cost: 99 };
  const { roles, cost } = assignRoles(atoms, isRunningText(atoms) ? [] : columns);
  atoms.forEach((atom, index) => {
    if (atom.kind !== 'label') parts[roles[index] ?? 'skip'].push(atom);
  });
  dropPreviousFlags(parts, atoms, columns);
  takeRangeTail(parts, atoms);
  takeWordedValue(parts, atoms);
  takeExpectedFinding(parts);
  takeTrailingSign(parts, atoms);
  takePlusFinding(parts, atoms, columns);
  takeMinusFlag(parts, columns);
  dropDistantWords(parts);
  dropShare(parts);
  takeLoneBound(parts, atoms, columns);
  takeMicroscopyCount(parts, atoms, columns);
  takeColumnUnit(parts, columns);
  takeTimeUnit(parts);
  dropUnitOfCutoff(parts, atoms);
  takeAmountPair(parts, atoms);
  return { row, atoms, parts, cost };
}

/** "Negative   500 ng/mL": the unit belongs to the cutoff, which is not a result; text has no unit. */
function dropUnitOfCutoff(parts: Record<FieldRole, Atom[]>, atoms: readonly Atom[]): void {
  const [unit] = parts.unit;
  const before = unit && atoms[atoms.indexOf(unit) - 1];
  const isInWords = parts.value.some(({ kind }) => kind === 'quality' || kind === 'text');
  const isOfOther =
    before?.segment === unit?.segment &&
    before !== undefined &&
    (parts.skip.includes(before) || parts.previous.includes(before)) &&
    (before.kind === 'number' || before.kind === 'compared');
  if (isInWords && isOfOther) moveAtoms(parts, parts.unit, 'skip');
}

const RANGE_KINDS: ReadonlySet<AtomKind> = new Set([
  'text',
  'quality',
  'flag',
  'range',
  'compared',
  'threshold',
]);
const BOUND_KINDS: ReadonlySet<AtomKind> = new Set(['range', 'compared', 'threshold']);

/**
 * Takes atoms right after a range, without a gap, that have more bounds or close its bracket; also its unit. Without a
 * range, the cutoff of the method takes its place.
 */
function takeRangeTail(parts: Record<FieldRole, Atom[]>, atoms: readonly Atom[]): void {
  const last = parts.range.at(-1);
  const behind = last
    ? atoms.slice(atoms.indexOf(last) + 1).filter(({ segment }) => segment === last.segment)
    : atoms.filter(({ kind }) => kind === 'threshold');
  const isFree = behind.every(
    (atom) => RANGE_KINDS.has(atom.kind) && (parts.skip.includes(atom) || parts.flag.includes(atom)),
  );
  const isMore = behind.some(({ kind }) => BOUND_KINDS.has(kind)) || isClosingBracket(last, behind.at(-1));
  if (isFree && isMore) moveAtoms(parts, behind, 'range');
  const unit = parts.skip.find(
    ({ kind, segment }) => kind === 'unit' && segment > 0 && segment === last?.segment,
  );
  if (unit && parts.unit.length === 0) moveAtoms(parts, [unit], 'unit');
  const [own] = parts.unit;
  const isInWords = parts.value.some(({ kind }) => kind === 'text');
  // Text has no unit: the unit belongs to the range.
  if (isInWords && last && own?.segment === last.segment && own.box.x0 > last.box.x0)
    moveAtoms(parts, [own], 'range');
}

/** "0-150 (70-150" and "borderline)" */
const isClosingBracket = (open: Atom | undefined, end: Atom | undefined): boolean =>
  open !== undefined && /\([^)]*$/.test(open.text) && end !== undefined && end.text.endsWith(')');

/** In font sizes: words further from a range in words belong to something else, such as a drawing. */
const DISTANT = 4;

/** "absent          Alb a1 a2": labels of a drawing next to the table are not part of the range. */
function dropDistantWords(parts: Record<FieldRole, Atom[]>): void {
  const [word, other] = parts.range;
  const isFar =
    word?.kind === 'quality' &&
    other?.kind === 'text' &&
    other.box.x0 - word.box.x1 > DISTANT * (other.words[0]?.fontSize ?? 0);
  if (!isFar) return;
  parts.skip.push(...parts.range.slice(1));
  parts.range = [word];
}

/** "[2.00 - 7.00] (54.9 %)": the share of all cells is not a range, though it is in the range cell. */
function dropShare(parts: Record<FieldRole, Atom[]>): void {
  const share = parts.range.at(-1);
  const isShare = share?.kind === 'text' && /^\(\d{1,3}(?:[.,]\d+)?\s?%\)$/u.test(share.text);
  if (!isShare || parts.range.length < 2) return;
  parts.range = parts.range.slice(0, -1);
  parts.skip.push(share);
}

/** A lone minus in the flag column is a flag; finishResult decides whether it is meant as one. */
function takeMinusFlag(parts: Record<FieldRole, Atom[]>, columns: readonly ReportColumn[]): void {
  const flags = columns.filter(({ role }) => role === 'flag');
  const minus = parts.skip.find(
    ({ text, box }) => isMinus(text) && flags.some((column) => measureGapTo(column, box) === 0),
  );
  if (minus && parts.flag.length === 0 && parts.value[0]?.kind === 'number')
    moveAtoms(parts, [minus], 'flag');
}

function moveAtoms(parts: Record<FieldRole, Atom[]>, atoms: readonly Atom[], role: FieldRole): void {
  for (const other of ['skip', 'flag', 'unit'] as const)
    parts[other] = parts[other].filter((atom) => !atoms.includes(atom));
  parts[role].push(...atoms);
}

/** The boxes of the fields in unambiguous rows, by role. */
function collectFieldBoxes(rows: readonly ParsedRow[]): Map<FieldRole & ReportColumn['role'], BoundingBox[]> {
  const places = new Map<FieldRole & ReportColumn['role'], BoundingBox[]>();
  for (const { parts, atoms, cost } of rows) {
    const [value] = parts.value;
    const isClear =
      cost < 3.2 && parts.name.length > 0 && value && (parts.unit.length > 0 || parts.range.length > 0);
    if (!isClear || atoms.some((atom) => atom.labelRole !== undefined)) continue;
    for (const role of ['name', 'value', 'flag', 'unit', 'range', 'previous'] as const) {
      for (const atom of parts[role]) places.set(role, [...(places.get(role) ?? []), atom.box]);
    }
  }
  return places;
}
