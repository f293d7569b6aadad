import { type ReportColumn, findNearest } from './columns.ts';
import type { ResultDraft } from './result-draft.ts';
import { type Amount, findAmounts, isShareAndCount, UNKNOWN_COUNT } from './amount-pairs.ts';
import type { ParsedRow } from './regions.ts';
import { joinWords } from './rows.ts';
import { type RangeOwner, findRangeOwner } from './share-ranges.ts';
import { isSameQuantity } from './unit-systems.ts';

const ABSOLUTE = /\babs(?:\.|ol\p{L}*)?(?=[\s)\].]|$)|#$/iu;

/** Whether a table repeats its results in other units, each in its own column. */
function hasTwoValueColumns([first, second]: readonly Amount[], columns: readonly ReportColumn[]): boolean {
  const values = columns.filter(({ role }) => role === 'value');
  const [one, other] = [first, second].map((amount) => amount && findNearest(values, amount.value.box));
  return values.length === 2 && one !== undefined && other !== undefined && one !== other;
}

/**
 * Handles a row with two numbers. If the second repeats the first in another unit system, only the first counts. A
 * differential may print share and count of a cell in one row: "55,0 % 3.592 /mm3". If only the count has a range, the
 * count is the result; otherwise both are. With two ranges, each number has its own; a single range belongs to the
 * number it is plausible for, and if both are plausible, to the one next to it.
 */
export function addPairedAmounts(
  drafts: ResultDraft[],
  { atoms, parts, row }: ParsedRow,
  columns: readonly ReportColumn[],
): void {
  const draft = drafts.at(-1);
  const amounts = findAmounts(atoms.filter((atom) => !parts.name.includes(atom)));
  const { first, second, isUndecided } = assignRangeOwners(
    draft ? joinWords(draft.nameRows.flat()) : '',
    amounts,
  );
  if (!draft || !first || !second || amounts.length > 2) return;
  const [one, other] = [first.unit.text, second.unit.text];
  const isPair = isShareAndCount(first, second);
  if (!hasTwoValueColumns(amounts, columns) && (!isPair || parts.range.includes(second.value))) return;
  drafts.pop();
  // "Neutrophils Abs   52.1 %   3.55 x10^9/L": the share is not an absolute count, despite the name.
  if (isPair && ABSOLUTE.test(joinWords(draft.nameRows.flat()))) {
    drafts.push(toAmountDraft(draft, one === '%' ? second : first));
    return;
  }
  const count = isPair ? findRangedCount(first, second) : undefined;
  if (count) {
    const flag = [first, second].find((amount) => amount.flag.length > 0)?.flag ?? draft.flag;
    drafts.push({
      ...toAmountDraft(draft, count.flag.length > 0 ? count : { ...count, flag }),
      isAmbiguous: isUndecided,
    });
    return;
  }
  drafts.push({ ...toAmountDraft(draft, first), isAmbiguous: isPair ? isUndecided : draft.isAmbiguous });
  if (isSameQuantity(one, other)) return;
  drafts.push({
    ...toAmountDraft(draft, second),
    isAmbiguous: isPair ? isUndecided : draft.isAmbiguous,
    method: [],
    notes: [],
    lastRow: row,
  });
}

interface OwnedAmounts {
  readonly first: Amount | undefined;
  readonly second: Amount | undefined;
  /** The owner of the range cannot be determined. */
  readonly isUndecided: boolean;
}

/** A share and a count, each with the range that is plausible for it. */
function assignRangeOwners(name: string, [first, second]: readonly Amount[]): OwnedAmounts {
  if (!first || !second || !isShareAndCount(first, second)) return { first, second, isUndecided: false };
  const [share, count] = first.unit.text === '%' ? [first, second] : [second, first];
  const ranges = [...first.ranges, ...second.ranges];
  const unit = count.unit.text === UNKNOWN_COUNT ? undefined : count.unit.text;
  const owners = ranges.map(({ text }) => findRangeOwner(name, text, unit));
  const [owner, other] = owners;
  const own = (amount: Amount, wanted: RangeOwner): Amount => ({
    ...amount,
    ranges: ranges.filter((_, index) => owners[index] === wanted),
  });
  const isTold =
    ranges.length === 1 ? owner !== undefined : owners.length === 2 && owner && other && owner !== other;
  if (!isTold) return { first, second, isUndecided: ranges.length === 1 };
  const [ofShare, ofCount] = [own(share, 'share'), own(count, 'count')];
  return share === first
    ? { first: ofShare, second: ofCount, isUndecided: false }
    : { first: ofCount, second: ofShare, isUndecided: false };
}

/** The count, if it is the only one of the two with a range. */
function findRangedCount(first: Amount, second: Amount): Amount | undefined {
  const [share, count] = first.unit.text === '%' ? [first, second] : [second, first];
  return share.ranges.length === 0 && count.ranges.length > 0 ? count : undefined;
}

const toAmountDraft = (draft: ResultDraft, { value, unit, flag, ranges }: Amount): ResultDraft => ({
  ...draft,
  value: [value],
  unit: [unit],
  flag: [...flag],
  range: ranges.length > 0 ? [ranges.slice(0, 1)] : [],
});
