import { type ResultDraft, joinAtomText } from './result-draft.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { isOnlyMethod } from './lexicon/methods.ts';
import { isGrade } from './lexicon/non-results.ts';
import { normalizeWords } from './text-normalization.ts';
import type { RegionContext, ReadingState } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import { type TextRow, joinWords } from './rows.ts';
import { isProportional, isSameQuantity, EQUIVALENCE_PHRASE } from './unit-systems.ts';
import { toUnitKey } from './units.ts';
import { uniteBoxes, type ReportWord } from './report-model.ts';

interface ContinuationContext {
  readonly place: RegionContext;
  readonly previous: ParsedRow | undefined;
  readonly next: ParsedRow | undefined;
}

/** A row with nothing but a range belongs to the nearest result, above or below. */
export function takeRangeLine(
  reading: ReadingState,
  parsed: ParsedRow,
  { place, previous, next }: ContinuationContext,
): boolean {
  const { parts, row, atoms } = parsed;
  const draft = reading.drafts.at(-1);
  const pieces = atoms.filter((atom) => atom.kind !== 'blank' && atom.kind !== 'label');
  if (
    draft &&
    (takeUnitLine(draft, parsed) ||
      takeGradeLine(reading, parsed) ||
      takeRangeUnderLabel(draft, parsed) ||
      (!isNearerTo(next, parsed, draft) && takeRangeBelow(draft, parsed)))
  )
    return true;
  if (draft && isRangeAnnouncement(parsed) && measureGapAbove(draft, row) < 3 * row.fontSize) {
    draft.rangeLabel = draft.lastRow = row;
    return true;
  }
  const isSaid = atoms.some(({ labelRole }) => labelRole === 'range');
  const inRange =
    parts.range.length > 0 &&
    pieces.every(
      (atom) => parts.range.includes(atom) || parts.unit.includes(atom) || (isSaid && atom.kind === 'flag'),
    );
  if (!inRange || parts.name.length > 0 || (draft && !isSaid && isOutOfLine(draft, row))) return false;
  const belowGap = next ? next.row.box.y0 - row.box.y1 : Number.POSITIVE_INFINITY;
  const aboveGap = draft ? measureGapAbove(draft, row) : Number.POSITIVE_INFINITY;
  const isOnlyText = parts.range.every(({ kind }) => kind === 'text');
  if (isOnlyText && isHeadingLike(row, next)) return false;
  const isNearerBelow = !previous || row.box.y0 - previous.row.box.y1 > belowGap + 1.5;
  const goesOn = reading.rangeAhead.some((ahead) => row.box.y0 - ahead.row.box.y1 < belowGap + 1.5);
  // After a result without a range, a labeled range belongs to that result.
  const isOfAbove = isSaid && draft?.range.length === 0 && reading.pending.length === 0;
  const isCentred =
    !isOfAbove &&
    belowGap < row.fontSize &&
    place.columns.length > 0 &&
    !draft?.rangeLabel &&
    (goesOn || (isNearerBelow && aboveGap > belowGap + 1.5));
  if (isCentred || isUnderName(reading, parsed)) {
    reading.rangeAhead.push({ atoms: [...parts.range], unit: [...parts.unit], row });
    return true;
  }
  if (!draft || aboveGap > 3 * row.fontSize || (isOnlyText && previous && !isLineOf(draft, previous)))
    return false;
  appendRange(draft, parsed);
  return true;
}

function appendRange(draft: ResultDraft, { parts, row, atoms }: ParsedRow): void {
  draft.range.push([...parts.range]);
  addUnit(draft, [...parts.unit]);
  if (draft.flag.length === 0) draft.flag.push(...atoms.filter(({ kind }) => kind === 'flag'));
  draft.lastRow = row;
}

/** The unit of a range is that of its result; a result in words has none, so it stays with the range. */
function addUnit(draft: ResultDraft, unit: ResultDraft['unit']): void {
  if (isInWords(draft)) draft.range.at(-1)?.push(...unit);
  else if (draft.unit.length === 0) draft.unit.push(...unit);
}

const isInWords = ({ value }: ResultDraft): boolean =>
  value.length > 0 && value.every(({ kind }) => kind === 'quality' || kind === 'text');

/** A range right below an amount that could not be read belongs to no other result. */
export function isRangeOfLostResult({ pending }: ReadingState, { row, atoms }: ParsedRow): boolean {
  const lost = pending.at(-1);
  return (
    lost !== undefined &&
    atoms.some(({ labelRole }) => labelRole === 'range') &&
    lost.parsed.parts.value.some(({ kind }) => kind === 'number' || kind === 'compared') &&
    lost.row.page === row.page &&
    row.box.y0 - lost.row.box.y1 < row.fontSize
  );
}

/** Whether a row is nearer to the result below it than to the one above. */
const isNearerTo = (next: ParsedRow | undefined, { row }: ParsedRow, draft: ResultDraft): boolean =>
  next !== undefined &&
  next.parts.name.length > 0 &&
  next.parts.value.length > 0 &&
  next.row.box.y0 - row.box.y1 + 1.5 < measureGapAbove(draft, row);

/** In points: further lines of a range are aligned at their start, end or middle. */
const OUT_OF_LINE = 24;
const MANY_WORDS = 9;

/** Text that begins left of the range above and ends elsewhere does not continue it. */
function isOutOfLine({ range }: ResultDraft, { box, words }: TextRow): boolean {
  if (words.length < MANY_WORDS && /\d/.test(joinWords(words))) return false;
  const above = range.at(-1)?.map((atom) => atom.box);
  if (!above || above.length === 0) return false;
  const { x0, x1 } = uniteBoxes(above);
  const isOff = [box.x1 - x1, (box.x0 + box.x1 - x0 - x1) / 2].every((gap) => Math.abs(gap) > 8);
  return x0 - box.x0 > OUT_OF_LINE && isOff;
}

/** A unit in a row of its own, right below its range or value. */
function takeUnitLine(draft: ResultDraft, { atoms, row }: ParsedRow): boolean {
  const [unit] = atoms;
  const above = [...(draft.range.at(-1) ?? []), ...draft.value];
  const isUnder =
    unit?.kind === 'unit' &&
    atoms.length === 1 &&
    draft.unit.length === 0 &&
    above.some(({ box }) => Math.abs(box.x0 - unit.box.x0) < 3) &&
    measureGapAbove(draft, row) < 0.6 * row.fontSize;
  if (!isUnder) return false;
  draft.unit.push(unit);
  draft.lastRow = row;
  return true;
}

/** A centered heading is not a range, though it may stand where ranges do. */
const isHeadingLike = (row: TextRow, next: ParsedRow | undefined): boolean =>
  /^\P{Ll}*\p{Lu}{5}\P{Ll}*$/u.test(joinWords(row.words)) ||
  (next !== undefined && row.fontSize > 1.05 * next.row.fontSize);

/** Whether a row is the one with the value, or one of its range rows. */
const isLineOf = (draft: ResultDraft, { row, atoms }: ParsedRow): boolean =>
  row === draft.row || draft.range.some((line) => line.some((atom) => atoms.includes(atom)));

/** The vertical gap between a result and a row below it; infinite for rows above it or on another page. */
export const measureGapAbove = (draft: ResultDraft, row: TextRow): number =>
  draft.row.page === row.page && row.box.y0 > draft.lastRow.box.y0 - 1
    ? row.box.y0 - draft.lastRow.box.y1
    : Number.POSITIVE_INFINITY;

const isRangeAnnouncement = ({ atoms, row }: ParsedRow): boolean =>
  atoms.length === 1 && matchColumnRole(joinWords(row.words).replace(/\s*:$/, '')) === 'range';

/** Rows under a range label that begin where the label does, as long as they follow line by line. */
function takeRangeUnderLabel(draft: ResultDraft, { atoms, row, parts }: ParsedRow): boolean {
  const label = draft.rangeLabel ?? draft.inlineRangeLabel;
  const isBelow =
    label !== undefined &&
    row.segments.length === 1 &&
    Math.abs(row.box.x0 - label.box.x0) < 3 &&
    measureGapAbove(draft, row) < 0.9 * row.fontSize;
  if (!isBelow || row.words.length > 9 || parts.flag.length > 0) return false;
  const isInterval = atoms.some(
    ({ kind }) => kind === 'range' || kind === 'compared' || (kind === 'quality' && atoms.length === 1),
  );
  if (!isInterval && !(draft.range.length > 0 && /^\p{L}+ (?:ranges?|values?)$/u.test(joinWords(row.words))))
    return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

/** A row with bounds right below a range, left-aligned with it: "Borderline high: 200 - 239". */
function takeRangeBelow(draft: ResultDraft, { atoms, row }: ParsedRow): boolean {
  const above = draft.range.at(-1)?.[0];
  const isBelow =
    above !== undefined &&
    row.segments.length === 1 &&
    Math.abs(row.box.x0 - above.box.x0) < 2 &&
    measureGapAbove(draft, row) < 0.9 * row.fontSize;
  if (!isBelow || row.words.length > 9 || !atoms.some(({ kind }) => kind === 'range' || kind === 'compared'))
    return false;
  const unit =
    draft.unit.length === 0 && !isInWords(draft) ? atoms.filter(({ kind }) => kind === 'unit') : [];
  draft.unit.push(...unit);
  draft.range.push(atoms.filter((atom) => !unit.includes(atom)));
  draft.lastRow = row;
  return true;
}

/** A further range row that has the method, or more of the name, to the left of it. */
export function takeRangeNextToMethod(draft: ResultDraft, { parts, row, atoms }: ParsedRow): boolean {
  const above = draft.range.at(-1)?.[0];
  const [first] = parts.range;
  const [name] = parts.name;
  if (!above || !first || first.segment === name?.segment || !parts.range.some(({ kind }) => kind !== 'text'))
    return false;
  if (first.box.x0 > above.box.x1 + 30 || above.box.x0 > first.box.x1) return false;
  // "Deficiency is likely below 30 ug/L." is a sentence; its bound is not a range.
  if (parts.value.some(({ segment }) => segment === first.segment)) return false;
  const line = atoms.filter((atom) => atom.kind !== 'blank' && atom.segment >= first.segment);
  draft.method.push(joinAtomText(atoms.filter((atom) => atom.segment < first.segment)));
  draft.range.push(line);
  draft.lastRow = row;
  return true;
}

/** The name of the result above, if this row repeats it in another unit: 5.05 mmol/L, with 0.91 g/L below. */
export function findNameOfOtherUnit(
  reading: ReadingState,
  { parts, row }: ParsedRow,
): ReportWord[][] | undefined {
  const draft = reading.drafts.at(-1);
  const [value] = parts.value;
  const [above] = draft?.value ?? [];
  const [unit] = parts.unit;
  const own = normalizeWords(joinAtomText(parts.name));
  const isSaidAgain = EQUIVALENCE_PHRASE.test(own);
  if (!draft || !value || !above || !unit || draft.unit.length === 0) return undefined;
  // A method may precede "or" with the other unit.
  if (reading.pending.length > (isSaidAgain ? 1 : 0)) return undefined;
  const stands = Math.min(Math.abs(value.box.x0 - above.box.x0), Math.abs(value.box.x1 - above.box.x1)) < 3;
  const isNext = measureGapAbove(draft, row) < (reading.pending.length > 0 ? 2.4 : 1.2) * row.fontSize;
  const isOther = toUnitKey(joinAtomText(draft.unit)) !== toUnitKey(joinAtomText(parts.unit));
  return stands && isNext && isOther && (own === '' || isSaidAgain || isOnlyMethod(own))
    ? draft.nameRows
    : undefined;
}

/**
 * Whether this row repeats the result above in another unit system, which is not a second result, unless it has its own
 * proportional range and previous result, and no word for "equals".
 */
export function takeRepeatedResult(reading: ReadingState, parsed: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const isAgain =
    draft !== undefined &&
    !isOwnResult(draft, parsed) &&
    findNameOfOtherUnit(reading, parsed) !== undefined &&
    isSameQuantity(joinAtomText(draft.unit), joinAtomText(parsed.parts.unit));
  if (isAgain) {
    draft.lastRow = parsed.row;
    reading.pending = [];
  }
  return isAgain;
}

const isOwnResult = (draft: ResultDraft, { parts: { name, value, range, previous } }: ParsedRow): boolean =>
  name.length === 0 &&
  range.length > 0 &&
  previous.length > 0 &&
  isProportional(joinAtomText([...draft.value, ...draft.range.flat()]), joinAtomText([...value, ...range]));

/** "Desirable: below 190" under a range label is a line of that range. */
function takeGradeLine(reading: ReadingState, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const text = joinAtomText(atoms);
  const isNear = draft?.rangeLabel !== undefined && measureGapAbove(draft, row) < 3 * row.fontSize;
  // "Optimal: < 90" right below the amount of a card, which stands under its name.
  const isOfCard =
    draft?.range.length === 0 &&
    draft.nameRows[0] !== undefined &&
    isUnderOwnName(draft) &&
    atoms.every(({ kind }) => kind !== 'label') &&
    text.includes(':') &&
    measureGapAbove(draft, row) < 1.2 * row.fontSize;
  if (!(isNear || isOfCard) || !draft || !/\d/.test(text) || !isGrade(text.split(/[:<>\d]/)[0] ?? ''))
    return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

export const isUnderOwnName = ({ nameRows, row }: ResultDraft): boolean =>
  nameRows.flat().every(({ box }) => box.y1 < row.box.y0 + 1);

/** On cards the range may stand between the name and the value. */
function isUnderName(reading: ReadingState, { row, atoms }: ParsedRow): boolean {
  const name = reading.pending.at(-1);
  const isSaid = atoms.some((atom) => atom.labelRole === 'range');
  if (isSaid && name === undefined && reading.carriedName !== null) return true;
  return (
    isSaid &&
    name !== undefined &&
    name.row.page === row.page &&
    row.box.y0 - name.row.box.y1 < 1.8 * row.fontSize
  );
}
