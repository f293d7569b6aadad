const MARKS = /\p{M}+/gu;
const GREEK: Readonly<Record<string, string>> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  κ: 'kappa',
  λ: 'lambda',
};

/** Small letters without accents, Greek written out, abbreviations without their dots. */
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

/** The words of a printed name: letters and digits only. `%` and `#` are words too, for they say what is counted. */
export const wordsOf = (plain: string): string[] =>
  plain
    .replaceAll('%', ' percent ')
    .replaceAll('#', ' abs ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Blanks are the first thing a reader of pictures loses: names are compared without them. */
export const squeeze = (words: readonly string[]): string => words.join('');
/** The same words in whatever order. */
export const shuffle = (words: readonly string[]): string => [...words].sort().join(' ');

/** The pieces of three letters of a text, the blank before and after included. */
export function trigramsOf(words: readonly string[]): string[] {
  const text = ` ${words.join(' ')} `;
  const found = new Set<string>();
  for (let at = 0; at + 3 <= text.length; at += 1) found.add(text.slice(at, at + 3));
  return [...found];
}
