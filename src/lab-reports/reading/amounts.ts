import type { Atom } from './atoms.ts';
import { type Column, nearest } from './columns.ts';
import type { Draft } from './drafts.ts';
import type { ParsedRow } from './regions.ts';
import { isSameInOther } from './unit-systems.ts';

/** Cells for a volume. */
const COUNTS = /^(?:[x×]?\s?10|cel|c[ée]l|zellen|\/|g\/|k\/|thou|tsd|mil|gpt)/i;

/** A number with its unit, and what belongs to both, as far as the next number. */
interface Amount {
  readonly value: Atom;
  readonly unit: Atom;
  readonly flag: readonly Atom[];
  readonly ranges: readonly Atom[];
}

/** Where a table has the results once more in other units, each with a column of its own. */
function isTwoColumned([first, second]: readonly Amount[], columns: readonly Column[]): boolean {
  const values = columns.filter(({ role }) => role === 'value');
  const [one, other] = [first, second].map((amount) => amount && nearest(values, amount.value.box));
  return values.length === 2 && one !== undefined && other !== undefined && one !== other;
}

/**
 * What a line says with two numbers. Where the second is the first in the units of another system, the first counts.
 * A differential may print the share and the count of a cell in one line: "55,0 % 3.592 /mm3". The count is a
 * result of its own. Of two ranges each has its own; a single one belongs to the number that it stands next to.
 */
export function addAmount(
  drafts: Draft[],
  { atoms, parts, row }: ParsedRow,
  columns: readonly Column[],
): void {
  const draft = drafts.at(-1);
  const amounts = amountsIn(atoms.filter((atom) => !parts.name.includes(atom)));
  const [first, second] = amounts;
  if (!draft || !first || !second || amounts.length > 2) return;
  const [one, other] = [first.unit.text, second.unit.text];
  const isPair = (one === '%' && COUNTS.test(other)) || (other === '%' && COUNTS.test(one));
  if (!isTwoColumned(amounts, columns) && (!isPair || parts.range.includes(second.value))) return;
  drafts.pop();
  drafts.push(withAmount(draft, first));
  if (isSameInOther(one, other)) return;
  drafts.push({
    ...withAmount(draft, second),
    method: [],
    notes: [],
    lastRow: row,
  });
}

const withAmount = (draft: Draft, { value, unit, flag, ranges }: Amount): Draft => ({
  ...draft,
  value: [value],
  unit: [unit],
  flag: [...flag],
  range: ranges.length > 0 ? [ranges.slice(0, 1)] : [],
});

/** Every number that is followed by a unit, in their order. */
function amountsIn(atoms: readonly Atom[]): Amount[] {
  const starts = atoms.flatMap((atom, index) => (isStart(atoms, index) ? [index] : []));
  return starts.flatMap((start, number) => {
    const own = atoms.slice(start, starts[number + 1] ?? atoms.length);
    const unit = own.find((atom) => atom.kind === 'unit');
    const [value] = own;
    if (!value || !unit) return [];
    return [
      {
        value,
        unit,
        flag: own.filter((atom) => atom.kind === 'flag').slice(0, 1),
        ranges: own.filter((atom) => atom.kind === 'range' || (atom.kind === 'compared' && atom !== value)),
      },
    ];
  });
}

function isStart(atoms: readonly Atom[], index: number): boolean {
  const kind = atoms[index]?.kind;
  const next = atoms[index + 1];
  const after = next?.kind === 'flag' ? atoms[index + 2] : next;
  return kind === 'number' && after?.kind === 'unit';
}
