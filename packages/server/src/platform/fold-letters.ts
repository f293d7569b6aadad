const NOT_ASCII = /[^\x20-\x7e]/;
const MARKS = /\p{M}+/gu;
const TYPOGRAPHIC = /[‘’ʻʼ´`‐‑‒–—]/g;
/** Letters that Unicode does not decompose into a base letter and a mark. */
// prettier-ignore
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h', ŧ: 't', ŋ: 'n', ĸ: 'k',
  ẞ: 'SS', Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH', Ħ: 'H', Ŧ: 'T', Ŋ: 'N', ə: 'e', Ə: 'E',
};
const INDIVISIBLE = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** Latin letters without diacritics, and plain apostrophes and hyphens: `Ångström` is `Angstrom`. Keeps the case. */
export const foldLetters = (text: string): string =>
  NOT_ASCII.test(text)
    ? text
        .normalize('NFKD')
        .replace(MARKS, '')
        .replace(INDIVISIBLE, (letter) => LETTERS[letter] ?? letter)
        .replace(TYPOGRAPHIC, (mark) => (/[‐‑‒–—]/.test(mark) ? '-' : "'"))
        // Other scripts have marks that are part of the letter.
        .normalize('NFC')
    : text;
