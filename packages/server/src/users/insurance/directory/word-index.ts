import { lowerBound } from './code-set.ts';
import { tokenize } from './tokenize.ts';

/** An inverted index. The rows of word i are `rows` from `starts[i]` to `starts[i + 1]`. */
interface WordIndex {
  words: readonly string[];
  starts: Uint32Array;
  rows: Uint32Array;
  /** For each row its number of words (at most 255), and the index of its first word. */
  lengths: Uint8Array;
  firstWords: Uint32Array;
}

interface WordIndexBuilder {
  rowsOf: Map<string, number[]>;
  lengths: Uint8Array;
  firsts: string[];
}

/** Rows for which `skip` is true are never found. */
export function buildWordIndex(
  size: number,
  { text, skip }: { text: (row: number) => string; skip: (row: number) => boolean },
): WordIndex {
  const gathered: WordIndexBuilder = { rowsOf: new Map(), lengths: new Uint8Array(size), firsts: [] };
  for (let row = 0; row < size; row += 1) addRow(gathered, row, skip(row) ? [] : tokenize(text(row)));
  const { rowsOf, lengths, firsts } = gathered;
  const words = [...rowsOf.keys()].sort();
  const starts = new Uint32Array(words.length + 1);
  words.forEach((word, at) => (starts[at + 1] = (starts[at] ?? 0) + (rowsOf.get(word)?.length ?? 0)));
  const rows = new Uint32Array(starts[words.length] ?? 0);
  words.forEach((word, at) => rows.set(rowsOf.get(word) ?? [], starts[at]));
  const firstWords = Uint32Array.from(firsts, (word) => lowerBound(words, word));
  return { words, starts, rows, lengths, firstWords };
}

function addRow({ rowsOf, lengths, firsts }: WordIndexBuilder, row: number, words: string[]): void {
  lengths[row] = Math.min(255, words.length);
  firsts.push(words[0] ?? '');
  for (const word of new Set(words)) {
    const rows = rowsOf.get(word);
    if (rows === undefined) rowsOf.set(word, [row]);
    else rows.push(row);
  }
}

/** The index words with a typed prefix, `from` to before `to`; `whole` if the first one is the typed word itself. */
interface SearchTerm {
  from: number;
  to: number;
  whole: boolean;
}

const MOST_TERMS = 12;
const LONGEST_ROW = 63;

/**
 * The rows that contain every typed word, or a word with that prefix, in any order. Ranked by whole-word matches, then
 * rows that begin with a typed word, then short rows, then row order.
 */
export function searchWords(index: WordIndex, query: string, limit: number): number[] {
  const terms = [...new Set(tokenize(query))].slice(0, MOST_TERMS).map((word) => toSearchTerm(index, word));
  if (terms.length === 0 || terms.some(({ from, to }) => from === to)) return [];
  const { met, wholes } = countMatches(index, terms);
  const rank = (row: number): number => {
    const first = index.firstWords[row] ?? 0;
    const begins = terms.some(({ from, to }) => first >= from && first < to);
    const partly = terms.length - (wholes[row] ?? 0);
    return (
      (partly * 2 + (begins ? 0 : 1)) * (LONGEST_ROW + 1) + Math.min(LONGEST_ROW, index.lengths[row] ?? 0)
    );
  };
  return selectBest(
    { met, wanted: terms.length, rank, ranks: (terms.length + 1) * 2 * (LONGEST_ROW + 1) },
    limit,
  );
}

function toSearchTerm({ words }: WordIndex, word: string): SearchTerm {
  const from = lowerBound(words, word);
  return { from, to: lowerBound(words, `${word}\uffff`), whole: words[from] === word };
}

/** For each row the number of matched terms, as long as all previous ones matched, and of whole-word matches. */
function countMatches(
  { starts, rows, lengths }: WordIndex,
  terms: SearchTerm[],
): { met: Uint8Array; wholes: Uint8Array } {
  const met = new Uint8Array(lengths.length);
  const wholes = new Uint8Array(lengths.length);
  terms.forEach(({ from, to, whole }, turn) => {
    const end = starts[to] ?? 0;
    const endOfWhole = whole ? (starts[from + 1] ?? 0) : 0;
    for (let at = starts[from] ?? 0; at < end; at += 1) {
      const row = rows[at] ?? 0;
      if (met[row] !== turn) continue;
      met[row] = turn + 1;
      if (at < endOfWhole) wholes[row] = (wholes[row] ?? 0) + 1;
    }
  });
  return { met, wholes };
}

interface RankingInput {
  met: Uint8Array;
  wanted: number;
  rank: (row: number) => number;
  ranks: number;
}

/** Ranks are small integers, so counting them finds the cutoff rank without sorting all rows. */
function selectBest({ met, wanted, rank, ranks }: RankingInput, limit: number): number[] {
  const counts = new Uint32Array(ranks);
  const found: { row: number; rank: number }[] = [];
  for (let row = 0; row < met.length; row += 1) {
    if (met[row] !== wanted) continue;
    const of = rank(row);
    counts[of] = (counts[of] ?? 0) + 1;
    if ((counts[of] ?? 0) <= limit) found.push({ row, rank: of });
  }
  let last = 0;
  for (let seen = counts[0] ?? 0; seen < limit && last < ranks; seen += counts[last] ?? 0) last += 1;
  const shown = found.filter((one) => one.rank <= last);
  return shown
    .sort((a, b) => a.rank - b.rank || a.row - b.row)
    .slice(0, limit)
    .map(({ row }) => row);
}
