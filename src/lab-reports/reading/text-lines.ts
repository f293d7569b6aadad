import type { Atom } from './atoms.ts';
import { aboveGapOf, takeRangeBeside } from './continuations.ts';
import { type Draft, isWrapped, wordsOfAtoms } from './drafts.ts';
import { endsTable, headsNext, withoutLabel } from './heads-next.ts';
import { headingStyle, isMethod, isNote } from './headings.ts';
import type { ParsedRow } from './regions.ts';
import type { Place, Reading } from './reading-state.ts';
import { textOf } from './rows.ts';

/** A line without a value: a heading, a name that goes on, a method, a note. */
export function takeText(reading: Reading, parsed: ParsedRow, place: Place): void {
  const draft = reading.drafts.at(-1);
  if (draft && isLost(parsed) && reading.pending.length === 0) close(draft);
  if (draft && goesOn(draft, parsed, { place, isAfterHeading: reading.pending.length > 0 })) return;
  const words = [...parsed.row.words];
  const nameWords = wordsOfAtoms(parsed.parts.name);
  const text = textOf(words);
  const style = headingStyle(parsed);
  if (style !== 'other') reading.rangeAhead = [];
  if (style === 'heading') {
    const isApart = nameWords.length > 0 && (parsed.row.segments.length > 1 || hasMethodBehind(parsed));
    const pending = { words: withoutLabel(isApart ? nameWords : words), row: parsed.row, parsed };
    reading.pending = [...reading.pending.slice(-2), pending];
  } else if (style === 'specimen') reading.specimenHint = text;
  else if (draft && isNote(text) && draft.lastRow.box.y0 !== Number.POSITIVE_INFINITY) draft.notes.push(text);
  if (style === 'sentence') reading.pending = [];
}

/** "Result: negative" under a title that nobody understood. */
const isLost = ({ atoms, parts }: ParsedRow): boolean =>
  atoms[0]?.kind === 'label' &&
  atoms[0].said === 'value' &&
  parts.value.length > 0 &&
  parts.name.length === 0;

/** Nothing below is more of this result. */
function close(draft: Draft): void {
  delete draft.rangeLabel;
  delete draft.rangeBeside;
  draft.lastRow = { ...draft.lastRow, box: { ...draft.lastRow.box, y0: Number.POSITIVE_INFINITY } };
}

/** "TSH   Material: serum - Method: ...": what a label says of a test behind its name is no more of that. */
const hasMethodBehind = ({ atoms, parts }: ParsedRow): boolean => {
  const label = atoms.findIndex(({ kind, said }) => kind === 'label' && said === 'method');
  return label > 0 && parts.name.every((atom) => atoms.indexOf(atom) < label);
};

interface Around {
  readonly place: Place;
  readonly isAfterHeading: boolean;
}

/** Whether the line is more of the result above it, which is then added to that. */
function goesOn(draft: Draft, parsed: ParsedRow, { place, isAfterHeading }: Around): boolean {
  const { row, parts } = parsed;
  if (aboveGapOf(draft, row) > 1.6 * row.fontSize) return false;
  const nameWords = wordsOfAtoms(parts.name);
  const [first] = parsed.atoms;
  const own = { ...row, fontSize: nameWords[0]?.fontSize ?? row.fontSize };
  // Cards print what was found larger than its name.
  const size = Math.min(draft.row.fontSize, draft.nameRows[0]?.[0]?.fontSize ?? draft.row.fontSize);
  const result = { ...draft.row, fontSize: size };
  const isMethodBeside =
    (first?.kind === 'label' && first.said === 'method') || isMethod(textOf(nameWords), own, result);
  if (isMethodBeside && takeRangeBeside(draft, parsed)) return true;
  const name = textOf(draft.nameRows.flat());
  if (isAfterHeading || headsNext(parsed, place) || endsTable(name, parsed, place)) return false;
  const isOfMethod = isMethod(textOf(row.words), own, result);
  const above = { words: draft.nameRows.at(-1) ?? [], row: draft.lastRow };
  const isOfName =
    nameWords.length > 0 &&
    draft.nameRows.length < 4 &&
    (continuesRange(draft, parsed) ||
      isWrapped({ above, below: { words: nameWords, row }, limit: place.limit, pitch: place.pitch })) &&
    headingStyle(parsed) !== 'sentence' &&
    !isOfMethod &&
    !isOfOther(draft, parsed);
  if (!isOfName && !isOfMethod) return false;
  if (isOfMethod) draft.method.push(textOf(row.words));
  else draft.nameRows.push(nameWords);
  if (isOfName && parts.range.length > 0) draft.range.push([...parts.range]);
  draft.lastRow = row;
  return true;
}

/** Whether a line goes on with a range, right below it: what stands at its left goes on with the name. */
function continuesRange(draft: Draft, { row, parts }: ParsedRow): boolean {
  const [above] = draft.range.at(-1) ?? [];
  const [own] = parts.range;
  const isBelow = above !== undefined && own !== undefined && Math.abs(above.box.x0 - own.box.x0) < 2;
  const saysOf = /\p{L}{3}/u.test(own?.text ?? '');
  return (
    isBelow &&
    saysOf &&
    parts.value.length + parts.unit.length === 0 &&
    aboveGapOf(draft, row) < 0.5 * row.fontSize
  );
}

/** A line with a unit or a plain range of its own is of another result, though it has no value. */
const isOfOther = (draft: Draft, { parts }: ParsedRow): boolean =>
  (draft.unit.length > 0 && parts.unit.length > 0) ||
  (draft.range.flat().some(isPlain) && parts.range.some(isPlain));

const isPlain = ({ kind, text }: Atom): boolean => kind === 'range' && !/\p{L}/u.test(text);
