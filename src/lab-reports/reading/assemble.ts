import { boxOf, type Draft, isWrapped, nameLimit, textOfAtoms, wordsOfAtoms } from './drafts.ts';
import { ENOUGH, evidenceOf } from './evidence.ts';
import { headingStyle, isMethod, isNote } from './headings.ts';
import { addAmount } from './amounts.ts';
import { takeRange, takeValue } from './continuations.ts';
import { isGeneric } from './lexicon/not-results.ts';
import type { ParsedRow, Region } from './regions.ts';
import type { Pending, Place, Reading } from './reading-state.ts';
import { textOf } from './rows.ts';
import type { Word } from './word.ts';

/** Puts the lines of one region together to results, which are added to the reading. */
export function assemble(reading: Reading, region: Region): void {
  const place: Place = {
    region,
    columns: region.columns,
    limit: nameLimit(region.rows, region.columns),
    pitch: pitchOf(region.rows),
  };
  region.rows.forEach((parsed, index) => {
    if (parsed.parts.value.length > 0 && takeResult(reading, parsed, place)) return;
    if (takeValue(reading, parsed)) return;
    if (takeRange(reading, parsed, { place, next: region.rows[index + 1] })) return;
    takeText(reading, parsed, place);
  });
}

function pitchOf(rows: readonly ParsedRow[]): number {
  const tops = rows
    .filter(({ parts }) => parts.value.length > 0 && parts.name.length > 0)
    .map(({ row }) => row.box.y0);
  const steps = tops
    .slice(1)
    .map((top, index) => top - (tops[index] ?? top))
    .filter((step) => step > 2);
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 20;
}

/** A line with a value, under its own name, under one that began above it, or under the heading above it. */
function takeResult(reading: Reading, parsed: ParsedRow, place: Place): boolean {
  const own = wordsOfAtoms(parsed.parts.name);
  const nameRows = namesFor({ own, reading, parsed, place });
  const name = nameRows.map(textOf).join(' ');
  const claim = { name, parsed, columns: place.columns, hasHeader: place.region.hasHeader };
  const evidence = evidenceOf(claim) + (reading.rangeAhead.length > 0 ? 1.6 : 0);
  if (evidence < ENOUGH) return false;
  closePending(reading, nameRows);
  reading.drafts.push({
    nameRows,
    value: [...parsed.parts.value],
    flag: [...parsed.parts.flag],
    unit:
      parsed.parts.unit.length > 0
        ? [...parsed.parts.unit]
        : (reading.rangeAhead.find(({ unit }) => unit.length > 0)?.unit ?? []),
    range: [...reading.rangeAhead.map(({ atoms }) => atoms), [...parsed.parts.range]].filter(
      (line) => line.length > 0,
    ),
    method: [],
    notes: [],
    panel: reading.panel,
    section: reading.section,
    specimenHint: reading.specimenHint,
    row: parsed.row,
    lastRow: parsed.row,
    evidence,
    cost: parsed.cost,
    hasHeader: place.region.hasHeader,
  });
  addAmount(reading.drafts, parsed);
  reading.rangeAhead = [];
  return true;
}

interface Naming {
  readonly own: Word[];
  readonly reading: Reading;
  readonly parsed: ParsedRow;
  readonly place: Place;
}

function namesFor({ own, reading, parsed, place }: Naming): Word[][] {
  const above = reading.pending.at(-1);
  if (own.length > 0 && !isGeneric(textOf(own))) {
    if (!above) return [own];
    const wrapped = isWrapped({
      above,
      below: { words: own, row: parsed.row },
      limit: place.limit,
      pitch: place.pitch,
    });
    return wrapped ? [above.words, own] : [own];
  }
  const lines = 3.2 + 1.6 * reading.rangeAhead.length;
  const named = reading.pending.findLast((pending) => isAbove(pending, parsed, lines));
  return [named?.words ?? own];
}

/** Cards print the name over the value. */
function isAbove(pending: Pending, { row }: ParsedRow, lines: number): boolean {
  const distance = row.box.y0 - pending.row.box.y1;
  return distance < lines * row.fontSize && pending.row.page === row.page;
}

/** What was pending above a result and is not its name was a heading. */
function closePending(reading: Reading, nameRows: readonly Word[][]): void {
  const headings = reading.pending.filter(
    ({ words }) => !nameRows.includes(words) && textOf(words) !== reading.labName,
  );
  const last = headings.at(-1);
  if (last) {
    reading.section = headings.length > 1 ? textOf(headings.at(-2)?.words ?? []) : reading.section;
    reading.panel = textOf(last.words);
    reading.specimenHint = null;
  }
  reading.pending = [];
}

/** Everything else: a heading, a name that goes on, a method, a note. */
function takeText(reading: Reading, parsed: ParsedRow, place: Place): void {
  const words = [...parsed.row.words];
  const text = textOf(words);
  const draft = reading.drafts.at(-1);
  const isNear =
    draft !== undefined &&
    draft.row.page === parsed.row.page &&
    parsed.row.box.y0 - draft.lastRow.box.y1 < 1.6 * parsed.row.fontSize;
  const nameWords = wordsOfAtoms(parsed.parts.name);
  if (draft && isNear && reading.pending.length === 0) {
    const above = { words: draft.nameRows.at(-1) ?? [], row: draft.lastRow };
    const wrapped =
      nameWords.length > 0 &&
      isWrapped({
        above,
        below: { words: nameWords, row: parsed.row },
        limit: place.limit,
        pitch: place.pitch,
      });
    if (
      wrapped &&
      draft.nameRows.length < 4 &&
      headingStyle(parsed) !== 'sentence' &&
      !isMethod(text, parsed.row, draft.row)
    ) {
      draft.nameRows.push(nameWords);
      if (parsed.parts.range.length > 0) draft.range.push([...parsed.parts.range]);
      draft.lastRow = parsed.row;
      return;
    }
    if (isMethod(text, parsed.row, draft.row)) {
      draft.method.push(text);
      draft.lastRow = parsed.row;
      return;
    }
  }
  const style = headingStyle(parsed);
  if (style !== 'other') reading.rangeAhead = [];
  if (style === 'heading')
    reading.pending = [
      ...reading.pending.slice(-2),
      { words: nameWords.length > 0 ? nameWords : words, row: parsed.row, parsed },
    ];
  else if (style === 'specimen') reading.specimenHint = text;
  else if (draft && isNote(text)) draft.notes.push(text);
  if (style === 'sentence') reading.pending = [];
}

export const textOfDraftName = (draft: Draft): string => draft.nameRows.map(textOf).join(' ');
export const boxOfDraft = (draft: Draft) => boxOf(draft.nameRows.flat());
export { textOfAtoms };
