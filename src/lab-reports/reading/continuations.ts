import { type Draft, textOfAtoms } from './drafts.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { isOnlyMethod } from './lexicon/methods.ts';
import { isGrade } from './lexicon/not-results.ts';
import { bare } from './plain.ts';
import type { Place, Reading } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import { type Row, textOf } from './rows.ts';
import { isProportional, isSameInOther, SAYS_AGAIN } from './unit-systems.ts';
import { sameUnitKey } from './units.ts';
import { unite, type Word } from './word.ts';

interface Around {
  readonly place: Place;
  readonly previous: ParsedRow | undefined;
  readonly next: ParsedRow | undefined;
}

/** A line with nothing but more of a range belongs to the result that is nearest, above or below. */
export function takeRange(reading: Reading, parsed: ParsedRow, { place, previous, next }: Around): boolean {
  const { parts, row, atoms } = parsed;
  const draft = reading.drafts.at(-1);
  const pieces = atoms.filter((atom) => atom.kind !== 'blank' && atom.kind !== 'label');
  if (
    draft &&
    (takeUnit(draft, parsed) ||
      takeGrade(reading, parsed) ||
      takeUnderLabel(draft, parsed) ||
      (!isNearerTo(next, parsed, draft) && takeBelow(draft, parsed)))
  )
    return true;
  if (draft && announcesRange(parsed) && aboveGapOf(draft, row) < 3 * row.fontSize) {
    draft.rangeLabel = row;
    draft.lastRow = row;
    return true;
  }
  const isSaid = atoms.some(({ said }) => said === 'range');
  const inRange =
    parts.range.length > 0 &&
    pieces.every(
      (atom) => parts.range.includes(atom) || parts.unit.includes(atom) || (isSaid && atom.kind === 'flag'),
    );
  if (!inRange || parts.name.length > 0 || (draft && !isSaid && isBesideRange(draft, row))) return false;
  const belowGap = next ? next.row.box.y0 - row.box.y1 : Number.POSITIVE_INFINITY;
  const aboveGap = draft ? aboveGapOf(draft, row) : Number.POSITIVE_INFINITY;
  const isOnlyText = parts.range.every(({ kind }) => kind === 'text');
  if (isOnlyText && seemsHeading(row, next)) return false;
  const isNearerBelow = !previous || row.box.y0 - previous.row.box.y1 > belowGap + 1.5;
  const goesOn = reading.rangeAhead.some((ahead) => row.box.y0 - ahead.row.box.y1 < belowGap + 1.5);
  // Behind a result without a range, what says that it is one is of that result.
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
  if (!draft || aboveGap > 3 * row.fontSize || (isOnlyText && previous && !isOf(draft, previous)))
    return false;
  draft.range.push([...parts.range]);
  addUnit(draft, [...parts.unit]);
  if (draft.flag.length === 0) draft.flag.push(...pieces.filter(({ kind }) => kind === 'flag'));
  draft.lastRow = row;
  return true;
}

/** The unit of a range is that of its result; words have none, so it is of the range. */
function addUnit(draft: Draft, unit: Draft['unit']): void {
  if (isInWords(draft)) draft.range.at(-1)?.push(...unit);
  else if (draft.unit.length === 0) draft.unit.push(...unit);
}

const isInWords = ({ value }: Draft): boolean =>
  value.length > 0 && value.every(({ kind }) => kind === 'quality' || kind === 'text');

/** A range right below an amount that could not be read is of no other result. */
export function isBelowLost({ pending }: Reading, { row, atoms }: ParsedRow): boolean {
  const lost = pending.at(-1);
  return (
    lost !== undefined &&
    atoms.some(({ said }) => said === 'range') &&
    lost.parsed.parts.value.some(({ kind }) => kind === 'number' || kind === 'compared') &&
    lost.row.page === row.page &&
    row.box.y0 - lost.row.box.y1 < row.fontSize
  );
}

/** Whether a line stands nearer to the result below it than to the one above, around which its range may be set. */
const isNearerTo = (next: ParsedRow | undefined, { row }: ParsedRow, draft: Draft): boolean =>
  next !== undefined &&
  next.parts.name.length > 0 &&
  next.parts.value.length > 0 &&
  next.row.box.y0 - row.box.y1 + 1.5 < aboveGapOf(draft, row);

/** In points: further lines of a range begin, end or have their middle where it does. */
const OUT_OF_LINE = 24;
const MANY_WORDS = 9;

/** Words, or a sentence, that begin left of the range above them and end elsewhere are no more of it. */
function isBesideRange({ range }: Draft, { box, words }: Row): boolean {
  if (words.length < MANY_WORDS && /\d/.test(textOf(words))) return false;
  const above = range.at(-1)?.map((atom) => atom.box);
  if (!above || above.length === 0) return false;
  const { x0, x1 } = unite(above);
  const isOff = [box.x1 - x1, (box.x0 + box.x1 - x0 - x1) / 2].every((gap) => Math.abs(gap) > 8);
  return x0 - box.x0 > OUT_OF_LINE && isOff;
}

/** A unit in a line of its own, right below the range or the value that it is of. */
function takeUnit(draft: Draft, { atoms, row }: ParsedRow): boolean {
  const [unit] = atoms;
  const above = [...(draft.range.at(-1) ?? []), ...draft.value];
  const isUnder =
    unit?.kind === 'unit' &&
    atoms.length === 1 &&
    draft.unit.length === 0 &&
    above.some(({ box }) => Math.abs(box.x0 - unit.box.x0) < 3) &&
    aboveGapOf(draft, row) < 0.6 * row.fontSize;
  if (!isUnder) return false;
  draft.unit.push(unit);
  draft.lastRow = row;
  return true;
}

/** A heading that stands in the middle is no range, though it may stand where those do. */
const seemsHeading = (row: Row, next: ParsedRow | undefined): boolean =>
  /^\P{Ll}*\p{Lu}{5}\P{Ll}*$/u.test(textOf(row.words)) ||
  (next !== undefined && row.fontSize > 1.05 * next.row.fontSize);

/** Whether a line is the one with the value, or one of its range. */
const isOf = (draft: Draft, { row, atoms }: ParsedRow): boolean =>
  row === draft.row || draft.range.some((line) => line.some((atom) => atoms.includes(atom)));

/** The white between a result and a line below it; what stands beside or above it is far. */
export const aboveGapOf = (draft: Draft, row: Row): number =>
  draft.row.page === row.page && row.box.y0 > draft.lastRow.box.y0 - 1
    ? row.box.y0 - draft.lastRow.box.y1
    : Number.POSITIVE_INFINITY;

/** "Reference range", and nothing else in its line. */
const announcesRange = ({ atoms, row }: ParsedRow): boolean =>
  atoms.length === 1 && roleOfHeading(textOf(row.words).replace(/\s*:$/, '')) === 'range';

/** What stands under an announced range where its label begins, as long as it goes on from line to line. */
function takeUnderLabel(draft: Draft, { atoms, row, parts }: ParsedRow): boolean {
  const label = draft.rangeLabel ?? draft.rangeBeside;
  const isBelow =
    label !== undefined &&
    row.segments.length === 1 &&
    Math.abs(row.box.x0 - label.box.x0) < 3 &&
    aboveGapOf(draft, row) < 0.9 * row.fontSize;
  if (!isBelow || row.words.length > 9 || parts.flag.length > 0) return false;
  const isInterval = atoms.some(
    ({ kind }) => kind === 'range' || kind === 'compared' || (kind === 'quality' && atoms.length === 1),
  );
  if (!isInterval && !(draft.range.length > 0 && /^\p{L}+ (?:ranges?|values?)$/u.test(textOf(row.words))))
    return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

/** A line with bounds that begins right below a range where that does: "Borderline high: 200 - 239". */
function takeBelow(draft: Draft, { atoms, row }: ParsedRow): boolean {
  const above = draft.range.at(-1)?.[0];
  const isBelow =
    above !== undefined &&
    row.segments.length === 1 &&
    Math.abs(row.box.x0 - above.box.x0) < 2 &&
    aboveGapOf(draft, row) < 0.9 * row.fontSize;
  if (!isBelow || row.words.length > 9 || !atoms.some(({ kind }) => kind === 'range' || kind === 'compared'))
    return false;
  const unit =
    draft.unit.length === 0 && !isInWords(draft) ? atoms.filter(({ kind }) => kind === 'unit') : [];
  draft.unit.push(...unit);
  draft.range.push(atoms.filter((atom) => !unit.includes(atom)));
  draft.lastRow = row;
  return true;
}

/** A further line of a range with the method of its test, or more of its name, at the left of it. */
export function takeRangeBeside(draft: Draft, { parts, row, atoms }: ParsedRow): boolean {
  const above = draft.range.at(-1)?.[0];
  const [first] = parts.range;
  const [name] = parts.name;
  if (!above || !first || first.segment === name?.segment || !parts.range.some(({ kind }) => kind !== 'text'))
    return false;
  if (first.box.x0 > above.box.x1 + 30 || above.box.x0 > first.box.x1) return false;
  // "Deficiency is likely below 30 ug/L." is a sentence, and its bound no line of a range.
  if (parts.value.some(({ segment }) => segment === first.segment)) return false;
  const line = atoms.filter((atom) => atom.kind !== 'blank' && atom.segment >= first.segment);
  draft.method.push(textOfAtoms(atoms.filter((atom) => atom.segment < first.segment)));
  draft.range.push(line);
  draft.lastRow = row;
  return true;
}

/** The name of the result above, where the same is said once more in another unit: 5.05 mmol/L, and 0.91 g/L below. */
export function otherUnitOf(reading: Reading, { parts, row }: ParsedRow): Word[][] | undefined {
  const draft = reading.drafts.at(-1);
  const [value] = parts.value;
  const [above] = draft?.value ?? [];
  const [unit] = parts.unit;
  const own = bare(textOfAtoms(parts.name));
  const isSaidAgain = SAYS_AGAIN.test(own);
  if (!draft || !value || !above || !unit || draft.unit.length === 0) return undefined;
  // A method may stand between a result and "or" it in another unit.
  if (reading.pending.length > (isSaidAgain ? 1 : 0)) return undefined;
  const stands = Math.min(Math.abs(value.box.x0 - above.box.x0), Math.abs(value.box.x1 - above.box.x1)) < 3;
  const isNext = aboveGapOf(draft, row) < (reading.pending.length > 0 ? 2.4 : 1.2) * row.fontSize;
  const isOther = sameUnitKey(textOfAtoms(draft.unit)) !== sameUnitKey(textOfAtoms(parts.unit));
  return stands && isNext && isOther && (own === '' || isSaidAgain || isOnlyMethod(own))
    ? draft.nameRows
    : undefined;
}

/**
 * Whether the result above is said once more in the units of another system, which makes no second result, unless it
 * has a range in proportion and an earlier result of its own, and no word says that it is the same.
 */
export function saysAgain(reading: Reading, parsed: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const isAgain =
    draft !== undefined &&
    !isFollowedToo(draft, parsed) &&
    otherUnitOf(reading, parsed) !== undefined &&
    isSameInOther(textOfAtoms(draft.unit), textOfAtoms(parsed.parts.unit));
  if (isAgain) {
    draft.lastRow = parsed.row;
    reading.pending = [];
  }
  return isAgain;
}

/** A line without a name that has its own range, in proportion, and what the result was earlier. */
const isFollowedToo = (draft: Draft, { parts: { name, value, range, previous } }: ParsedRow): boolean =>
  name.length === 0 &&
  range.length > 0 &&
  previous.length > 0 &&
  isProportional(textOfAtoms([...draft.value, ...draft.range.flat()]), textOfAtoms([...value, ...range]));

/** "Not pregnant: below 5.00 mIU/mL" right under an announced range is of that range, though it looks like a result. */
export function takeAnnounced(reading: Reading, { atoms, row, parts }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const label = draft?.rangeLabel;
  const [name, interval] = atoms;
  const isNext =
    draft && label && draft.lastRow.box.y0 >= label.box.y0 && aboveGapOf(draft, row) < row.fontSize;
  if (!isNext || name?.kind !== 'text' || !name.text.endsWith(':') || namesAnalyte(name.text)) return false;
  if (
    (interval?.kind !== 'range' && interval?.kind !== 'compared') ||
    parts.flag.length > 0 ||
    atoms.length > 3
  )
    return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

/** "Desirable: below 190" under an announced range is a line of that range. */
function takeGrade(reading: Reading, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const text = textOfAtoms(atoms);
  const isNear = draft?.rangeLabel !== undefined && aboveGapOf(draft, row) < 3 * row.fontSize;
  // "Optimal: < 90" right below the amount of a card, which stands under its name.
  const isOfCard =
    draft?.range.length === 0 &&
    draft.nameRows[0] !== undefined &&
    isUnderOwnName(draft) &&
    atoms.every(({ kind }) => kind !== 'label') &&
    text.includes(':') &&
    aboveGapOf(draft, row) < 1.2 * row.fontSize;
  if (!(isNear || isOfCard) || !draft || !/\d/.test(text) || !isGrade(text.split(/[:<>\d]/)[0] ?? ''))
    return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

export const isUnderOwnName = ({ nameRows, row }: Draft): boolean =>
  nameRows.flat().every(({ box }) => box.y1 < row.box.y0 + 1);

/** On cards the range may stand between the name and the value. */
function isUnderName(reading: Reading, { row, atoms }: ParsedRow): boolean {
  const name = reading.pending.at(-1);
  const isSaid = atoms.some((atom) => atom.said === 'range');
  if (isSaid && name === undefined && reading.carriedName !== null) return true;
  return (
    isSaid &&
    name !== undefined &&
    name.row.page === row.page &&
    row.box.y0 - name.row.box.y1 < 1.8 * row.fontSize
  );
}
