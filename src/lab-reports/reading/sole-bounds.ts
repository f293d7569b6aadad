import type { Role } from './assign.ts';
import type { Atom } from './atoms.ts';
import { type Column, gapTo } from './columns.ts';

/**
 * "Sickle hemoglobin   0.0   %   0.0": a number by itself below the heading of the ranges, and of nothing else, is what
 * is expected.
 */
export function takeSoleBound(
  parts: Record<Role, Atom[]>,
  atoms: readonly Atom[],
  columns: readonly Column[],
): void {
  const last = atoms.at(-1);
  const [value] = parts.value;
  const isLeft =
    last?.kind === 'number' && (parts.skip.includes(last) || parts.previous.includes(last)) && !last.said;
  if (!isLeft || !value || parts.range.length > 0 || parts.name.length === 0) return;
  const isAlone = atoms.filter(({ segment }) => segment === last.segment).length === 1;
  const below = columns.filter((column) => gapTo(column, last.box) === 0);
  const isBelow = below.length > 0 && below.every(({ role, isLearned }) => role === 'range' && !isLearned);
  if (!isAlone || !isBelow || value.box.x1 > last.box.x0) return;
  for (const role of ['skip', 'previous'] as const) parts[role] = parts[role].filter((atom) => atom !== last);
  parts.range = [last];
}
