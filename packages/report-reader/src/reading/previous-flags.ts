import type { Atom } from './atoms.ts';
import type { FieldRole } from './assign-roles.ts';
import { findNearest, measureGapTo, type ReportColumn } from './columns.ts';

/** Leaves out the flag of a previous result: "↑ 110" and "110 H" below "Previous" say nothing about today's. */
export function dropPreviousFlags(
  parts: Record<FieldRole, Atom[]>,
  atoms: readonly Atom[],
  columns: readonly ReportColumn[],
): void {
  const earlier = parts.flag.filter((flag) => isOfPrevious(flag, { parts, atoms, columns }));
  parts.flag = parts.flag.filter((flag) => !earlier.includes(flag));
  parts.skip.push(...earlier);
}

interface FlagContext {
  readonly parts: Readonly<Record<FieldRole, readonly Atom[]>>;
  readonly atoms: readonly Atom[];
  readonly columns: readonly ReportColumn[];
}

function isOfPrevious(flag: Atom, { parts, atoms, columns }: FlagContext): boolean {
  const at = atoms.indexOf(flag);
  const beside = [atoms[at - 1], atoms[at + 1]].filter((atom) => atom?.segment === flag.segment);
  const isBeside = (some: readonly Atom[]): boolean =>
    beside.some((atom) => atom !== undefined && some.includes(atom));
  if (isBeside(parts.previous)) return !isBeside(parts.value);
  const column = findNearest(columns, flag.box);
  return column?.role === 'previous' && measureGapTo(column, flag.box) === 0;
}
