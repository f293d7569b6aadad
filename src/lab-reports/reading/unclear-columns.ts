import type { Atom } from './atoms.ts';
import { type Column, gapTo, nearest } from './columns.ts';
import { passesMeasured } from './lost-results.ts';
import type { ParsedRow } from './regions.ts';

/** Whether something else in the line may be the result, so that a person should look at it. */
export const isUnclear = (parsed: ParsedRow, columns: readonly Column[]): boolean =>
  leavesWords(parsed) ||
  leavesAmount(parsed) ||
  leavesDigits(parsed) ||
  mayEndName(parsed, columns) ||
  holdsLabel(parsed) ||
  mayBeCutoff(parsed, columns) ||
  leavesMeasured(parsed, columns) ||
  mayBeOld(parsed, columns) ||
  leavesColumn(parsed, columns) ||
  hasRival(parsed, columns);

/** "B Xy(Z) Positive" of which only the last word was taken, or all but a letter that says nothing of words. */
function leavesWords({ parts, atoms }: ParsedRow): boolean {
  const [value] = parts.value;
  const before = value ? atoms[atoms.indexOf(value) - 1] : undefined;
  if (!value || !before || value.segment !== before.segment) return false;
  const isInWords = value.kind === 'quality' || value.kind === 'text';
  const isText = before.kind === 'text' && /\p{L}/u.test(before.text) && !parts.name.includes(before);
  // "(PCR)" behind "not detected" is no finding.
  const isRemark = value.text.startsWith('(') && before.kind === 'quality';
  return isInWords && (isText || isRemark || (before.kind === 'flag' && /^[BC]$/.test(before.text)));
}

/** A number with its unit right behind it was left out for one that has none: an earlier result, perhaps. */
function leavesAmount({ parts, atoms }: ParsedRow): boolean {
  const [unit] = parts.unit;
  const before = unit && atoms[atoms.indexOf(unit) - 1];
  const [value] = parts.value;
  // Within the words of the name, a number may be of those, and the one behind no earlier result.
  const isOfName = value !== undefined && value.segment === parts.name.at(-1)?.segment;
  const isLeft =
    before !== undefined && (parts.skip.includes(before) || (isOfName && parts.previous.includes(before)));
  const isAmount = before?.kind === 'number' && before.segment === unit?.segment && isLeft;
  return isAmount && value?.kind === 'number' && atoms[atoms.indexOf(value) + 1]?.kind !== 'unit';
}

/**
 * "Factor 8   <0.6   U/mL" and "Glucose 120 min   7   mmol/L": a number among the words of the name, before another one
 * that may be the result, or before two bounds of which one may be.
 */
function mayEndName({ parts, atoms }: ParsedRow, columns: readonly Column[]): boolean {
  const [value] = parts.value;
  const name = parts.name.at(-1);
  if (value?.kind !== 'number' || value.segment !== name?.segment || name.text.endsWith(':')) return false;
  const behind = atoms.filter(({ segment, said }) => segment > value.segment && said === undefined);
  const bounds = behind.filter(({ kind }) => kind === 'compared' || kind === 'range');
  const isHeaded = columns.some(
    (column) => column.role === 'value' && !column.isLearned && gapTo(column, value.box) === 0,
  );
  return !isHeaded && (bounds.length > 1 || behind.some(({ kind }) => kind === 'number'));
}

/** "8 am: <0.6": what stands before a colon is of the name, unless it is a finding. */
const holdsLabel = ({ parts: { value } }: ParsedRow): boolean =>
  value[0]?.kind !== 'quality' && /\p{L}\)?: ?[<>]?\d/u.test(value.map(({ text }) => text).join(' '));

/** "·0.6 (<7.0)": what begins like a number and could not be read as one stands before the bound that was taken. */
function leavesDigits({ parts, atoms }: ParsedRow): boolean {
  const [value] = parts.value;
  // "1   240 ng/mL", where the blank may part thousands.
  const isOther = (atom: Atom | undefined, form: RegExp): boolean =>
    value?.kind === 'number' &&
    atom?.kind === 'number' &&
    atom.segment === value.segment &&
    form.test(atom.text) &&
    !parts.name.includes(atom);
  const at = value ? atoms.indexOf(value) : -1;
  if (isOther(atoms[at - 1], /^\d{1,3}$/) || isOther(atoms[at + 1], /^\d{3}$/)) return true;
  const isBound = value?.kind === 'compared' || value?.kind === 'range';
  return (
    isBound &&
    parts.skip.some(
      (atom) =>
        atom.kind === 'text' &&
        /^\P{L}?\d/u.test(atom.text) &&
        atom.segment > 0 &&
        atoms.indexOf(atom) < atoms.indexOf(value),
    )
  );
}

/** A number with its unit was left out for one behind both, and no heading calls that one the result. */
function leavesMeasured(parsed: ParsedRow, columns: readonly Column[]): boolean {
  const [value] = parsed.parts.value;
  const isHeaded = columns.some(
    (column) =>
      column.role === 'value' &&
      column.date === undefined &&
      !column.isLearned &&
      value !== undefined &&
      gapTo(column, value.box) === 0,
  );
  return !isHeaded && passesMeasured(parsed);
}

/** "Negative   50": where no heading says so, the word before a number may be the finding, and the number its cutoff. */
function mayBeCutoff({ parts }: ParsedRow, columns: readonly Column[]): boolean {
  const [value] = parts.value;
  const [word, ...others] = parts.range;
  if (value?.kind !== 'number' || word?.kind !== 'quality' || others.length > 0) return false;
  const isHeaded = columns.some(
    (column) => column.role === 'range' && !column.isLearned && gapTo(column, word.box) === 0,
  );
  return word.box.x0 < value.box.x0 && !isHeaded;
}

/** Of several columns with dates, nobody can tell which has the results of this time. */
const mayBeOld = ({ parts }: ParsedRow, columns: readonly Column[]): boolean =>
  parts.value.length > 0 && columns.some(({ isUnsure }) => isUnsure);

/** The column of the results has a number or a finding, and another one beside it was taken. */
function leavesColumn({ parts, atoms }: ParsedRow, columns: readonly Column[]): boolean {
  const [value] = parts.value;
  const own = columns.filter(({ role, isLearned }) => role === 'value' && !isLearned);
  const isIn = ({ box }: Atom) => own.some((column) => gapTo(column, box) === 0);
  if (!value || own.length === 0 || isIn(value)) return false;
  return atoms.some((atom) => AMOUNTS.has(atom.kind) && !parts.name.includes(atom) && isIn(atom));
}

/**
 * Whether most results of a table have a rival beside them: then a line that has one number only is in doubt, too, as
 * nobody knows whether its column is that of this time.
 */
export function haveRivals(rows: readonly ParsedRow[], columns: readonly Column[]): boolean {
  const measured = rows.filter(({ parts }) => parts.name.length > 0 && parts.value[0]?.kind === 'number');
  const rivalled = measured.filter((parsed) => hasRival(parsed, columns)).length;
  return rivalled > 1 && rivalled * 2 >= measured.length;
}

/** A second number stands beside the result, and no heading says which of both is of this time. */
function hasRival(parsed: ParsedRow, columns: readonly Column[]): boolean {
  const [value] = parsed.parts.value;
  const unit = value && unitBehind(value, parsed);
  if (value?.kind !== 'number' || unit?.segment === value.segment) return false;
  const isHeaded = standsIn(value, columns, RESULTS);
  return [...parsed.parts.skip, ...parsed.parts.previous].some((atom) => {
    if (!isLoneNumber(atom, parsed) || atom.segment === value.segment) return false;
    if (isUnheadedBeside(atom, value, columns)) return true;
    // The same in another system of units.
    if (unit && unitBehind(atom, parsed)) return false;
    return isHeaded ? standsIn(atom, columns, RESULTS) : !standsIn(atom, columns, EXPLAINED);
  });
}

/** Beside results below a date, a number that no other heading explains may be of a newer day, whose date was not read. */
function isUnheadedBeside(atom: Atom, value: Atom, columns: readonly Column[]): boolean {
  const headed = columns.filter(({ isLearned }) => !isLearned);
  const [own, other] = [nearest(headed, value.box), nearest(headed, atom.box)];
  return own?.date !== undefined && other !== undefined && (own === other || gapTo(other, atom.box) > 12);
}

function unitBehind(atom: Atom, { atoms }: ParsedRow): Atom | undefined {
  const next = atoms.slice(atoms.indexOf(atom) + 1).find(({ kind }) => kind !== 'flag');
  return next?.kind === 'unit' ? next : undefined;
}

const isLoneNumber = (atom: Atom, { atoms }: ParsedRow): boolean =>
  atom.kind === 'number' &&
  !atom.said &&
  atoms.every(({ segment, kind }) => segment !== atom.segment || !ELSE.has(kind));

/** Whether the column next to a piece has a heading, and one of these roles. */
function standsIn({ box }: Atom, columns: readonly Column[], roles: ReadonlySet<Column['role']>): boolean {
  const column = nearest(
    columns.filter(({ isLearned }) => !isLearned),
    box,
  );
  return column !== undefined && gapTo(column, box) < 12 && roles.has(column.role);
}

const RESULTS: ReadonlySet<Column['role']> = new Set(['value'] as const);
const ELSE: ReadonlySet<Atom['kind']> = new Set(['unit', 'range', 'text', 'label', 'date']);
const EXPLAINED: ReadonlySet<Column['role']> = new Set(['previous', 'other', 'method', 'name'] as const);
const AMOUNTS: ReadonlySet<Atom['kind']> = new Set(['number', 'compared', 'quality']);
