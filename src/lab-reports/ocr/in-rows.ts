import { isBeside, withColons, withNoughts, withNumbers, withShares } from './in-columns.ts';
import { languageOf } from '../reading/language.ts';
import type { Language, Word } from '../reading/word.ts';

const withPlaceSigns = (words: readonly Word[]): Word[] =>
  withShares(withNumbers(withNoughts(withColons(words))));

/** Words that are known by what stands beside them in their row or their column. */
export const knownByPlace = (words: readonly Word[]): Word[] =>
  withCodes(withBloodGroups(withPowers(withoutSpecks(withoutEdges(withoutEchoes(withPlaceSigns(words)))))));

const rowBefore = (words: readonly Word[], word: Word): Word[] =>
  words
    .filter((other) => other.box.x0 < word.box.x0 && isBeside(other, word))
    .toSorted((a, b) => a.box.x0 - b.box.x0);

/** So much of a word lies on another, when it is a piece of that. */
const WITHIN = 0.8;
const SURELY = 0.95;

/** Where two strips of print overlap, a piece of a word is read a second time, in less of its ink. */
const withoutEchoes = (words: readonly Word[]): Word[] =>
  words.filter(
    (word) =>
      !words.some(
        (other) =>
          isBeside(other, word) &&
          other.text.length > word.text.length &&
          other.confidence >= Math.max(SURELY, word.confidence) &&
          Math.min(other.box.x1, word.box.x1) - Math.max(other.box.x0, word.box.x0) >=
            WITHIN * (word.box.x1 - word.box.x0),
      ),
  );

const SIGN = /^[:;.,'`|!-]$/;
/** What is read of the stem of a letter, never surely. */
const STROKE = /^[1lI|(]$/;
const UNSURE = 0.7;

/** Whether a strip of print ends within the first letter of a word, whose stem is then read by itself as well. */
const isStemOf = (word: Word, words: readonly Word[]): boolean =>
  STROKE.test(word.text) &&
  word.confidence <= UNSURE &&
  words.some(
    (other) =>
      /^\p{L}{3}/u.test(other.text) &&
      isBeside(other, word) &&
      word.box.x0 < other.box.x0 &&
      other.box.x0 < word.box.x1,
  );

/** Of a strip of print that ends within a word the last letter is read a second time, as a sign; or its first. */
function withoutEdges(words: readonly Word[]): Word[] {
  return words
    .filter((word) => !isStemOf(word, words))
    .filter(
      (word) =>
        !SIGN.test(word.text) ||
        !words.some(
          (other) =>
            /\p{L}{3}/u.test(other.text) &&
            isBeside(other, word) &&
            other.box.x0 < word.box.x0 &&
            other.box.x1 >= (word.box.x0 + word.box.x1) / 2,
        ),
    );
}

/** A point that stands alone between a name and what is far behind it: a speck, or the rest of the dots that lead there. */
const withoutSpecks = (words: readonly Word[]): Word[] =>
  words.filter((word) => {
    if (!/^[.,]$/.test(word.text)) return true;
    const before = rowBefore(words, word).at(-1);
    return (
      before === undefined ||
      /\d$/.test(before.text) ||
      words.some(
        (other) =>
          isBeside(other, word) && other.box.x0 >= word.box.x0 && other.box.x0 - word.box.x1 < word.fontSize,
      )
    );
  });

const NUMBER = /^[<>]?\d+(?:[.,]\d+)?$/;
const POWER = /^([x×]?10)(3|6|9|12)(?=\/mm[3³]?$)/;

/** 106/mm3 behind a number is what that is counted in; alone it may be so many cells. */
const withPowers = (words: readonly Word[]): Word[] =>
  words.map((word) =>
    POWER.test(word.text) && NUMBER.test(rowBefore(words, word).at(-1)?.text ?? '')
      ? { ...word, text: word.text.replace(POWER, '$1^$2') }
      : word,
  );

const OF_BLOOD_GROUPS =
  /\bAB[O0]\b|\bblood (?:group|type)|\bgroupe? sanguin|\bgrupo (?:sangu[ií]neo|abo)|\btipo sangu/i;
const NO_GROUP = /^0(?=[+-]?$|\s?(?:Rh|pos|neg))/i;
/** Where the group without antigens is written as a number. */
const WITH_ZERO: ReadonlySet<Language | null> = new Set<Language>(['de', 'it']);

/** A blood group is the letter O. */
function withBloodGroups(words: readonly Word[]): Word[] {
  if (!words.some(({ text }) => NO_GROUP.test(text))) return [...words];
  if (WITH_ZERO.has(languageOf(words.map(({ text }) => text)))) return [...words];
  return words.map((word) => {
    if (!NO_GROUP.test(word.text)) return word;
    const before = rowBefore(words, word).map(({ text }) => text);
    const isGroup = !before.some((text) => NUMBER.test(text)) && OF_BLOOD_GROUPS.test(before.join(' '));
    return isGroup ? { ...word, text: word.text.replace('0', 'O') } : word;
  });
}

const CODE = /^[a-z]{1,2}\d{1,4}$/;
const NEARLY_CODE = /^[a-z]{1,2}(?=[\dlIO|]*[lIO|])[\dlIO|]{1,4}$/;
/** So many codes in a column tell that a word in it is one. */
const CODES = 3;
const ALIGNED = 0.6;

/** e1 before the name of an allergen, in a column of such codes, that was read as el. */
const withCodes = (words: readonly Word[]): Word[] =>
  words.map((word) => {
    if (!NEARLY_CODE.test(word.text) || CODE.test(word.text)) return word;
    const codes = words.filter(
      ({ text, box, fontSize }) => CODE.test(text) && Math.abs(box.x0 - word.box.x0) < ALIGNED * fontSize,
    );
    if (codes.length < CODES) return word;
    const [letter = '', ...digits] = word.text;
    return { ...word, text: letter + digits.join('').replaceAll(/[lI|]/g, '1').replaceAll('O', '0') };
  });
