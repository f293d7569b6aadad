import type { Atom } from './atoms.ts';
import { aboveGapOf, isUnderOwnName } from './continuations.ts';
import { wordsOfAtoms } from './drafts.ts';
import { flagLevelOf } from './lexicon/flags.ts';
import { isGrade } from './lexicon/not-results.ts';
import type { ParsedRow, Region } from './regions.ts';
import type { Reading } from './reading-state.ts';
import type { Row } from './rows.ts';

/**
 * "Cortisol   High" above "24.8 µg/dL": a card says beside its name how the amount below is seen, which is the flag of
 * that amount and no result.
 */
export function takeCardHead(reading: Reading, parsed: ParsedRow, { rows, hasHeader }: Region): boolean {
  const next = rows[rows.indexOf(parsed) + 1];
  const { atoms, row } = parsed;
  const [first] = atoms;
  // In pictures no gap may part them.
  const at = atoms.findIndex((atom, index) => index > 0 && (atom.segment !== first?.segment || isWord(atom)));
  const [name, status] = at < 0 ? [atoms, []] : [atoms.slice(0, at), atoms.slice(at)];
  if (hasHeader || !next || first?.kind !== 'text' || !isStatus(status)) return false;
  if (!isAmount(next) && !isFindingOfCard(next, status)) return false;
  const isBelow =
    next.row.box.y0 - row.box.y1 < 1.5 * next.row.fontSize && Math.abs(next.row.box.x0 - row.box.x0) < 20;
  if (!isBelow || name.some(({ text }) => text.endsWith(':'))) return false;
  reading.pending = [...reading.pending.slice(-2), { words: wordsOfAtoms(name), row, parsed, status }];
  return true;
}

/** "Syphilis screen   Abnormal" above "Reactive": what stands alone below is what was found, and says more than the badge. */
const isFindingOfCard = ({ atoms: [found, ...others] }: ParsedRow, status: readonly Atom[]): boolean =>
  found?.kind === 'quality' &&
  others.length === 0 &&
  flagLevelOf(found.text) === undefined &&
  status.every(({ text }) => flagLevelOf(text) !== undefined);

const isStatus = (atoms: readonly Atom[]): boolean =>
  atoms.length > 0 &&
  atoms.length < 3 &&
  atoms.every(({ text, segment }) => segment < 2 && (flagLevelOf(text) !== undefined || isGrade(text)));

const isWord = ({ kind, text }: Atom): boolean =>
  (kind === 'flag' || kind === 'quality') && /^\p{L}{3}/u.test(text);

/** A number with its unit, and at most its range beside it; behind its label it may be a finding in words. */
const isAmount = ({ atoms }: ParsedRow): boolean => {
  const isLabelled = atoms[0]?.kind === 'label' && atoms[0].said === 'value';
  const [number, unit, ...others] = isLabelled ? atoms.slice(1) : atoms;
  if (isLabelled && number?.kind === 'quality' && unit === undefined) return true;
  return (
    (number?.kind === 'number' || number?.kind === 'compared') &&
    unit?.kind === 'unit' &&
    others.every(({ segment }) => segment > unit.segment) &&
    (others.length === 0 || others.some(({ kind }) => kind === 'range' || kind === 'compared'))
  );
};

/** "Above range" in a line of its own, between the name and the amount of a card, or beside the upper half of that. */
export function takeStatus(reading: Reading, parsed: ParsedRow, { rows }: Region): boolean {
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

/** A badge at the right of an amount in large print stands higher than its unit, though not above the line. */
const isBeside = (row: Row, amount: Row): boolean =>
  row.box.x0 > amount.box.x1 && row.box.y1 - amount.box.y0 > 0.5 * (row.box.y1 - row.box.y0);

/** "Below range" in a line of its own, below the amount of a card that stands under its name. */
export function takeStatusBelow({ drafts, pending }: Reading, { atoms, row }: ParsedRow): boolean {
  const draft = drafts.at(-1);
  const isBelow =
    draft !== undefined &&
    pending.length === 0 &&
    draft.flag.length === 0 &&
    isUnderOwnName(draft) &&
    aboveGapOf(draft, row) < 1.2 * row.fontSize &&
    Math.abs(row.box.x0 - draft.row.box.x0) < 20;
  if (!isBelow || !isOnlyStatus(atoms)) return false;
  draft.flag.push(...atoms);
  draft.lastRow = row;
  return true;
}

const isOnlyStatus = (atoms: readonly Atom[]): boolean =>
  atoms.every(({ kind, segment }) => segment === 0 && (kind === 'flag' || kind === 'quality')) &&
  flagLevelOf(atoms.map(({ text }) => text).join(' ')) !== undefined;
