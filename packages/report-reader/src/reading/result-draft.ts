import type { Atom } from './atoms.ts';
import type { ReportColumn } from './columns.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { isAllCaps } from './text-normalization.ts';
import { type TextRow, joinWords } from './rows.ts';
import type { ParsedRow } from './regions.ts';
import { type BoundingBox, type ReportWord, uniteBoxes } from './report-model.ts';

/** A result under construction, before all its rows are read. */
export interface ResultDraft {
  readonly nameRows: ReportWord[][];
  readonly value: Atom[];
  readonly flag: Atom[];
  readonly unit: Atom[];
  readonly range: Atom[][];
  readonly method: string[];
  readonly notes: string[];
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimenHint: string | null;
  /** The row with the value. */
  readonly row: TextRow;
  lastRow: TextRow;
  /** A range label; the rows below it belong to the range. */
  rangeLabel?: { readonly box: BoundingBox };
  /** The range label in the row of the result; further range rows may begin there. */
  inlineRangeLabel?: { readonly box: BoundingBox };
  /**
   * Whether words of its cell were left out, so that the rest may have another meaning, or whether it has several ranges
   * from which none was chosen.
   */
  isAmbiguous: boolean;
  readonly evidence: number;
  readonly cost: number;
  readonly hasHeader: boolean;
}

export const collectWords = (atoms: readonly Atom[]): ReportWord[] =>
  atoms.flatMap((atom) => [...atom.words]);
export const joinAtomText = (atoms: readonly Atom[]): string => joinWords(collectWords(atoms));
export const findBoundingBox = (words: readonly ReportWord[]): BoundingBox | undefined =>
  words.length > 0 ? uniteBoxes(words.map((word) => word.box)) : undefined;

/** Where names may end: at the next column, or at the end of the longest name. */
export function findNameLimit(rows: readonly ParsedRow[], columns: readonly ReportColumn[]): number {
  const names = rows.filter(({ parts }) => parts.name.length > 0 && parts.value.length > 0);
  const longest = Math.max(0, ...names.map(({ parts }) => parts.name.at(-1)?.box.x1 ?? 0));
  const nameColumn = columns.find((column) => column.role === 'name');
  const next = columns
    .filter((column) => column.role !== 'name' && column.x0 > (nameColumn?.x0 ?? 0) + 20)
    .reduce((least, column) => Math.min(least, column.x0), Number.POSITIVE_INFINITY);
  return names.length === 0 ? Number.POSITIVE_INFINITY : Math.max(longest, Math.min(next, longest + 30));
}

interface NameWrap {
  readonly above: { readonly words: readonly ReportWord[]; readonly row: TextRow };
  readonly below: { readonly words: readonly ReportWord[]; readonly row: TextRow };
  readonly limit: number;
  /** The usual distance from one result to the next; undefined if the table has one result. */
  readonly pitch: number | undefined;
  /** Whether the row below is the one with the value. */
  readonly hasResult?: true;
}

/** In points: assumed for a table with one result. */
const USUAL_PITCH = 20;

const CONNECTING_END =
  /(?:[,\-/(&+]|\b(?:and|of|with|de|del|di|der|et|y|und|e|con|mit|da|do|la|in|for|to|by))$/i;

/** No name begins with these words, though a note below a result may. */
const CONTINUATION_WORD = /^(?:per|of|by|with|and|or|for|del|della|dei|di|der|des|und|pro|por|par|et|e|y)$/u;

/** "Support: gel of agarose. Densitometry." is not the first line of a name. */
const ENDS_SENTENCE = /(?:\S+\s){2}.*\p{Ll}{5}\.$/u;

/** "f1" and "d201" begin names of allergens, though in lower case. */
const ALLERGEN_CODE = /^\p{Ll}{1,2}\d{1,3}$/u;

/** Whether a name continues in the row below it. */
export function isNameWrapped({ above, below, limit, pitch, hasResult }: NameWrap): boolean {
  const last = above.words.at(-1);
  const first = below.words[0];
  const start = above.words[0];
  if (!last || !first || !start) return false;
  const gap = below.row.box.y0 - above.row.box.y1;
  const size = above.row.fontSize;
  if (gap > size * 0.9 || Math.abs(first.fontSize - last.fontSize) > 0.12 * size) return false;
  if (first.font !== undefined && last.font !== undefined && first.font !== last.font) return false;
  if (first.box.x0 < start.box.x0 - 3 || first.box.x0 > start.box.x0 + 30) return false;
  if (ENDS_SENTENCE.test(joinWords(above.words)) && /^\p{Lu}/u.test(first.text)) return false;
  const isTight = below.row.box.y0 - above.row.box.y0 < (pitch ?? USUAL_PITCH) * 0.86;
  if (hasResult && CONTINUATION_WORD.test(first.text)) return true;
  if (
    hasResult &&
    isWholeHeading(above.words) &&
    /^\p{Lu}/u.test(first.text) &&
    hasAnalyteWord(joinWords(below.words))
  )
    return false;
  const seemsOn =
    (/^(?:\p{Ll}(?!\p{Lu})|[([&/+-])/u.test(first.text) && !ALLERGEN_CODE.test(first.text)) ||
    CONNECTING_END.test(last.text) ||
    hasOpenBracket(above.words);
  const isFull = last.box.x1 + 0.25 * size + (first.box.x1 - first.box.x0) > limit - 1;
  if (isAllCaps(joinWords(above.words)) && !isAllCaps(joinWords(below.words))) return false;
  if (seemsOn) return isFull || isTight || hasOpenBracket(above.words) || CONNECTING_END.test(last.text);
  if (!hasResult && isAllCaps(joinWords(below.words)) && !isAllCaps(joinWords(above.words))) return false;
  // Without a second result it is unknown how close the lines of one name are: a whole name is another one.
  const isNextName = pitch === undefined && !hasResult && /^\p{Lu}/u.test(first.text);
  return isFull && isTight && !(isNextName && hasAnalyteWord(joinWords(below.row.words)));
}

/** "Haematology (EDTA blood)": a closing bracket ends a whole heading if a whole name follows below. */
const isWholeHeading = (words: readonly ReportWord[]): boolean => /\(.*\p{L}\)$/u.test(joinWords(words));

const hasOpenBracket = (words: readonly ReportWord[]): boolean => {
  const text = joinWords(words);
  return text.split('(').length > text.split(')').length;
};
