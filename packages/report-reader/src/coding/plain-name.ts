const MARKS = /\p{M}+/gu;
const GREEK: Readonly<Record<string, string>> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  κ: 'kappa',
  λ: 'lambda',
};

/** Normalizes a name: lower case, no accents, Greek letters spelled out, abbreviations without dots. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replaceAll(/[αβγδκλ]/gu, (letter) => ` ${GREEK[letter] ?? ''} `)
    .replaceAll(
      /\b(?:\p{L}\.\s?){2,}(?:\p{L}(?!\p{L}))?/gu,
      (letters) => ` ${letters.replaceAll(/[.\s]/g, '')} `,
    )
    .replaceAll(/['’`´]/g, ' ');
}

/** The words of a normalized name: letters and digits only. `%` and `#` become words, because they imply the unit. */
export const wordsOf = (plain: string): string[] =>
  plain
    .replaceAll('%', ' percent ')
    .replaceAll('#', ' abs ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Names are compared without blanks, which OCR loses first. */
export const joinWords = (words: readonly string[]): string => words.join('');
/** A key that ignores the order of the words. */
export const sortWords = (words: readonly string[]): string => [...words].sort().join(' ');

/** The distinct trigrams of a text, including a blank at each end. */
export function trigramsOf(words: readonly string[]): string[] {
  const text = ` ${words.join(' ')} `;
  const found = new Set<string>();
  for (let at = 0; at + 3 <= text.length; at += 1) found.add(text.slice(at, at + 3));
  return [...found];
}
