import type { OcrWord } from './engine.ts';

/** Letters whose capital has the same shape but is 40% larger. Not o, which may be a zero. */
const ALIKE = /^[csvwxz]$/i;
/** Size thresholds relative to the other words of the row: between those of a small letter and of a capital. */
const LARGER = 1.2;
const SMALLER = 0.85;
/** Words whose baselines are closer than this, in font sizes, are in one row. */
const SAME_ROW = 0.6;
const PRINT = /[\p{L}\d]{2}/u;

/**
 * Corrects the case of single letters by the font size of their row. The S (susceptible) after the name of an
 * antibiotic is often read as a small s, and its font size then measured too small.
 */
export const correctCapitals = (words: readonly OcrWord[]): OcrWord[] =>
  words.map((word) => {
    if (!ALIKE.test(word.text)) return word;
    const size = rowFontSize(word, words);
    if (size === undefined) return word;
    const isSmall = word.text === word.text.toLowerCase();
    if (isSmall && word.fontSize > LARGER * size)
      return { ...word, text: word.text.toUpperCase(), fontSize: size };
    if (!isSmall && word.fontSize < SMALLER * size)
      return { ...word, text: word.text.toLowerCase(), fontSize: size };
    return word;
  });

function rowFontSize({ baseline, fontSize }: OcrWord, words: readonly OcrWord[]): number | undefined {
  const sizes = words
    .filter((other) => PRINT.test(other.text) && Math.abs(other.baseline - baseline) < SAME_ROW * fontSize)
    .map((other) => other.fontSize)
    .toSorted((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)];
}
