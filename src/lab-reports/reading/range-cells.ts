import type { Atom } from './atoms.ts';
import { aboveGapOf } from './continuations.ts';
import { type Draft, wordsOfAtoms } from './drafts.ts';
import type { Reading } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import { textOf } from './rows.ts';
import { unite } from './word.ts';

const MOST_WORDS = 7;

/**
 * "Follicular 3.5 - 12.5" beside a result, and right below it "Luteal 1.7 - 7.7": where the lines of a cell begin alike,
 * each with the phase that it is for, all are its range, and the word before the first is of it too.
 */
export function takePhase(reading: Reading, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [phase, interval, ...others] = atoms;
  if (takeBelowPhase(draft, { atoms, row })) return true;
  // Under the label of a range, its lines are known by that.
  if (draft?.rangeLabel || draft?.rangeBeside) return false;
  const before = draft && phaseBefore(draft);
  const isLine =
    phase !== undefined &&
    /^\p{L}[\p{L} -]*:?$/u.test(phase.text) &&
    (interval?.kind === 'range' || interval?.kind === 'compared') &&
    others.every(({ kind }) => kind === 'unit');
  const isBelow =
    draft !== undefined &&
    row.segments.length === 1 &&
    row.words.length <= MOST_WORDS &&
    aboveGapOf(draft, row) < 0.6 * row.fontSize;
  if (!draft || !before || !isLine || !isBelow || Math.abs(before.box.x0 - row.box.x0) > 2) return false;
  const [first, ...further] = draft.range;
  const isAdded = first?.includes(before) || first?.[0]?.words[0] === before.words[0];
  if (first && !isAdded) draft.range.splice(0, draft.range.length, [before, ...first], ...further);
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

/** "Follicular" at the end of a result, and right below it, where that begins, "3.5 - 12.5" and nothing else. */
function takeBelowPhase(draft: Draft | undefined, { atoms, row }: Pick<ParsedRow, 'atoms' | 'row'>): boolean {
  const [interval, unit, ...others] = atoms;
  if (!draft || draft.range.length > 0 || others.length > 0 || (unit && unit.kind !== 'unit')) return false;
  if (interval?.kind !== 'range' && interval?.kind !== 'compared') return false;
  const begin = draft.row.words.findIndex(({ box }) => Math.abs(box.x0 - row.box.x0) < 3);
  const words = draft.row.words.slice(begin);
  const taken = [...draft.nameRows.flat(), ...wordsOfAtoms([...draft.value, ...draft.unit, ...draft.flag])];
  const isPhase =
    begin > 0 && /^\p{L}[\p{L} .-]*:?$/u.test(textOf(words)) && !words.some((word) => taken.includes(word));
  if (!isPhase || aboveGapOf(draft, row) > 0.6 * row.fontSize) return false;
  draft.range.push(
    [{ ...interval, kind: 'text', text: textOf(words), words, box: unite(words.map(({ box }) => box)) }],
    [...atoms],
  );
  draft.lastRow = row;
  return true;
}

/** The words of its cell that stand before the range of a result. */
function phaseBefore({ range, row }: Draft): Atom | undefined {
  const own = range[0]?.[0];
  const cell = row.segments.find(({ words }) => words.some(({ box }) => box.x0 === own?.box.x0));
  if (!own || !cell) return /^\p{L}/u.test(own?.text ?? '') ? own : undefined;
  const words = cell.words.filter(({ box }) => box.x0 < own.box.x0);
  if (words.length === 0) return /^\p{L}/u.test(own.text) ? own : undefined;
  const text = textOf(words);
  if (!/^\p{L}[\p{L} -]*:?$/u.test(text)) return undefined;
  return { ...own, kind: 'text', text, words, box: unite(words.map(({ box }) => box)) };
}
