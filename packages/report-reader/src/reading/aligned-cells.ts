import type { Atom } from './atoms.ts';
import { measureGapTo } from './columns.ts';
import type { ParsedRow } from './regions.ts';
import type { RegionContext } from './reading-state.ts';

/** In points: alignment tolerance for cells of one column. */
const ALIGNED = 1.5;
/** A text value needs at least this many numeric rows that it aligns with. */
const LEAST = 2;

/**
 * "Genotype VHC   3a": a text value counts as a table cell if it stands under the value heading, aligns with the
 * numbers of its table, has a name that aligns with the other names, and nothing else is in the row.
 */
export function isInTableCells(
  { parts, atoms, row }: ParsedRow,
  { region, columns }: RegionContext,
): boolean {
  const [value] = parts.value;
  const name = parts.name[0];
  const isOnlyCell =
    value !== undefined &&
    (value.kind === 'text' || isPair(value)) &&
    name !== undefined &&
    name === atoms[0] &&
    row.segments.length === 2 &&
    parts.value.every(({ segment }) => segment === 1) &&
    atoms.every((atom) => parts.name.includes(atom) || parts.value.includes(atom));
  if (!isOnlyCell || !region.hasHeader) return false;
  const own = columns.filter(
    ({ role, x0, x1 }) => role === 'value' && measureGapTo({ x0, x1 }, value.box) === 0,
  );
  const [x0, x1] = [value.box.x0, parts.value.at(-1)?.box.x1 ?? value.box.x1];
  const isAtHeading = own.some((column) => Math.abs(column.x0 - x0) < 2 * ALIGNED);
  const inLine = region.rows.filter(
    (other) =>
      isAmount(other) &&
      Math.abs((other.parts.name[0]?.box.x0 ?? 0) - name.box.x0) < ALIGNED &&
      (isAtHeading ||
        other.parts.value.some(
          ({ box }) => Math.abs(box.x0 - x0) < ALIGNED || Math.abs(box.x1 - x1) < ALIGNED,
        )),
  );
  return own.length > 0 && inLine.length >= LEAST;
}

const isAmount = ({ parts }: ParsedRow): boolean =>
  parts.value[0]?.kind === 'number' && parts.unit.length + parts.range.length > 0;

/** "Genotype   AS": two letters that are not a flag. */
const isPair = ({ kind, text }: Atom): boolean => kind === 'flag' && /^(?!HH|LL)\p{Lu}{2}$/u.test(text);
