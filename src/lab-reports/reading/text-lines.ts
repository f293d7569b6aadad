import { takeRangeBeside } from './continuations.ts';
import { type Draft, isWrapped, wordsOfAtoms } from './drafts.ts';
import { headingStyle, isMethod, isNote } from './headings.ts';
import type { ParsedRow } from './regions.ts';
import type { Place, Reading } from './reading-state.ts';
import { textOf } from './rows.ts';

/** A line without a value: a heading, a name that goes on, a method, a note. */
export function takeText(reading: Reading, parsed: ParsedRow, place: Place): void {
  const draft = reading.drafts.at(-1);
  if (draft && goesOn(draft, parsed, { place, isAfterHeading: reading.pending.length > 0 })) return;
  const words = [...parsed.row.words];
  const nameWords = wordsOfAtoms(parsed.parts.name);
  const text = textOf(words);
  const style = headingStyle(parsed);
  if (style !== 'other') reading.rangeAhead = [];
  if (style === 'heading') {
    const isApart = nameWords.length > 0 && parsed.row.segments.length > 1;
    const pending = { words: isApart ? nameWords : words, row: parsed.row, parsed };
    reading.pending = [...reading.pending.slice(-2), pending];
  } else if (style === 'specimen') reading.specimenHint = text;
  else if (draft && isNote(text)) draft.notes.push(text);
  if (style === 'sentence') reading.pending = [];
}

interface Around {
  readonly place: Place;
  readonly isAfterHeading: boolean;
}

/** Whether the line is more of the result above it, which is then added to that. */
function goesOn(draft: Draft, parsed: ParsedRow, { place, isAfterHeading }: Around): boolean {
  const { row, parts } = parsed;
  const isNear = draft.row.page === row.page && row.box.y0 - draft.lastRow.box.y1 < 1.6 * row.fontSize;
  if (!isNear) return false;
  const nameWords = wordsOfAtoms(parts.name);
  if (isMethod(textOf(nameWords), row, draft.row) && takeRangeBeside(draft, parsed)) return true;
  if (isAfterHeading) return false;
  const isOfMethod = isMethod(textOf(row.words), row, draft.row);
  const above = { words: draft.nameRows.at(-1) ?? [], row: draft.lastRow };
  const isOfName =
    nameWords.length > 0 &&
    draft.nameRows.length < 4 &&
    isWrapped({ above, below: { words: nameWords, row }, limit: place.limit, pitch: place.pitch }) &&
    headingStyle(parsed) !== 'sentence' &&
    !isOfMethod;
  if (!isOfName && !isOfMethod) return false;
  if (isOfMethod) draft.method.push(textOf(row.words));
  else draft.nameRows.push(nameWords);
  if (isOfName && parts.range.length > 0) draft.range.push([...parts.range]);
  draft.lastRow = row;
  return true;
}
