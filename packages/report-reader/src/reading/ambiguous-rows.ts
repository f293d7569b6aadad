import type { Atom } from './atoms.ts';
import { joinAtomText } from './result-draft.ts';
import { type ReportColumn, measureGapTo, findNearest } from './columns.ts';
import { hasSkippedMeasurement } from './lost-results.ts';
import type { ParsedRow } from './regions.ts';

/** Whether something else in the row may be the result, so that it needs review. */
export const isAmbiguousRow = (
  parsed: ParsedRow,
  columns: readonly ReportColumn[],
  rangeAhead: readonly { readonly atoms: readonly Atom[] }[] = [],
): boolean =>
  hasOtherRangeAhead(parsed, rangeAhead) ||
  hasUnusedWords(parsed) ||
  hasUnusedAmount(parsed) ||
  hasUnusedDigits(parsed) ||
  isPossiblyName(parsed, columns) ||
  hasLabelInValue(parsed) ||
  isPossiblyCutoff(parsed, columns) ||
  hasUnusedMeasurement(parsed, columns) ||
  isPossiblyEarlier(parsed, columns) ||
  hasUnusedColumn(parsed, columns) ||
  hasCompetingNumber(parsed, columns);

/** "B Xy(Z) Positive" of which only the last word was used, or all but a letter that is not a flag of words. */
function hasUnusedWords({ parts, atoms }: ParsedRow): boolean {
  const [value] = parts.value;
  const before = value ? atoms[atoms.indexOf(value) - 1] : undefined;
  if (!value || !before || value.segment !== before.segment) return false;
  const isInWords = value.kind === 'quality' || value.kind === 'text';
  const isText = before.kind === 'text' && /\p{L}/u.test(before.text) && !parts.name.includes(before);
  // "(PCR)" after "not detected" is not a finding.
  const isRemark = value.text.startsWith('(') && before.kind === 'quality';
  return isInWords && (isText || isRemark || (before.kind === 'flag' && /^[BC]$/.test(before.text)));
}

/** A number right before its unit was skipped for one without a unit: perhaps the chosen one is a previous result. */
function hasUnusedAmount({ parts, atoms }: ParsedRow): boolean {
  const [unit] = parts.unit;
  const before = unit && atoms[atoms.indexOf(unit) - 1];
  const [value] = parts.value;
  // A number within the name segment may belong to the name, and then the one after it is not a previous result.
  const isOfName = value !== undefined && value.segment === parts.name.at(-1)?.segment;
  const isLeft =
    before !== undefined && (parts.skip.includes(before) || (isOfName && parts.previous.includes(before)));
  const isAmount = before?.kind === 'number' && before.segment === unit?.segment && isLeft;
  return isAmount && value?.kind === 'number' && atoms[atoms.indexOf(value) + 1]?.kind !== 'unit';
}

/**
 * "Factor 8   <0.6   U/mL" and "Glucose 120 min   7   mmol/L": a number within the name, before another number that may
 * be the result, or before two bounds of which one may be.
 */
function isPossiblyName({ parts, atoms }: ParsedRow, columns: readonly ReportColumn[]): boolean {
  const [value] = parts.value;
  const name = parts.name.at(-1);
  if (value?.kind !== 'number' || value.segment !== name?.segment || name.text.endsWith(':')) return false;
  const behind = atoms.filter(({ segment, labelRole }) => segment > value.segment && labelRole === undefined);
  const bounds = behind.filter(({ kind }) => kind === 'compared' || kind === 'range');
  const isHeaded = columns.some(
    (column) => column.role === 'value' && !column.isLearned && measureGapTo(column, value.box) === 0,
  );
  return !isHeaded && (bounds.length > 1 || behind.some(({ kind }) => kind === 'number'));
}

/** "8 am: <0.6": text before a colon belongs to the name, unless it is a finding. */
const hasLabelInValue = ({ parts: { value } }: ParsedRow): boolean =>
  value[0]?.kind !== 'quality' && /\p{L}\)?: ?[<>]?\d/u.test(value.map(({ text }) => text).join(' '));

/** "·0.6 (<7.0)": an unreadable number stands before the bound that was chosen. */
function hasUnusedDigits({ parts, atoms }: ParsedRow): boolean {
  const [value] = parts.value;
  // "1   240 ng/mL", where the blank may separate thousands.
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

/** A number with its unit was skipped for one after both, and no heading marks that one as the result. */
function hasUnusedMeasurement(parsed: ParsedRow, columns: readonly ReportColumn[]): boolean {
  const [value] = parsed.parts.value;
  const isHeaded = columns.some(
    (column) =>
      column.role === 'value' &&
      column.date === undefined &&
      !column.isLearned &&
      value !== undefined &&
      measureGapTo(column, value.box) === 0,
  );
  return !isHeaded && hasSkippedMeasurement(parsed);
}

/** "Negative   50": without a heading, the word before a number may be the finding, and the number its cutoff. */
function isPossiblyCutoff({ parts }: ParsedRow, columns: readonly ReportColumn[]): boolean {
  const [value] = parts.value;
  const [word, ...others] = parts.range;
  if (value?.kind !== 'number' || word?.kind !== 'quality' || others.length > 0) return false;
  const isHeaded = columns.some(
    (column) => column.role === 'range' && !column.isLearned && measureGapTo(column, word.box) === 0,
  );
  return word.box.x0 < value.box.x0 && !isHeaded;
}

/** Of several date columns, it is unknown which has the current results. */
const isPossiblyEarlier = ({ parts }: ParsedRow, columns: readonly ReportColumn[]): boolean =>
  parts.value.length > 0 && columns.some(({ isNewestUncertain }) => isNewestUncertain);

/** The value column has a number or finding, but one outside of it was chosen. */
function hasUnusedColumn({ parts, atoms }: ParsedRow, columns: readonly ReportColumn[]): boolean {
  const [value] = parts.value;
  const own = columns.filter(({ role, isLearned }) => role === 'value' && !isLearned);
  const isIn = ({ box }: Atom) => own.some((column) => measureGapTo(column, box) === 0);
  if (!value || own.length === 0 || isIn(value)) return false;
  return atoms.some((atom) => AMOUNTS.has(atom.kind) && !parts.name.includes(atom) && isIn(atom));
}

/**
 * Whether most results of a table have a competing number: then a row with a single number is ambiguous too, as its
 * column may not be the current one.
 */
export function hasCompetingNumbers(rows: readonly ParsedRow[], columns: readonly ReportColumn[]): boolean {
  const measured = rows.filter(({ parts }) => parts.name.length > 0 && parts.value[0]?.kind === 'number');
  const rivalled = measured.filter((parsed) => hasCompetingNumber(parsed, columns)).length;
  return rivalled > 1 && rivalled * 2 >= measured.length;
}

/** A second number is next to the result, and no heading says which of them is current. */
function hasCompetingNumber(parsed: ParsedRow, columns: readonly ReportColumn[]): boolean {
  const [value] = parsed.parts.value;
  const unit = value && findUnitAfter(value, parsed);
  if (value?.kind !== 'number' || unit?.segment === value.segment) return false;
  const isHeaded = isInColumn(value, columns, RESULT_ROLES);
  return [...parsed.parts.skip, ...parsed.parts.previous].some((atom) => {
    if (!isLoneNumber(atom, parsed) || atom.segment === value.segment) return false;
    if (isUnheadedNeighbor(atom, value, columns)) return true;
    // The same amount in another unit system.
    if (unit && findUnitAfter(atom, parsed)) return false;
    return isHeaded ? isInColumn(atom, columns, RESULT_ROLES) : !isInColumn(atom, columns, OTHER_ROLES);
  });
}

/** Next to results below a date, a number without a heading may be of a newer day whose date was not read. */
function isUnheadedNeighbor(atom: Atom, value: Atom, columns: readonly ReportColumn[]): boolean {
  const headed = columns.filter(({ isLearned }) => !isLearned);
  const [own, other] = [findNearest(headed, value.box), findNearest(headed, atom.box)];
  return (
    own?.date !== undefined && other !== undefined && (own === other || measureGapTo(other, atom.box) > 12)
  );
}

function findUnitAfter(atom: Atom, { atoms }: ParsedRow): Atom | undefined {
  const next = atoms.slice(atoms.indexOf(atom) + 1).find(({ kind }) => kind !== 'flag');
  return next?.kind === 'unit' ? next : undefined;
}

const isLoneNumber = (atom: Atom, { atoms }: ParsedRow): boolean =>
  atom.kind === 'number' &&
  !atom.labelRole &&
  atoms.every(({ segment, kind }) => segment !== atom.segment || !NEIGHBOR_KINDS.has(kind));

/** Whether the column nearest to an atom has a heading and one of these roles. */
function isInColumn(
  { box }: Atom,
  columns: readonly ReportColumn[],
  roles: ReadonlySet<ReportColumn['role']>,
): boolean {
  const column = findNearest(
    columns.filter(({ isLearned }) => !isLearned),
    box,
  );
  return column !== undefined && measureGapTo(column, box) < 12 && roles.has(column.role);
}

const RESULT_ROLES: ReadonlySet<ReportColumn['role']> = new Set(['value'] as const);
const NEIGHBOR_KINDS: ReadonlySet<Atom['kind']> = new Set(['unit', 'range', 'text', 'label', 'date']);
const OTHER_ROLES: ReadonlySet<ReportColumn['role']> = new Set([
  'previous',
  'other',
  'method',
  'name',
] as const);
const AMOUNTS: ReadonlySet<Atom['kind']> = new Set(['number', 'compared', 'quality']);

/** "Female: 15-150" above a row with its own plain range may belong to another result. */
const hasOtherRangeAhead = (
  { parts }: ParsedRow,
  ahead: readonly { readonly atoms: readonly Atom[] }[],
): boolean =>
  parts.range.some(({ kind, text }) => kind === 'range' && /^[^\p{L}:]*$/u.test(text)) &&
  parts.range.every(({ text }) => !/\p{L}/u.test(text)) &&
  ahead.some(({ atoms }) => /\p{L}{3}.*\d/u.test(joinAtomText(atoms)));
