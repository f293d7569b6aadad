import type { Draft } from './drafts.ts';
import type { ParsedRow } from './regions.ts';

/** Cells for a volume. */
const COUNTS = /^(?:[x×]?\s?10|cel|c[ée]l|zellen|\/|g\/|k\/|thou|tsd|mil|gpt)/i;

/**
 * A differential may print the share and the count of a cell in one line: "55,0 % 3.592 /mm3". The count is a
 * result of its own. Of two ranges each has its own; a single one belongs to the count, which stands next to it.
 */
export function addAmount(drafts: Draft[], { atoms, parts, row }: ParsedRow): void {
  const share = drafts.at(-1);
  const [value] = parts.value;
  if (!share || !value || parts.unit.length !== 1 || parts.unit[0]?.text !== '%') return;
  const from = atoms.indexOf(value);
  const at = atoms.findIndex(
    (atom, index) =>
      index > from &&
      atom.kind === 'number' &&
      atoms[index + 1]?.kind === 'unit' &&
      atoms[index + 1]?.text !== '%',
  );
  const amount = atoms[at];
  const unit = atoms[at + 1];
  if (!amount || !unit || parts.range.includes(amount) || !COUNTS.test(unit.text)) return;
  const ranges = atoms.filter((atom) => atom.kind === 'range' || atom.kind === 'compared');
  const own = ranges.length > 1 ? ranges[1] : ranges.find(({ box }) => box.x0 > amount.box.x0);
  const kept = ranges.filter((range) => range !== own).slice(0, 1);
  share.range.splice(0, share.range.length, ...kept.map((range) => [range]));
  drafts.push({
    ...share,
    value: [amount],
    unit: [unit],
    flag: [],
    range: own ? [[own]] : [],
    method: [],
    notes: [],
    lastRow: row,
  });
}
