import type { Atom } from './atoms.ts';
import { measureGapAbove } from './continuations.ts';
import { type ResultDraft, collectWords } from './result-draft.ts';
import type { ReadingState } from './reading-state.ts';
import type { ParsedRow } from './regions.ts';
import { joinWords } from './rows.ts';
import { uniteBoxes } from './report-model.ts';

const MOST_WORDS = 7;

/**
 * "Follicular 3.5 - 12.5" after a result, with "Luteal 1.7 - 7.7" right below: if the lines of a cell begin at the same
 * edge, each with its phase, all are ranges, and the word before the first belongs to it too.
 */
export function takePhaseRange(reading: ReadingState, { atoms, row }: ParsedRow): boolean {
  const draft = reading.drafts.at(-1);
  const [phase, interval, ...others] = atoms;
  if (takeRangeBelowPhase(draft, { atoms, row })) return true;
  // Rows under a range label are handled elsewhere.
  if (draft?.rangeLabel || draft?.inlineRangeLabel) return false;
  const before = draft && findPhase(draft);
  const isLine =
    phase !== undefined &&
    /^\p{L}[\p{L} -]*:?$/u.test(phase.text) &&
    (interval?.kind === 'range' || interval?.kind === 'compared') &&
    others.every(({ kind }) => kind === 'unit');
  const isBelow =
    draft !== undefined &&
    row.segments.length === 1 &&
    row.words.length <= MOST_WORDS &&
    measureGapAbove(draft, row) < 0.6 * row.fontSize;
  if (!draft || !before || !isLine || !isBelow || Math.abs(before.box.x0 - row.box.x0) > 2) return false;
  const [first, ...further] = draft.range;
  const isAdded = first?.includes(before) || first?.[0]?.words[0] === before.words[0];
  if (first && !isAdded) draft.range.splice(0, draft.range.length, [before, ...first], ...further);
  draft.range.push([...atoms]);
  draft.lastRow = row;
  return true;
}

/** "Follicular" at the end of a result row, and right below it, left-aligned, only "3.5 - 12.5". */
function takeRangeBelowPhase(
  draft: ResultDraft | undefined,
  { atoms, row }: Pick<ParsedRow, 'atoms' | 'row'>,
): boolean {
  const [interval, unit, ...others] = atoms;
  if (!draft || draft.range.length > 0 || others.length > 0 || (unit && unit.kind !== 'unit')) return false;
  if (interval?.kind !== 'range' && interval?.kind !== 'compared') return false;
  const begin = draft.row.words.findIndex(({ box }) => Math.abs(box.x0 - row.box.x0) < 3);
  const words = draft.row.words.slice(begin);
  const taken = [...draft.nameRows.flat(), ...collectWords([...draft.value, ...draft.unit, ...draft.flag])];
  const isPhase =
    begin > 0 &&
    /^\p{L}[\p{L} .-]*:?$/u.test(joinWords(words)) &&
    !words.some((word) => taken.includes(word));
  if (!isPhase || measureGapAbove(draft, row) > 0.6 * row.fontSize) return false;
  draft.range.push(
    [
      {
        ...interval,
        kind: 'text',
        text: joinWords(words),
        words,
        box: uniteBoxes(words.map(({ box }) => box)),
      },
    ],
    [...atoms],
  );
  draft.lastRow = row;
  return true;
}

/** The words before the range in its cell. */
function findPhase({ range, row }: ResultDraft): Atom | undefined {
  const own = range[0]?.[0];
  const cell = row.segments.find(({ words }) => words.some(({ box }) => box.x0 === own?.box.x0));
  if (!own || !cell) return /^\p{L}/u.test(own?.text ?? '') ? own : undefined;
  const words = cell.words.filter(({ box }) => box.x0 < own.box.x0);
  if (words.length === 0) return /^\p{L}/u.test(own.text) ? own : undefined;
  const text = joinWords(words);
  if (!/^\p{L}[\p{L} -]*:?$/u.test(text)) return undefined;
  return { ...own, kind: 'text', text, words, box: uniteBoxes(words.map(({ box }) => box)) };
}
