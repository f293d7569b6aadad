/** What something is called, and how much it says that it is called so. */
export interface Term {
  readonly text: string;
  /** From 0 to 1: a name says more than the name of one of many results. */
  readonly weight: number;
  /** What it names, as a place in a list of the caller's. */
  readonly of: number;
}

/** Terms by the groups of three letters in them, so that a query looks at those alone that share some with it. */
export interface TermIndex {
  readonly terms: readonly Known[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

interface Known extends Term {
  readonly words: readonly string[];
  readonly size: number;
}

export function indexTerms(given: readonly Term[]): TermIndex {
  const places = new Map<string, number[]>();
  const terms = given.map((term, at) => {
    const words = wordsOf(term.text);
    const trigrams = trigramsOf(words);
    for (const trigram of trigrams) {
      const known = places.get(trigram);
      if (known) known.push(at);
      else places.set(trigram, [at]);
    }
    return { ...term, words, size: trigrams.size };
  });
  return { terms, places };
}

/** Lower case, without accents and signs. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** As PostgreSQL's pg_trgm has them: two blanks before each word, one behind it. */
function trigramsOf(words: readonly string[]): Set<string> {
  const trigrams = new Set<string>();
  for (const word of words) {
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}

/** Below this a likeness is chance. */
const LIKE_AT_LEAST = 0.5;

/** For each thing that is called like the query: how sure that is, from 0 to 1. */
export function matchTerms(index: TermIndex, query: string): Map<number, number> {
  const words = wordsOf(query);
  const wanted = trigramsOf(words);
  const shared = new Map<number, number>();
  for (const trigram of wanted) {
    for (const at of index.places.get(trigram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
  }
  const best = new Map<number, number>();
  for (const [at, count] of shared) {
    const term = index.terms[at];
    if (!term) continue;
    const score = term.weight * likeness(term, words, { count, size: wanted.size });
    if (score > 0 && score > (best.get(term.of) ?? 0)) best.set(term.of, score);
  }
  return best;
}

/**
 * 1 for the same words in the same order; from 0.6 for all of the query's words, whole or begun, the more the less
 * else there is; below that what the spelling has in common.
 */
function likeness(term: Known, words: readonly string[], shared: { count: number; size: number }): number {
  if (words.join(' ') === term.words.join(' ')) return 1;
  const begun = words.every((word) => term.words.some((one) => one.startsWith(word)));
  if (begun) return 0.6 + 0.35 * (words.length / Math.max(words.length, term.words.length));
  const ofQuery = shared.count / shared.size;
  const ofBoth = shared.count / (shared.size + term.size - shared.count);
  const like = (ofQuery + ofBoth) / 2;
  return like < LIKE_AT_LEAST ? 0 : 0.6 * like;
}
