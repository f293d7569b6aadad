import type { SeenWord } from './engine.ts';

/** Letters whose capital is the same, but larger by two fifths; no o, which may be a nought. */
const ALIKE = /^[csvwxz]$/i;
/** Between the two sizes that print beside it would have if it were a small letter, and if it were a capital. */
const LARGER = 1.2;
const SMALLER = 0.85;
/** Words whose feet are nearer than this, in sizes of the print, are of one row. */
const SAME_ROW = 0.6;
const PRINT = /[\p{L}\d]{2}/u;

/**
 * Letters that stand alone as large as the print beside them is: the S behind the name of an antibiotic is read as a
 * small one, and then taken for smaller than it is printed.
 */
export const withCapitals = (words: readonly SeenWord[]): SeenWord[] =>
  words.map((word) => {
    if (!ALIKE.test(word.text)) return word;
    const size = sizeBeside(word, words);
    if (size === undefined) return word;
    const isSmall = word.text === word.text.toLowerCase();
    if (isSmall && word.fontSize > LARGER * size)
      return { ...word, text: word.text.toUpperCase(), fontSize: size };
    if (!isSmall && word.fontSize < SMALLER * size)
      return { ...word, text: word.text.toLowerCase(), fontSize: size };
    return word;
  });

function sizeBeside({ baseline, fontSize }: SeenWord, words: readonly SeenWord[]): number | undefined {
  const sizes = words
    .filter((other) => PRINT.test(other.text) && Math.abs(other.baseline - baseline) < SAME_ROW * fontSize)
    .map((other) => other.fontSize)
    .toSorted((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)];
}
