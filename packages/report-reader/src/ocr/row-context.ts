import {
  isInSameRow,
  correctColons,
  correctZeros,
  correctPercentMisreads,
  insertPercentSigns,
} from './column-context.ts';
import { detectLanguage } from '../reading/language.ts';
import type { Language, ReportWord } from '../reading/report-model.ts';

const correctByColumn = (words: readonly ReportWord[]): ReportWord[] =>
  insertPercentSigns(correctPercentMisreads(correctZeros(correctColons(words))));

/** Corrects words by their neighbors in the row and the column. */
export const correctByContext = (words: readonly ReportWord[]): ReportWord[] =>
  correctAllergenCodes(
    correctBloodGroups(
      restorePowersOfTen(removeSpecks(removeStripEdges(removeRepeatedReadings(correctByColumn(words))))),
    ),
  );

const precedingInRow = (words: readonly ReportWord[], word: ReportWord): ReportWord[] =>
  words
    .filter((other) => other.box.x0 < word.box.x0 && isInSameRow(other, word))
    .toSorted((a, b) => a.box.x0 - b.box.x0);

/** Minimum overlap of a fragment with the word that contains it. */
const WITHIN = 0.8;
const SURELY = 0.95;

/** Removes fragments: if two text strips overlap, a part of a word is read twice. */
const removeRepeatedReadings = (words: readonly ReportWord[]): ReportWord[] =>
  words.filter(
    (word) =>
      !words.some(
        (other) =>
          isInSameRow(other, word) &&
          other.text.length > word.text.length &&
          other.confidence >= Math.max(SURELY, word.confidence) &&
          Math.min(other.box.x1, word.box.x1) - Math.max(other.box.x0, word.box.x0) >=
            WITHIN * (word.box.x1 - word.box.x0),
      ),
  );

const SIGN = /^[:;.,'`|!-]$/;
/** How the stem of a letter is misread, always with low confidence. */
const STROKE = /^[1lI|(]$/;
const UNSURE = 0.7;

/** Whether a strip ends within the first letter of a word, so that its stem is read as a separate word. */
const isStemOf = (word: ReportWord, words: readonly ReportWord[]): boolean =>
  STROKE.test(word.text) &&
  word.confidence <= UNSURE &&
  words.some(
    (other) =>
      /^\p{L}{3}/u.test(other.text) &&
      isInSameRow(other, word) &&
      word.box.x0 < other.box.x0 &&
      other.box.x0 < word.box.x1,
  );

/** Removes signs that are the cut first or last letter of a word at the end of a strip. */
function removeStripEdges(words: readonly ReportWord[]): ReportWord[] {
  return words
    .filter((word) => !isStemOf(word, words))
    .filter(
      (word) =>
        !SIGN.test(word.text) ||
        !words.some(
          (other) =>
            /\p{L}{3}/u.test(other.text) &&
            isInSameRow(other, word) &&
            other.box.x0 < word.box.x0 &&
            other.box.x1 >= (word.box.x0 + word.box.x1) / 2,
        ),
    );
}

/** Removes single dots between a name and a distant value: specks, or remains of a dot leader. */
const removeSpecks = (words: readonly ReportWord[]): ReportWord[] =>
  words.filter((word) => {
    if (!/^[.,]$/.test(word.text)) return true;
    const before = precedingInRow(words, word).at(-1);
    return (
      before === undefined ||
      /\d$/.test(before.text) ||
      words.some(
        (other) =>
          isInSameRow(other, word) &&
          other.box.x0 >= word.box.x0 &&
          other.box.x0 - word.box.x1 < word.fontSize,
      )
    );
  });

const NUMBER = /^[<>]?\d+(?:[.,]\d+)?$/;
const POWER = /^([x×]?10)(3|6|9|12)(?=\/mm[3³]?$)/;

/** 106/mm3 after a number is the unit 10^6/mm3; alone it may be a cell count. */
const restorePowersOfTen = (words: readonly ReportWord[]): ReportWord[] =>
  words.map((word) =>
    POWER.test(word.text) && NUMBER.test(precedingInRow(words, word).at(-1)?.text ?? '')
      ? { ...word, text: word.text.replace(POWER, '$1^$2') }
      : word,
  );

const OF_BLOOD_GROUPS =
  /\bAB[O0]\b|\bblood (?:group|type)|\bgroupe? sanguin|\bgrupo (?:sangu[ií]neo|abo)|\btipo sangu/i;
const NO_GROUP = /^0(?=[+-]?$|\s?(?:Rh|pos|neg))/i;
/** Languages in which blood group O is written as the digit 0. */
const WITH_ZERO: ReadonlySet<Language | null> = new Set<Language>(['de', 'it']);

/** Corrects 0 to the letter O in blood groups, except in languages that write a zero. */
function correctBloodGroups(words: readonly ReportWord[]): ReportWord[] {
  if (!words.some(({ text }) => NO_GROUP.test(text))) return [...words];
  if (WITH_ZERO.has(detectLanguage(words.map(({ text }) => text)))) return [...words];
  return words.map((word) => {
    if (!NO_GROUP.test(word.text)) return word;
    const before = precedingInRow(words, word).map(({ text }) => text);
    const isGroup = !before.some((text) => NUMBER.test(text)) && OF_BLOOD_GROUPS.test(before.join(' '));
    return isGroup ? { ...word, text: word.text.replace('0', 'O') } : word;
  });
}

const CODE = /^[a-z]{1,2}\d{1,4}$/;
const NEARLY_CODE = /^[a-z]{1,2}(?=[\dlIO|]*[lIO|])[\dlIO|]{1,4}$/;
/** How many codes in a column confirm that another word of it is a code. */
const CODES = 3;
const ALIGNED = 0.6;

/** Corrects allergen codes, such as e1 that was read as el, in a column of codes. */
const correctAllergenCodes = (words: readonly ReportWord[]): ReportWord[] =>
  words.map((word) => {
    if (!NEARLY_CODE.test(word.text) || CODE.test(word.text)) return word;
    const codes = words.filter(
      ({ text, box, fontSize }) => CODE.test(text) && Math.abs(box.x0 - word.box.x0) < ALIGNED * fontSize,
    );
    if (codes.length < CODES) return word;
    const [letter = '', ...digits] = word.text;
    return { ...word, text: letter + digits.join('').replaceAll(/[lI|]/g, '1').replaceAll('O', '0') };
  });
