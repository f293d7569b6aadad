import type { Atom } from './atoms.ts';
import { measureGapAbove, isUnderOwnName } from './continuations.ts';
import { collectWords } from './result-draft.ts';
import { parseFlagLevel } from './lexicon/flags.ts';
import { isGrade } from './lexicon/non-results.ts';
import type { ParsedRow, TableRegion } from './regions.ts';
import type { ReadingState } from './reading-state.ts';
import type { TextRow } from './rows.ts';

/**
 * "Cortisol   High" above "24.8 µg/dL": a card shows the status of the amount next to its name. The status is the flag
 * of that amount, not a result.
 */
export function takeCardTitle(
  reading: ReadingState,
  parsed: ParsedRow,
  { rows, hasHeader }: TableRegion,
): boolean {
  const next = rows[rows.indexOf(parsed) + 1];
  const { atoms, row } = parsed;
  const [first] = atoms;
  // In OCR output there may be no gap between them.
  const at = atoms.findIndex((atom, index) => index > 0 && (atom.segment !== first?.segment || isWord(atom)));
  const [name, status] = at < 0 ? [atoms, []] : [atoms.slice(0, at), atoms.slice(at)];
  if (hasHeader || !next || first?.kind !== 'text' || !isStatus(status)) return false;
  if (!isAmount(next) && !isFindingOfCard(next, status)) return false;
  const isBelow =
    next.row.box.y0 - row.box.y1 < 1.5 * next.row.fontSize && Math.abs(next.row.box.x0 - row.box.x0) < 20;
  if (!isBelow || name.some(({ text }) => text.endsWith(':'))) return false;
  reading.pending = [...reading.pending.slice(-2), { words: collectWords(name), row, parsed, status }];
  return true;
}

/** "Syphilis screen   Abnormal" above "Reactive": the text alone below is the finding and says more than the badge. */
const isFindingOfCard = ({ atoms: [found, ...others] }: ParsedRow, status: readonly Atom[]): boolean =>
  found?.kind === 'quality' &&
  others.length === 0 &&
  parseFlagLevel(found.text) === undefined &&
  status.every(({ text }) => parseFlagLevel(text) !== undefined);

const isStatus = (atoms: readonly Atom[]): boolean =>
  atoms.length > 0 &&
  atoms.length < 3 &&
  atoms.every(({ text, segment }) => segment < 2 && (parseFlagLevel(text) !== undefined || isGrade(text)));

const isWord = ({ kind, text }: Atom): boolean =>
  (kind === 'flag' || kind === 'quality') && /^\p{L}{3}/u.test(text);

/** A number with its unit and at most its range; after a value label it may also be a finding in words. */
const isAmount = ({ atoms }: ParsedRow): boolean => {
  const isLabelled = atoms[0]?.kind === 'label' && atoms[0].labelRole === 'value';
  const [number, unit, ...others] = isLabelled ? atoms.slice(1) : atoms;
  if (isLabelled && number?.kind === 'quality' && unit === undefined) return true;
  return (
    (number?.kind === 'number' || number?.kind === 'compared') &&
    unit?.kind === 'unit' &&
    others.every(({ segment }) => segment > unit.segment) &&
    (others.length === 0 || others.some(({ kind }) => kind === 'range' || kind === 'compared'))
  );
};

/** "Above range" in a line of its own, between name and amount of a card, or next to the upper half of the amount. */
export function takeCardStatus(reading: ReadingState, parsed: ParsedRow, { rows }: TableRegion): boolean {
  const { atoms, row } = parsed;
  const next = rows[rows.indexOf(parsed) + 1];
  const above = reading.pending.at(-1);
  const isBelow =
    above !== undefined &&
    next !== undefined &&
    isAmount(next) &&
    above.status === undefined &&
    above.row.page === row.page &&
    row.box.y0 - above.row.box.y1 < 1.5 * row.fontSize &&
    (Math.abs(row.box.x0 - above.row.box.x0) < 20 || isBeside(row, next.row));
  if (!isBelow || !isOnlyStatus(atoms)) return false;
  reading.pending = [...reading.pending.slice(0, -1), { ...above, status: atoms }];
  return true;
}

/** A badge to the right of a large amount is higher than the unit, but not above the line. */
const isBeside = (row: TextRow, amount: TextRow): boolean =>
  row.box.x0 > amount.box.x1 && row.box.y1 - amount.box.y0 > 0.5 * (row.box.y1 - row.box.y0);

/** "Below range" in a line of its own, below the amount of a card that is under its name. */
export function takeCardStatusBelow({ drafts, pending }: ReadingState, { atoms, row }: ParsedRow): boolean {
  const draft = drafts.at(-1);
  const isBelow =
    draft !== undefined &&
    pending.length === 0 &&
    draft.flag.length === 0 &&
    isUnderOwnName(draft) &&
    measureGapAbove(draft, row) < 1.2 * row.fontSize &&
    Math.abs(row.box.x0 - draft.row.box.x0) < 20;
  if (!isBelow || !isOnlyStatus(atoms)) return false;
  draft.flag.push(...atoms);
  draft.lastRow = row;
  return true;
}

const isOnlyStatus = (atoms: readonly Atom[]): boolean =>
  atoms.every(({ kind, segment }) => segment === 0 && (kind === 'flag' || kind === 'quality')) &&
  parseFlagLevel(atoms.map(({ text }) => text).join(' ')) !== undefined;
