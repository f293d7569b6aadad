import type { Role } from './assign.ts';
import type { Atom } from './atoms.ts';

interface Line {
  readonly atoms: readonly Atom[];
  readonly parts: Readonly<Record<Role, readonly Atom[]>>;
}

interface Table {
  readonly columns: readonly { readonly role: string }[];
  readonly rows: readonly Line[];
}

/** Fewer lines than this say nothing of the columns above them. */
const FEW = 3;

/**
 * The reading under headings that were guessed, unless results vanish under them: where more lines lose their number
 * or their name than keep both, and another reading, with fewer of those headings, finds at least twice as many, the
 * first such one counts. A table of a line or two that keeps none has at least to find again what it lost, and a line
 * with name, number, unit and range leaves no doubt that it is a result.
 */
export function unlessLost<Read extends Table>(region: Read, others: readonly (() => Read)[]): Read {
  const hasPrevious = region.columns.some(({ role }) => role === 'previous');
  const losing = region.rows.filter((row) => losesNumber(row, hasPrevious) || losesName(row));
  const [lost, kept] = [losing.length, countOf(region)];
  const isSmall = kept === 0 && lost > 0 && lost < FEW && losing.every(isWhole);
  if ((lost < FEW && !isSmall) || lost <= kept) return region;
  for (const read of others) {
    const other = read();
    if (countOf(other) >= (isSmall ? lost : FEW + 2 * kept)) return other;
  }
  return region;
}

const isWhole = ({ atoms }: Line): boolean =>
  atoms[0]?.kind === 'text' &&
  (['number', 'unit', 'range'] as const).every((wanted) => atoms.some(({ kind }) => kind === wanted));

/**
 * A number beside a unit or a range is a result; here it is nothing, or an earlier one where no column has those, and
 * no finding in words stands for it.
 */
const losesNumber = ({ atoms, parts }: Line, hasPrevious: boolean): boolean =>
  !hasResult(parts) &&
  !(parts.name.length > 0 && parts.value.some(({ kind }) => kind === 'quality')) &&
  !(hasPrevious && parts.previous.length > 0) &&
  [...parts.skip, ...parts.previous].some(({ kind }) => kind === 'number') &&
  atoms.some(isTelling);

/** Words before a number with a unit or a range are its name; here they are nothing. */
const losesName = ({ atoms, parts }: Line): boolean =>
  parts.name.every(({ kind }) => kind !== 'text') &&
  parts.value.some(({ kind, box }) => isAmount(kind) && (atoms[0]?.box.x1 ?? 0) < box.x0) &&
  atoms[0]?.kind === 'text' &&
  parts.skip.includes(atoms[0]) &&
  atoms.some(isTelling);

const isTelling = ({ kind }: Atom): boolean => kind === 'unit' || kind === 'range';
const isAmount = (kind: Atom['kind']): boolean => kind === 'number' || kind === 'compared';

const hasResult = ({ name, value }: Line['parts']): boolean =>
  name.some(({ kind }) => kind === 'text' || kind === 'unit' || kind === 'quality') &&
  value.some(({ kind }) => isAmount(kind));

const countOf = ({ rows }: Pick<Table, 'rows'>): number =>
  rows.filter(({ parts }) => hasResult(parts)).length;

/** Whether most lines have a number with its unit before the one that was taken, as where that is an earlier result. */
export const seemEarlier = ({ rows }: Table): boolean => {
  const passing = rows.filter(passesMeasured).length;
  return passing >= FEW && 2 * passing > countOf({ rows });
};

/** "104   mg/dL   74 - 106   99" of which 99 was taken. */
export function passesMeasured({ atoms, parts }: Line): boolean {
  const [value] = parts.value;
  const [unit] = parts.unit;
  if (value?.kind !== 'number' || value.said !== undefined || !unit || unit.box.x0 > value.box.x0)
    return false;
  const before = atoms.slice(0, atoms.indexOf(unit)).findLast(({ kind }) => kind !== 'flag');
  return before?.kind === 'number' && !parts.name.includes(before);
}
