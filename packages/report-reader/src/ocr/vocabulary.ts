import { readFileSync, readdirSync } from 'node:fs';
import { packageFolder } from '../package-folder.ts';
import { normalizeText } from '../reading/text-normalization.ts';
import type { Language } from '../reading/report-model.ts';

/** Shorter words are too similar to each other. */
export const MIN_LETTERS = 5;

export interface LabVocabulary {
  has(word: string): boolean;
  /** The only word that looks like this one in print; undefined for none or several. */
  findSimilar(word: string): string | undefined;
  /** The only word that has one thin letter more than this one; undefined for none or several. */
  findWithThinLetter(word: string): string | undefined;
  /** The only word that doubles one letter of this one; undefined for none or several. */
  findWithDoubledLetter(word: string): string | undefined;
}

/** Groups of letters that are confused, and letters so thin that they are lost. */
const ALIKE = ['il1tjf', 'oce06', 'gq9', 'cg', 'uvy', 'nhr', 'bh', 's5z', 'mn'];
const THIN = 'iltrfj1';

/** The length of the common prefix of two words. */
export function commonPrefixLength(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

/** Builds a vocabulary of normalized words. */
function createVocabulary(list: Iterable<string>): LabVocabulary {
  const words = new Set([...list].filter((word) => word.length >= MIN_LETTERS));
  const holed = new Map<string, Set<string>>();
  for (const word of words)
    for (const hole of deletionsOf(word)) holed.set(hole, (holed.get(hole) ?? new Set()).add(word));
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
    findWithThinLetter: (word) => {
      const found = thinned(word);
      return found.length === 1 ? found[0] : undefined;
    },
    findWithDoubledLetter: (word) => twice.get(word),
    findSimilar: (word) => {
      const found = new Set(thinned(word));
      for (const hole of deletionsOf(word))
        for (const other of holed.get(hole) ?? []) if (isLike(word, other)) found.add(other);
      return found.size === 1 ? [...found][0] : undefined;
    },
  };
}

/** The word with each letter deleted in turn, except the last, which is an inflection. */
const deletionsOf = (word: string): string[] =>
  Array.from(word.slice(0, -1), (_, at) => word.slice(0, at) + word.slice(at + 1));

const extraIn = (long: string, short: string): string => long.charAt(commonPrefixLength(long, short));

/** Whether two words of equal length differ in one letter only, and the two letters look similar. */
function isLike(left: string, right: string): boolean {
  const at = commonPrefixLength(left, right);
  const [one = '', other = ''] = [left[at], right[at]];
  return (
    left.length === right.length &&
    left.slice(at + 1) === right.slice(at + 1) &&
    ALIKE.some((letters) => letters.includes(one) && letters.includes(other))
  );
}

const vocabularyCache = new Map<Language | undefined, LabVocabulary>();

/** Loads the words of the bundled test names, of one language or of all six. Cached. */
export function loadVocabulary(language?: Language): LabVocabulary {
  const known = vocabularyCache.get(language);
  if (known) return known;
  const folder = new URL('data/loinc/names/', packageFolder());
  const texts = readdirSync(folder)
    .filter((file) => language === undefined || file === `${language}.txt`)
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const vocabulary = createVocabulary(
    texts.flatMap((text) => normalizeText(text).match(/[\p{L}\d]+/gu) ?? []),
  );
  vocabularyCache.set(language, vocabulary);
  return vocabulary;
}
