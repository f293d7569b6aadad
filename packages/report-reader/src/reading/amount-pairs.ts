import type { FieldRole } from './assign-roles.ts';
import type { Atom } from './atoms.ts';

/** Cells per volume. */
const COUNTS = /^(?:[x×]?\s?10|cel|c[ée]l|zellen|\/|g\/|k\/|thou|tsd|mil|gpt)/i;

/** The unit of a cell count whose volume is not printed. */
export const UNKNOWN_COUNT = '/';

/** A number with its unit, flag and ranges, up to the next number. */
export interface Amount {
  readonly value: Atom;
  readonly unit: Atom;
  readonly flag: readonly Atom[];
  readonly ranges: readonly Atom[];
  /** "3 %   294 /mm3   0 - 5 %": the range is in percent, though the number before it is not. */
  readonly isRangeOfShare: boolean;
}

/** Whether a unit is a cell count per volume. */
export const isCountUnit = (unit: string): boolean => COUNTS.test(unit);

export const isShareAndCount = (
  { unit: { text: one } }: Amount,
  { unit: { text: other } }: Amount,
): boolean => (one === '%' && isCountUnit(other)) || (other === '%' && isCountUnit(one));

/** "Segmentados   52 %   2.236 /µL   40 a 70 %   1.500 a 7.000 /µL": share and count, then the ranges of both. */
export function takeAmountPair(parts: Record<FieldRole, Atom[]>, atoms: readonly Atom[]): void {
  const [name, ...others] = atoms;
  const amounts = findAmounts(others);
  const [first, second] = amounts;
  const isOfBoth = name?.kind === 'text' && first?.ranges.length === 1 && second?.ranges.length === 1;
  if (!isOfBoth || amounts.length > 2 || !isShareAndCount(first, second)) return;
  if (others.some(({ kind }) => !PAIR_KINDS.has(kind))) return;
  const own = [first.value, first.unit, ...first.flag, ...first.ranges];
  for (const role of Object.keys(parts) as FieldRole[]) parts[role] = [];
  parts.name.push(name);
  parts.value.push(first.value);
  parts.unit.push(first.unit);
  parts.flag.push(...first.flag);
  parts.range.push(...first.ranges);
  parts.previous.push(...others.filter((atom) => !own.includes(atom)));
}

const PAIR_KINDS: ReadonlySet<Atom['kind']> = new Set([
  'number',
  'unit',
  'range',
  'compared',
  'flag',
  'blank',
]);

/** Every number that is followed by a unit, in order. */
export function findAmounts(atoms: readonly Atom[]): readonly Amount[] {
  const starts = atoms.flatMap((atom, index) => (isAmountStart(atoms, index) ? [index] : []));
  return distributeRanges(
    starts.flatMap((start, number) => {
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
          isRangeOfShare: unit.text !== '%' && own.some((atom) => atom.kind === 'unit' && atom.text === '%'),
        },
      ];
    }),
  );
}

/** Two ranges after both amounts belong to them in order; one in percent belongs to the share. */
function distributeRanges(amounts: readonly Amount[]): readonly Amount[] {
  const [first, second] = amounts;
  if (
    first?.unit.text === '%' &&
    first.ranges.length === 0 &&
    second?.isRangeOfShare &&
    second.ranges.length === 1
  )
    return [{ ...first, ranges: second.ranges }, { ...second, ranges: [] }, ...amounts.slice(2)];
  if (first && second?.unit.text === '%' && first.ranges.length === 0 && second.ranges.every(isBeyondShare))
    return [{ ...first, ranges: second.ranges }, { ...second, ranges: [] }, ...amounts.slice(2)];
  if (!first || !second || first.ranges.length > 0 || second.ranges.length !== 2) return amounts;
  const others = amounts.slice(2);
  return [
    { ...first, ranges: second.ranges.slice(0, 1) },
    { ...second, ranges: second.ranges.slice(1) },
    ...others,
  ];
}

/** "4 161 /mm3   57 %   1 800 - 7 500": no share is above a hundred. */
const isBeyondShare = ({ text }: Atom): boolean =>
  (text.replaceAll(/(?<=\d)[ .,](?=\d{3}\b)/g, '').match(/\d+/g) ?? []).some((bound) => Number(bound) > 100);

function isAmountStart(atoms: readonly Atom[], index: number): boolean {
  const kind = atoms[index]?.kind;
  const next = atoms[index + 1];
  const after = next?.kind === 'flag' ? atoms[index + 2] : next;
  return kind === 'number' && after?.kind === 'unit';
}
