import type { Atom } from './atoms.ts';
import { measureGapAbove, takeRangeNextToMethod } from './continuations.ts';
import { type ResultDraft, isNameWrapped, collectWords } from './result-draft.ts';
import { isTitleAfterTable, isTitleOfNextResult, withoutNameLabel } from './result-titles.ts';
import { classifyLine, isMethodText, isNoteText } from './line-styles.ts';
import type { ParsedRow } from './regions.ts';
import type { RegionContext, ReadingState } from './reading-state.ts';
import { joinWords } from './rows.ts';

/** A row without a value: a heading, a continued name, a method or a note. */
export function takeTextLine(reading: ReadingState, parsed: ParsedRow, place: RegionContext): void {
  const draft = reading.drafts.at(-1);
  if (draft && isUntitledResult(parsed) && reading.pending.length === 0) closeDraft(draft);
  if (draft && takeContinuation(draft, parsed, { place, isAfterHeading: reading.pending.length > 0 })) return;
  const words = [...parsed.row.words];
  const nameWords = collectWords(parsed.parts.name);
  const text = joinWords(words);
  const style = classifyLine(parsed);
  if (style !== 'other') reading.rangeAhead = [];
  if (style === 'heading') {
    const isApart = nameWords.length > 0 && (parsed.row.segments.length > 1 || hasMethodAfterName(parsed));
    const pending = { words: withoutNameLabel(isApart ? nameWords : words), row: parsed.row, parsed };
    reading.pending = [...reading.pending.slice(-2), pending];
  } else if (style === 'specimen') reading.specimenHint = text;
  else if (draft && isNoteText(text) && draft.lastRow.box.y0 !== Number.POSITIVE_INFINITY)
    draft.notes.push(text);
  if (style === 'sentence') reading.pending = [];
}

/** "Result: negative" under a title that was not recognized. */
const isUntitledResult = ({ atoms, parts }: ParsedRow): boolean =>
  atoms[0]?.kind === 'label' &&
  atoms[0].labelRole === 'value' &&
  parts.value.length > 0 &&
  parts.name.length === 0;

/** Ends a result: nothing below continues it. */
function closeDraft(draft: ResultDraft): void {
  delete draft.rangeLabel;
  delete draft.inlineRangeLabel;
  draft.lastRow = { ...draft.lastRow, box: { ...draft.lastRow.box, y0: Number.POSITIVE_INFINITY } };
}

/** "TSH   Material: serum - Method: ...": labeled method text after the name is not part of it. */
const hasMethodAfterName = ({ atoms, parts }: ParsedRow): boolean => {
  const label = atoms.findIndex(({ kind, labelRole }) => kind === 'label' && labelRole === 'method');
  return label > 0 && parts.name.every((atom) => atoms.indexOf(atom) < label);
};

interface TextLineContext {
  readonly place: RegionContext;
  readonly isAfterHeading: boolean;
}

/** Adds the row to the result above if it continues that one. */
function takeContinuation(
  draft: ResultDraft,
  parsed: ParsedRow,
  { place, isAfterHeading }: TextLineContext,
): boolean {
  const { row, parts } = parsed;
  if (measureGapAbove(draft, row) > 1.6 * row.fontSize) return false;
  const nameWords = collectWords(parts.name);
  const [first] = parsed.atoms;
  const own = { ...row, fontSize: nameWords[0]?.fontSize ?? row.fontSize };
  // Cards print values larger than names.
  const size = Math.min(draft.row.fontSize, draft.nameRows[0]?.[0]?.fontSize ?? draft.row.fontSize);
  const result = { ...draft.row, fontSize: size };
  const isMethodBeside =
    (first?.kind === 'label' && first.labelRole === 'method') ||
    isMethodText(joinWords(nameWords), own, result);
  if (isMethodBeside && takeRangeNextToMethod(draft, parsed)) return true;
  const name = joinWords(draft.nameRows.flat());
  if (isAfterHeading || isTitleOfNextResult(parsed, place) || isTitleAfterTable(name, parsed, place))
    return false;
  const isOfMethod = isMethodText(joinWords(row.words), own, result);
  const above = { words: draft.nameRows.at(-1) ?? [], row: draft.lastRow };
  const isOfName =
    nameWords.length > 0 &&
    draft.nameRows.length < 4 &&
    (continuesRange(draft, parsed) ||
      isNameWrapped({ above, below: { words: nameWords, row }, limit: place.limit, pitch: place.pitch })) &&
    classifyLine(parsed) !== 'sentence' &&
    !isOfMethod &&
    !isOfOtherResult(draft, parsed);
  if (!isOfName && !isOfMethod) return false;
  if (isOfMethod) draft.method.push(joinWords(row.words));
  else draft.nameRows.push(nameWords);
  if (isOfName && parts.range.length > 0) draft.range.push([...parts.range]);
  draft.lastRow = row;
  return true;
}

/** Whether a row continues the range right below it; then the text to the left continues the name. */
function continuesRange(draft: ResultDraft, { row, parts }: ParsedRow): boolean {
  const [above] = draft.range.at(-1) ?? [];
  const [own] = parts.range;
  const isBelow = above !== undefined && own !== undefined && Math.abs(above.box.x0 - own.box.x0) < 2;
  const saysOf = /\p{L}{3}/u.test(own?.text ?? '');
  return (
    isBelow &&
    saysOf &&
    parts.value.length + parts.unit.length === 0 &&
    measureGapAbove(draft, row) < 0.5 * row.fontSize
  );
}

/** A row with its own unit or plain range belongs to another result, even without a value. */
const isOfOtherResult = (draft: ResultDraft, { parts }: ParsedRow): boolean =>
  (draft.unit.length > 0 && parts.unit.length > 0) ||
  (draft.range.flat().some(isPlain) && parts.range.some(isPlain));

const isPlain = ({ kind, text }: Atom): boolean => kind === 'range' && !/\p{L}/u.test(text);
