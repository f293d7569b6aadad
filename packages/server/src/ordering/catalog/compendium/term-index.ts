/** A name of an item, and how strongly the name identifies it. */
export interface CompendiumTerm {
  readonly text: string;
  /** From 0 to 1: the name of a test weighs more than the name of one of its results. */
  readonly weight: number;
  /** The named item, as an index into the caller's list. */
  readonly of: number;
}

/** A trigram index: a query only scores terms that share a trigram with it. */
export interface CompendiumTermIndex {
  readonly terms: readonly IndexedTerm[];
  readonly positionsByTrigram: ReadonlyMap<string, readonly number[]>;
}

interface IndexedTerm extends CompendiumTerm {
  readonly words: readonly string[];
  readonly size: number;
}

export function indexTerms(given: readonly CompendiumTerm[]): CompendiumTermIndex {
  const places = new Map<string, number[]>();
  const terms = given.map((term, at) => {
    const words = splitWords(term.text);
    const trigrams = toTrigrams(words);
    for (const trigram of trigrams) {
      const known = places.get(trigram);
      if (known) known.push(at);
      else places.set(trigram, [at]);
    }
    return { ...term, words, size: trigrams.size };
  });
  return { terms, positionsByTrigram: places };
}

/** Lowercase words without diacritics and punctuation. */
const splitWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Like PostgreSQL's pg_trgm: each word is padded with two spaces before and one after. */
function toTrigrams(words: readonly string[]): Set<string> {
  const trigrams = new Set<string>();
  for (const word of words) {
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}

/** A lower similarity counts as no match. */
const SIMILARITY_MIN = 0.5;

/** The best score of each matching item, from 0 to 1, by its index. */
export function matchTerms(index: CompendiumTermIndex, query: string): Map<number, number> {
  const words = splitWords(query);
  const wanted = toTrigrams(words);
  const shared = new Map<number, number>();
  for (const trigram of wanted) {
    for (const at of index.positionsByTrigram.get(trigram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
  }
  const best = new Map<number, number>();
  for (const [at, count] of shared) {
    const term = index.terms[at];
    if (!term) continue;
    const score = term.weight * scoreSimilarity(term, words, { count, size: wanted.size });
    if (score > 0 && score > (best.get(term.of) ?? 0)) best.set(term.of, score);
  }
  return best;
}

/**
 * 1 for the same words in the same order; 0.6 to 0.95 if every query word is a prefix of a word of the term, higher
 * for terms with fewer other words; below that, trigram similarity.
 */
function scoreSimilarity(
  term: IndexedTerm,
  words: readonly string[],
  shared: { count: number; size: number },
): number {
  if (words.join(' ') === term.words.join(' ')) return 1;
  const begun = words.every((word) => term.words.some((one) => one.startsWith(word)));
  if (begun) return 0.6 + 0.35 * (words.length / Math.max(words.length, term.words.length));
  const ofQuery = shared.count / shared.size;
  const ofBoth = shared.count / (shared.size + term.size - shared.count);
  const like = (ofQuery + ofBoth) / 2;
  return like < SIMILARITY_MIN ? 0 : 0.6 * like;
}
