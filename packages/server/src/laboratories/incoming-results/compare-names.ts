import { foldLetters } from '../../platform/fold-letters.ts';

/** Compares names that two systems write differently, such as `O'Brien-Smith, José` and `OBRIEN SMITH^JOSE`. */

export type DemographicVerdict = 'same' | 'similar' | 'unknown' | 'different';

const APOSTROPHES = /['’`´.]/g;
const NOT_LETTERS = /[^\p{L}\p{N}]+/u;
const SUFFIXES = new Set(['jr', 'sr', 'ii', 'iii', 'iv', 'md', 'phd', 'esq']);

/** The lowercase words of a name without diacritics, punctuation and suffixes (`Jr`, `III`). */
export function toNameWords(name: string | null | undefined): string[] {
  const words = foldLetters(name ?? '')
    .toLowerCase()
    .replace(APOSTROPHES, '')
    .split(NOT_LETTERS)
    .filter((word) => word !== '');
  const named = words.filter((word) => !SUFFIXES.has(word));
  return named.length > 0 ? named : words;
}

/** Letters that are also written as two: `Müller` is `Mueller` or `Muller`. */
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** The ways in which systems without diacritics write a name. */
export function listSpellings(name: string | null | undefined): string[][] {
  const lower = (name ?? '').normalize('NFC').toLowerCase();
  const expanded = lower.replace(/[äöüåø]/g, (letter) => DIGRAPHS[letter] ?? letter);
  return lower === expanded ? [toNameWords(name)] : [toNameWords(name), toNameWords(expanded)];
}

/** Words before a family name that many systems leave out. Alone, they can be a name: `Van`, `Le`. */
// prettier-ignore
const PARTICLES = new Set([
  'van', 'der', 'den', 'de', 'la', 'las', 'los', 'del', 'della', 'di', 'da', 'do', 'dos', 'das', 'du', 'le', 'von', 'vom',
  'zu', 'zum', 'zur', 'ter', 'ten', 'te', 'al', 'el', 'bin', 'ibn', 'bint', 'af', 'av', 'y', 'e', 't',
]);

/** The words without particles, if they are not all that there is. */
function withoutParticles(words: readonly string[]): readonly string[] {
  const rest = words.filter((word) => !PARTICLES.has(word));
  return rest.length === 0 ? words : rest;
}

/** In shorter names, one letter makes another name: `Ann` and `Amy`, `Lee` and `Lea`. */
const ONE_TYPO_MIN_LENGTH = 5;
const TWO_TYPOS_MIN_LENGTH = 9;

/** `same` for equal words, with or without particles (`van der Berg`, `Berg`); `similar` for one of two family names (`Garcia`, `Garcia Lopez`) or a typo. */
export function compareLastNames(ours: readonly string[], theirs: readonly string[]): DemographicVerdict {
  if (ours.length === 0 || theirs.length === 0) return 'unknown';
  if (ours.join('') === theirs.join('')) return 'same';
  if (withoutParticles(ours).join('') === withoutParticles(theirs).join('')) return 'same';
  const [one, other] = [withoutParticles(ours), withoutParticles(theirs)];
  const [few, many] = one.length < other.length ? [one, other] : [other, one];
  if (few.length < many.length && few.every((word) => word.length > 2 && many.includes(word)))
    return 'similar';
  return isTypo(ours.join(''), theirs.join('')) ? 'similar' : 'different';
}

/** Ignores middle names; `similar` for an initial or a typo. */
export function compareFirstNames(ours: readonly string[], theirs: readonly string[]): DemographicVerdict {
  const [our, their] = [ours[0], theirs[0]];
  if (our === undefined || their === undefined) return 'unknown';
  if (our === their || ours.join('') === theirs.join('')) return 'same';
  // `Mary Ann` equals `Maryann`.
  if (ours.join('') === their || theirs.join('') === our) return 'same';
  if (our.length === 1 || their.length === 1) return our[0] === their[0] ? 'similar' : 'different';
  return isTypo(our, their) ? 'similar' : 'different';
}

/** Whether the edit distance is at most 1, or 2 for long names. */
function isTypo(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  const allowed = length >= TWO_TYPOS_MIN_LENGTH ? 2 : length >= ONE_TYPO_MIN_LENGTH ? 1 : 0;
  return allowed > 0 && Math.abs(a.length - b.length) <= allowed && editDistance(a, b) <= allowed;
}

/** The edit distance with adjacent transpositions (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + changed);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
