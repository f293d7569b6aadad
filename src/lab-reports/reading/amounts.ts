import { type Column, nearest } from './columns.ts';
import type { Draft } from './drafts.ts';
import { type Amount, amountsIn, isShareAndCount, UNKNOWN_COUNT } from './pairs.ts';
import type { ParsedRow } from './regions.ts';
import { textOf } from './rows.ts';
import { type Owner, ownerOf } from './share-ranges.ts';
import { isSameInOther } from './unit-systems.ts';

const ABSOLUTE = /\babs(?:\.|ol\p{L}*)?(?=[\s)\].]|$)|#$/iu;

/** Where a table has the results once more in other units, each with a column of its own. */
function isTwoColumned([first, second]: readonly Amount[], columns: readonly Column[]): boolean {
  const values = columns.filter(({ role }) => role === 'value');
  const [one, other] = [first, second].map((amount) => amount && nearest(values, amount.value.box));
  return values.length === 2 && one !== undefined && other !== undefined && one !== other;
}

/**
 * What a line says with two numbers. Where the second is the first in the units of another system, the first counts.
 * A differential may print the share and the count of a cell in one line: "55,0 % 3.592 /mm3". Where the count alone
 * has a range, it is the result, and the share says the same once more; else both are. Of two ranges each has its own;
 * a single one belongs to the number that it can be of, and where it can be of both to the one that it stands next to.
 */
export function addAmount(
  drafts: Draft[],
  { atoms, parts, row }: ParsedRow,
  columns: readonly Column[],
): void {
  const draft = drafts.at(-1);
  const amounts = amountsIn(atoms.filter((atom) => !parts.name.includes(atom)));
  const { first, second, isOpen } = withOwners(draft ? textOf(draft.nameRows.flat()) : '', amounts);
  if (!draft || !first || !second || amounts.length > 2) return;
  const [one, other] = [first.unit.text, second.unit.text];
  const isPair = isShareAndCount(first, second);
  if (!isTwoColumned(amounts, columns) && (!isPair || parts.range.includes(second.value))) return;
  drafts.pop();
  // "Neutrophils Abs   52.1 %   3.55 x10^9/L": the share is no absolute count, though it stands under that name.
  if (isPair && ABSOLUTE.test(textOf(draft.nameRows.flat()))) {
    drafts.push(withAmount(draft, one === '%' ? second : first));
    return;
  }
  const count = isPair ? countOf(first, second) : undefined;
  if (count) {
    const flag = [first, second].find((amount) => amount.flag.length > 0)?.flag ?? draft.flag;
    drafts.push({ ...withAmount(draft, count.flag.length > 0 ? count : { ...count, flag }), isCut: isOpen });
    return;
  }
  drafts.push({ ...withAmount(draft, first), isCut: isPair ? isOpen : draft.isCut });
  if (isSameInOther(one, other)) return;
  drafts.push({
    ...withAmount(draft, second),
    isCut: isPair ? isOpen : draft.isCut,
    method: [],
    notes: [],
    lastRow: row,
  });
}

interface Owned {
  readonly first: Amount | undefined;
  readonly second: Amount | undefined;
  /** Nobody can tell whose the range is. */
  readonly isOpen: boolean;
}

/** A share and a count, each with the range that it can have. */
function withOwners(name: string, [first, second]: readonly Amount[]): Owned {
  if (!first || !second || !isShareAndCount(first, second)) return { first, second, isOpen: false };
  const [share, count] = first.unit.text === '%' ? [first, second] : [second, first];
  const ranges = [...first.ranges, ...second.ranges];
  const unit = count.unit.text === UNKNOWN_COUNT ? undefined : count.unit.text;
  const owners = ranges.map(({ text }) => ownerOf(name, text, unit));
  const [owner, other] = owners;
  const own = (amount: Amount, wanted: Owner): Amount => ({
    ...amount,
    ranges: ranges.filter((_, index) => owners[index] === wanted),
  });
  const isTold =
    ranges.length === 1 ? owner !== undefined : owners.length === 2 && owner && other && owner !== other;
  if (!isTold) return { first, second, isOpen: ranges.length === 1 };
  const [ofShare, ofCount] = [own(share, 'share'), own(count, 'count')];
  return share === first
    ? { first: ofShare, second: ofCount, isOpen: false }
    : { first: ofCount, second: ofShare, isOpen: false };
}

/** The count of a cell that alone has a range. */
function countOf(first: Amount, second: Amount): Amount | undefined {
  const [share, count] = first.unit.text === '%' ? [first, second] : [second, first];
  return share.ranges.length === 0 && count.ranges.length > 0 ? count : undefined;
}

const withAmount = (draft: Draft, { value, unit, flag, ranges }: Amount): Draft => ({
  ...draft,
  value: [value],
  unit: [unit],
  flag: [...flag],
  range: ranges.length > 0 ? [ranges.slice(0, 1)] : [],
});
