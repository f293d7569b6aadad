import type { FieldRole } from './assign-roles.ts';
import type { Atom } from './atoms.ts';

interface LossCheckRow {
  readonly atoms: readonly Atom[];
  readonly parts: Readonly<Record<FieldRole, readonly Atom[]>>;
}

interface LossCheckTable {
  readonly columns: readonly { readonly role: string }[];
  readonly rows: readonly LossCheckRow[];
}

/** Fewer rows prove nothing about the columns above them. */
const LEAST_LINES = 3;

/**
 * Chooses between the reading under the detected headings and alternative ones. The first alternative that finds at
 * least twice as many results wins if more rows lose their number or name under the headings than keep both. A table of
 * one or two rows that keeps none only needs to recover what it lost; there each row must have name, number, unit and
 * range.
 */
export function chooseReading<Read extends LossCheckTable>(
  region: Read,
  others: readonly (() => Read)[],
): Read {
  const hasPrevious = region.columns.some(({ role }) => role === 'previous');
  const losing = region.rows.filter((row) => hasLostNumber(row, hasPrevious) || hasLostName(row));
  const [lost, kept] = [losing.length, countResults(region)];
  const isSmall = kept === 0 && lost > 0 && lost < LEAST_LINES && losing.every(isWhole);
  if ((lost < LEAST_LINES && !isSmall) || lost <= kept) return region;
  for (const read of others) {
    const other = read();
    if (countResults(other) >= (isSmall ? lost : LEAST_LINES + 2 * kept)) return other;
  }
  return region;
}

const isWhole = ({ atoms }: LossCheckRow): boolean =>
  atoms[0]?.kind === 'text' &&
  (['number', 'unit', 'range'] as const).every((wanted) => atoms.some(({ kind }) => kind === wanted));

/**
 * A number next to a unit or range is a result. Here it is skipped, or assigned to previous results without such a
 * column, and no finding in words replaces it.
 */
const hasLostNumber = ({ atoms, parts }: LossCheckRow, hasPrevious: boolean): boolean =>
  !hasResult(parts) &&
  !(parts.name.length > 0 && parts.value.some(({ kind }) => kind === 'quality')) &&
  !(hasPrevious && parts.previous.length > 0) &&
  [...parts.skip, ...parts.previous].some(({ kind }) => kind === 'number') &&
  atoms.some(isUnitOrRange);

/** Text before a number with a unit or range is its name; here it is skipped. */
const hasLostName = ({ atoms, parts }: LossCheckRow): boolean =>
  parts.name.every(({ kind }) => kind !== 'text') &&
  parts.value.some(({ kind, box }) => isAmount(kind) && (atoms[0]?.box.x1 ?? 0) < box.x0) &&
  atoms[0]?.kind === 'text' &&
  parts.skip.includes(atoms[0]) &&
  atoms.some(isUnitOrRange);

const isUnitOrRange = ({ kind }: Atom): boolean => kind === 'unit' || kind === 'range';
const isAmount = (kind: Atom['kind']): boolean => kind === 'number' || kind === 'compared';

const hasResult = ({ name, value }: LossCheckRow['parts']): boolean =>
  name.some(({ kind }) => kind === 'text' || kind === 'unit' || kind === 'quality') &&
  value.some(({ kind }) => isAmount(kind));

const countResults = ({ rows }: Pick<LossCheckTable, 'rows'>): number =>
  rows.filter(({ parts }) => hasResult(parts)).length;

/** Whether most rows have a number with its unit before the chosen value: that one may be a previous result. */
export const areEarlierResults = ({ rows }: LossCheckTable): boolean => {
  const passing = rows.filter(hasSkippedMeasurement).length;
  return passing >= LEAST_LINES && 2 * passing > countResults({ rows });
};

/** "104   mg/dL   74 - 106   99" of which 99 was chosen. */
export function hasSkippedMeasurement({ atoms, parts }: LossCheckRow): boolean {
  const [value] = parts.value;
  const [unit] = parts.unit;
  if (value?.kind !== 'number' || value.labelRole !== undefined || !unit || unit.box.x0 > value.box.x0)
    return false;
  const before = atoms.slice(0, atoms.indexOf(unit)).findLast(({ kind }) => kind !== 'flag');
  return before?.kind === 'number' && !parts.name.includes(before);
}
