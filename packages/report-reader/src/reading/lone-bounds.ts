import type { FieldRole } from './assign-roles.ts';
import type { Atom } from './atoms.ts';
import { type ReportColumn, measureGapTo } from './columns.ts';

/** "Sickle hemoglobin   0.0   %   0.0": a lone number under the range heading, and no other, is the expected value. */
export function takeLoneBound(
  parts: Record<FieldRole, Atom[]>,
  atoms: readonly Atom[],
  columns: readonly ReportColumn[],
): void {
  const last = atoms.at(-1);
  const [value] = parts.value;
  const isLeft =
    last?.kind === 'number' &&
    (parts.skip.includes(last) || parts.previous.includes(last)) &&
    !last.labelRole;
  if (!isLeft || !value || parts.range.length > 0 || parts.name.length === 0) return;
  const isAlone = atoms.filter(({ segment }) => segment === last.segment).length === 1;
  const below = columns.filter((column) => measureGapTo(column, last.box) === 0);
  const isBelow = below.length > 0 && below.every(({ role, isLearned }) => role === 'range' && !isLearned);
  if (!isAlone || !isBelow || value.box.x1 > last.box.x0) return;
  for (const role of ['skip', 'previous'] as const) parts[role] = parts[role].filter((atom) => atom !== last);
  parts.range = [last];
}
