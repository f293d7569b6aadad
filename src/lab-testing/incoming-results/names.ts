/** Names as two systems write them: one knows `O'Brien-Smith, José`, the other prints `OBRIEN SMITH^JOSE`. */

export type Verdict = 'same' | 'similar' | 'unknown' | 'different';

const NOT_ASCII = /[^\x20-\x7e]/;
const SINGLE = /[ßæœøłđðþı]/g;
const MARKS = /\p{M}+/gu;
const APOSTROPHES = /['’`´.]/g;
const NOT_LETTERS = /[^\p{L}\p{N}]+/u;
const SUFFIXES = new Set(['jr', 'sr', 'ii', 'iii', 'iv', 'md', 'phd', 'esq']);
/** Letters that do not come apart into a letter and a mark. */
// prettier-ignore
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i',
};

/** The words of a name without case, accents, punctuation and what follows a name (`Jr`, `III`). */
export function wordsOf(name: string | null | undefined): string[] {
  const words = (isAscii(name ?? '') ? (name ?? '') : unmarked(name ?? ''))
    .toLowerCase()
    .replace(APOSTROPHES, '')
    .split(NOT_LETTERS)
    .filter((word) => word !== '');
  const named = words.filter((word) => !SUFFIXES.has(word));
  return named.length > 0 ? named : words;
}

const isAscii = (text: string): boolean => !NOT_ASCII.test(text);

const unmarked = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(SINGLE, (letter) => PLAIN[letter] ?? letter);

/** Below this length one letter makes another name: `Ann` and `Amy`, `Lee` and `Lea`. */
const ONE_SLIP_FROM = 5;
const TWO_SLIPS_FROM = 9;

/** Family names: the same words; one of two (`Garcia`, `Garcia Lopez`) or a slip of the keys is similar. */
export function compareLast(ours: readonly string[], theirs: readonly string[]): Verdict {
  if (ours.length === 0 || theirs.length === 0) return 'unknown';
  if (ours.join('') === theirs.join('')) return 'same';
  const [few, many] = ours.length < theirs.length ? [ours, theirs] : [theirs, ours];
  if (few.length < many.length && few.every((word) => word.length > 2 && many.includes(word)))
    return 'similar';
  return isSlip(ours.join(''), theirs.join('')) ? 'similar' : 'different';
}

/** First names: middle names do not count; an initial or a slip of the keys is similar. */
export function compareFirst(ours: readonly string[], theirs: readonly string[]): Verdict {
  const [our, their] = [ours[0], theirs[0]];
  if (our === undefined || their === undefined) return 'unknown';
  if (our === their || ours.join('') === theirs.join('')) return 'same';
  // `Mary Ann` is one name here and two there.
  if (ours.join('') === their || theirs.join('') === our) return 'same';
  if (our.length === 1 || their.length === 1) return our[0] === their[0] ? 'similar' : 'different';
  return isSlip(our, their) ? 'similar' : 'different';
}

/** Whether one is the other with a letter or, in a long name, two changed, lost, added or exchanged with its neighbour. */
function isSlip(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  const allowed = length >= TWO_SLIPS_FROM ? 2 : length >= ONE_SLIP_FROM ? 1 : 0;
  return allowed > 0 && Math.abs(a.length - b.length) <= allowed && distance(a, b) <= allowed;
}

/** How many letters have to be changed, lost, added or exchanged with their neighbour (optimal string alignment). */
export function distance(a: string, b: string): number {
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
