import { assign, type Role } from './assign.ts';
import { atomsOf, type Atom } from './atoms.ts';
import { headerAt, learn, type Column } from './columns.ts';
import type { DecimalSign } from './numbers.ts';
import type { Row } from './rows.ts';
import type { Box } from './word.ts';

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
  readonly rows: Row[];
}

/** Cuts the lines of a page at its headings and gives every piece of every line its role. */
export function regionsOf(rows: readonly Row[], sign: DecimalSign, carried: readonly Column[]): Region[] {
  const raw: RawRegion[] = [{ columns: carried, hasHeader: carried.length > 0, rows: [] }];
  for (let index = 0; index < rows.length; index += 1) {
    const header = headerAt(rows, index);
    const row = rows[index];
    if (header) {
      raw.push({ columns: header.columns, hasHeader: true, rows: [] });
      index += header.rows - 1;
    } else if (row) raw.at(-1)?.rows.push(row);
  }
  return shareColumns(raw.map((region) => parseRegion(region, sign)));
}

/** Tables of a page with the same headings teach each other nothing more; the last one's columns go on to the next page. */
const shareColumns = (regions: Region[]): Region[] =>
  regions.filter((region) => region.rows.length > 0 || region.hasHeader);

const ROWS_TO_LEARN_FROM = 40;

function parseRegion({ columns, hasHeader, rows }: RawRegion, sign: DecimalSign): Region {
  const cut = rows.map((row) => ({ row, atoms: atomsOf(row, sign) }));
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
  return { row, atoms, parts, cost };
}

/** "Sodium: 140 mmol/L (136 - 145)" stands in no columns, though there may be some around it. */
const isRunning = (atoms: readonly Atom[]): boolean =>
  atoms.length > 2 &&
  atoms[0]?.kind === 'text' &&
  atoms[0].text.endsWith(':') &&
  atoms[1]?.kind === 'number' &&
  atoms.every(({ segment, kind }) => segment === atoms[0]?.segment || kind === 'blank');

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
