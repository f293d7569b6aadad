import type { Role } from './assign.ts';
import type { Atom } from './atoms.ts';

interface Line {
  readonly atoms: readonly Atom[];
  readonly parts: Readonly<Record<Role, readonly Atom[]>>;
}

interface Table {
  readonly rows: readonly Line[];
}

/** Fewer lines than this say nothing of the columns above them. */
const FEW = 3;

/**
 * The reading under headings that were guessed, unless results vanish under them: where more lines lose their number
 * than keep it, and a reading without those headings finds at least twice as many, that one counts.
 */
export function unlessLost<Read extends Table>(region: Read, without: () => Read): Read {
  const lost = region.rows.filter(losesNumber).length;
  const kept = countOf(region);
  if (lost < FEW || lost <= kept) return region;
  const other = without();
  return countOf(other) >= FEW + 2 * kept ? other : region;
}

/** A number beside a unit or a range is a result; here it is nothing, and no finding in words stands for it. */
const losesNumber = ({ atoms, parts }: Line): boolean =>
  !hasResult(parts) &&
  !(parts.name.length > 0 && parts.value.some(({ kind }) => kind === 'quality')) &&
  parts.previous.length === 0 &&
  parts.skip.some(({ kind }) => kind === 'number') &&
  atoms.some(({ kind }) => kind === 'unit' || kind === 'range');

const hasResult = ({ name, value }: Line['parts']): boolean =>
  name.length > 0 && value.some(({ kind }) => kind === 'number' || kind === 'compared');

const countOf = ({ rows }: Table): number => rows.filter(({ parts }) => hasResult(parts)).length;
