import { textOfAtoms } from './drafts.ts';
import { isGrade } from './lexicon/not-results.ts';
import type { Place, Reading } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';

interface Around {
  readonly place: Place;
  readonly next: ParsedRow | undefined;
}

/** A line with nothing but more of a range belongs to the result that is nearest, above or below. */
export function takeRange(reading: Reading, parsed: ParsedRow, { place, next }: Around): boolean {
  const { parts, row, atoms } = parsed;
  const draft = reading.drafts.at(-1);
  const pieces = atoms.filter((atom) => atom.kind !== 'blank' && atom.kind !== 'label');
  if (draft && takeGrade(reading, parsed)) return true;
  if (draft && atoms.length === 1 && atoms[0]?.said === 'range' && atoms[0].kind === 'label')
    draft.rangeIsOpen = true;
  const inRange =
    parts.range.length > 0 && pieces.every((atom) => parts.range.includes(atom) || parts.unit.includes(atom));
  if (!inRange || parts.name.length > 0) return false;
  const belowGap = next ? next.row.box.y0 - row.box.y1 : Number.POSITIVE_INFINITY;
  const aboveGap =
    draft?.row.page === row.page ? row.box.y0 - draft.lastRow.box.y1 : Number.POSITIVE_INFINITY;
  const goesOn = reading.rangeAhead.some((ahead) => row.box.y0 - ahead.row.box.y1 < belowGap + 1.5);
  const isCentred =
    belowGap < row.fontSize && place.columns.length > 0 && (goesOn || aboveGap > belowGap + 1.5);
  if (isCentred || isUnderName(reading, parsed)) {
    reading.rangeAhead.push({ atoms: [...parts.range], unit: [...parts.unit], row });
    return true;
  }
  if (!draft || aboveGap > 3 * row.fontSize) return false;
  draft.range.push([...parts.range]);
  if (draft.unit.length === 0) draft.unit.push(...parts.unit);
  draft.lastRow = row;
  return true;
}

/** "Desirable: below 190" under an announced range is a line of that range. */
function takeGrade(reading: Reading, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const text = textOfAtoms(atoms);
  const isNear =
    draft?.rangeIsOpen && draft.row.page === row.page && row.box.y0 - draft.lastRow.box.y1 < 3 * row.fontSize;
  if (!isNear || !/\d/.test(text) || !isGrade(text.split(/[:<>\d]/)[0] ?? '')) return false;
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

/** On cards the range may stand between the name and the value. */
function isUnderName(reading: Reading, { row, atoms }: ParsedRow): boolean {
  const name = reading.pending.at(-1);
  const isSaid = atoms.some((atom) => atom.said === 'range');
  return (
    isSaid &&
    name !== undefined &&
    name.row.page === row.page &&
    row.box.y0 - name.row.box.y1 < 1.8 * row.fontSize
  );
}

/** A result in words that goes on in the next line of its column. */
export function takeValue(reading: Reading, { parts, atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [first] = parts.value;
  const isAlone =
    first !== undefined && atoms.every((atom) => parts.value.includes(atom) || parts.range.includes(atom));
  if (!draft || !isAlone || draft.row.page !== row.page || reading.pending.length > 0) return false;
  const last = draft.value.at(-1);
  const inWords = [first, last].every((atom) => atom?.kind === 'text' || atom?.kind === 'quality');
  const isBelow = last !== undefined && first.box.x0 < last.box.x1 + 20 && last.box.x0 < first.box.x1 + 20;
  if (!inWords || !isBelow || row.box.y0 - draft.lastRow.box.y1 > 0.5 * row.fontSize) return false;
  draft.value.push(...parts.value);
  if (parts.range.length > 0) draft.range.push([...parts.range]);
  draft.lastRow = row;
  return true;
}
