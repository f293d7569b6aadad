import type { Atom } from './atoms.ts';
import type { Column } from './columns.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { isShouted } from './plain.ts';
import { type Row, textOf } from './rows.ts';
import type { ParsedRow } from './regions.ts';
import { type Box, type Word, unite } from './word.ts';

/** A result while its lines are still being put together. */
export interface Draft {
  readonly nameRows: Word[][];
  readonly value: Atom[];
  readonly flag: Atom[];
  readonly unit: Atom[];
  readonly range: Atom[][];
  readonly method: string[];
  readonly notes: string[];
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimenHint: string | null;
  /** The line that has the value. */
  readonly row: Row;
  lastRow: Row;
  /** What announced a range, so that the lines below it belong to it. */
  rangeLabel?: { readonly box: Box };
  /** The label of a range in the line of the result, where its further lines may begin. */
  rangeBeside?: { readonly box: Box };
  /** Whether words of its cell were left out, so that what is left may say something else. */
  readonly isCut: boolean;
  readonly evidence: number;
  readonly cost: number;
  readonly hasHeader: boolean;
}

export const wordsOfAtoms = (atoms: readonly Atom[]): Word[] => atoms.flatMap((atom) => [...atom.words]);
export const textOfAtoms = (atoms: readonly Atom[]): string => textOf(wordsOfAtoms(atoms));
export const boxOf = (words: readonly Word[]): Box | undefined =>
  words.length > 0 ? unite(words.map((word) => word.box)) : undefined;

/** Where names may end: where the next column begins, or where the longest name ends. */
export function nameLimit(rows: readonly ParsedRow[], columns: readonly Column[]): number {
  const names = rows.filter(({ parts }) => parts.name.length > 0 && parts.value.length > 0);
  const longest = Math.max(0, ...names.map(({ parts }) => parts.name.at(-1)?.box.x1 ?? 0));
  const nameColumn = columns.find((column) => column.role === 'name');
  const next = columns
    .filter((column) => column.role !== 'name' && column.x0 > (nameColumn?.x0 ?? 0) + 20)
    .reduce((least, column) => Math.min(least, column.x0), Number.POSITIVE_INFINITY);
  return names.length === 0 ? Number.POSITIVE_INFINITY : Math.max(longest, Math.min(next, longest + 30));
}

export interface Wrap {
  readonly above: { readonly words: readonly Word[]; readonly row: Row };
  readonly below: { readonly words: readonly Word[]; readonly row: Row };
  readonly limit: number;
  /** The usual distance from one result to the next. */
  readonly pitch: number;
  /** Whether the line below is the one with the value. */
  readonly hasResult?: true;
}

const CONNECTS = /(?:[,\-/(&+]|\b(?:and|of|with|de|del|di|der|et|y|und|e|con|mit|da|do|la|in|for|to|by))$/i;

/** No name begins with a word like these, though a note below a result may. */
const BEGINS_ON = /^(?:per|of|by|with|and|or|for|del|della|dei|di|der|des|und|pro|por|par|et|e|y)$/u;

/** "Support: gel of agarose. Densitometry." is no first line of a name. */
const ENDS_SENTENCE = /(?:\S+\s){2}.*\p{Ll}{5}\.$/u;

/** "f1" and "d201" begin names of allergens, though in small letters. */
const IS_CODE = /^\p{Ll}{1,2}\d{1,3}$/u;

/** Whether a line of a name goes on in the line below it. */
export function isWrapped({ above, below, limit, pitch, hasResult }: Wrap): boolean {
  const last = above.words.at(-1);
  const first = below.words[0];
  const start = above.words[0];
  if (!last || !first || !start) return false;
  const gap = below.row.box.y0 - above.row.box.y1;
  const size = above.row.fontSize;
  if (gap > size * 0.9 || Math.abs(first.fontSize - last.fontSize) > 0.12 * size) return false;
  if (first.font !== undefined && last.font !== undefined && first.font !== last.font) return false;
  if (first.box.x0 < start.box.x0 - 3 || first.box.x0 > start.box.x0 + 30) return false;
  if (ENDS_SENTENCE.test(textOf(above.words)) && /^\p{Lu}/u.test(first.text)) return false;
  const isTight = below.row.box.y0 - above.row.box.y0 < pitch * 0.86;
  if (hasResult && BEGINS_ON.test(first.text)) return true;
  if (hasResult && isWhole(above.words) && /^\p{Lu}/u.test(first.text) && namesAnalyte(textOf(below.words)))
    return false;
  const seemsOn =
    (/^(?:\p{Ll}(?!\p{Lu})|[([&/+-])/u.test(first.text) && !IS_CODE.test(first.text)) ||
    CONNECTS.test(last.text) ||
    hasOpenBracket(above.words);
  const isFull = last.box.x1 + 0.25 * size + (first.box.x1 - first.box.x0) > limit - 1;
  if (isShouted(textOf(above.words)) && !isShouted(textOf(below.words))) return false;
  if (seemsOn) return isFull || isTight || hasOpenBracket(above.words) || CONNECTS.test(last.text);
  if (!hasResult && isShouted(textOf(below.words)) && !isShouted(textOf(above.words))) return false;
  return isFull && isTight;
}

/** "Haematology (EDTA blood)": a bracket at the end is behind a whole heading, where a whole name stands below it. */
const isWhole = (words: readonly Word[]): boolean => /\(.*\p{L}\)$/u.test(textOf(words));

const hasOpenBracket = (words: readonly Word[]): boolean => {
  const text = textOf(words);
  return text.split('(').length > text.split(')').length;
};
