import { readFileSync, readdirSync } from 'node:fs';
import { packageRoot } from '../../platform/config.ts';
import { plain } from '../reading/plain.ts';
import type { Language } from '../reading/word.ts';

/** Shorter words are too like each other. */
export const LEAST_LETTERS = 5;

export interface Vocabulary {
  has(word: string): boolean;
  /** The only word that print of this look may be; undefined for none or several. */
  near(word: string): string | undefined;
  /** The only word that has one thin letter more than this one; undefined for none or several. */
  thinned(word: string): string | undefined;
  /** The only word that has one letter of this one twice, side by side; undefined for none or several. */
  doubled(word: string): string | undefined;
}

/** Letters that are taken for each other, and those that are so thin that they are overlooked. */
const ALIKE = ['il1tjf', 'oce06', 'gq9', 'cg', 'uvy', 'nhr', 'bh', 's5z', 'mn'];
const THIN = 'iltrfj1';

/** How many letters two words begin with together. */
export function sharedStart(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

/** Words in small letters without accents. */
function vocabularyOf(list: Iterable<string>): Vocabulary {
  const words = new Set([...list].filter((word) => word.length >= LEAST_LETTERS));
  const holed = new Map<string, Set<string>>();
  for (const word of words)
    for (const hole of holesOf(word)) holed.set(hole, (holed.get(hole) ?? new Set()).add(word));
  const twice = new Map<string, string | undefined>();
  for (const word of words)
    for (const [double] of word.matchAll(/(\p{L})\1/gu)) {
      const once = word.replace(double, double.slice(1));
      twice.set(once, twice.has(once) ? undefined : word);
    }
  const thinned = (word: string): string[] =>
    [...(holed.get(word) ?? [])].filter((other) => THIN.includes(extraIn(other, word)));
  return {
    has: (word) => words.has(word),
    thinned: (word) => {
      const found = thinned(word);
      return found.length === 1 ? found[0] : undefined;
    },
    doubled: (word) => twice.get(word),
    near: (word) => {
      const found = new Set(thinned(word));
      for (const hole of holesOf(word))
        for (const other of holed.get(hole) ?? []) if (isLike(word, other)) found.add(other);
      return found.size === 1 ? [...found][0] : undefined;
    },
  };
}

/** The word without each of its letters in turn, but for the last, which is of its grammar. */
const holesOf = (word: string): string[] =>
  Array.from(word.slice(0, -1), (_, at) => word.slice(0, at) + word.slice(at + 1));

const extraIn = (long: string, short: string): string => long.charAt(sharedStart(long, short));

/** Whether two words of one length differ in one letter only, and that one looks like the other. */
function isLike(left: string, right: string): boolean {
  const at = sharedStart(left, right);
  const [one = '', other = ''] = [left[at], right[at]];
  return (
    left.length === right.length &&
    left.slice(at + 1) === right.slice(at + 1) &&
    ALIKE.some((letters) => letters.includes(one) && letters.includes(other))
  );
}

const loaded = new Map<Language | undefined, Vocabulary>();

/** What laboratories print, of the names in six languages that come with the codes; of all of them, or of one. */
export function shipped(language?: Language): Vocabulary {
  const known = loaded.get(language);
  if (known) return known;
  const folder = new URL('data/loinc/names/', packageRoot(import.meta.url));
  const texts = readdirSync(folder)
    .filter((file) => language === undefined || file === `${language}.txt`)
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const vocabulary = vocabularyOf(texts.flatMap((text) => plain(text).match(/[\p{L}\d]+/gu) ?? []));
  loaded.set(language, vocabulary);
  return vocabulary;
}
