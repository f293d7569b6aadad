const MARKS = /\p{M}+/gu;

/** Texts of a report repeat a lot. The cache is cleared when it has this many entries. */
const MOST_KEPT = 4_000;

/** Memoizes a function of a short text that is called often. */
export function memoizeByText<Answer>(read: (text: string) => Answer): (text: string) => Answer {
  const kept = new Map<string, Answer>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined || kept.has(text)) return known as Answer;
    const answer = read(text);
    if (kept.size >= MOST_KEPT) kept.clear();
    if (text.length < 60) kept.set(text, answer);
    return answer;
  };
}

const ASCII = /^[\0-\x7f]*$/;

/** Lower case without accents, to compare words of six languages. ASCII text takes a fast path. */
export const normalizeText = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text.normalize('NFKD').replace(MARKS, '').replaceAll('ß', 'ss').toLowerCase();

/** Only letters and digits, with single blanks between words: text layers lose brackets and dots. */
export const normalizeWords = memoizeByText((text) =>
  normalizeText(text)
    .replaceAll(/[^\p{L}\p{N}%]+/gu, ' ')
    .trim(),
);

/** Splits a list of phrases at commas and line breaks. */
export const parsePhrases = (list: string): string[] =>
  list
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');

/** "LIPID PANEL" above "Cholesterol": a heading in capitals; names do not switch to lower case. */
export const isAllCaps = (text: string): boolean => /^\P{Ll}*\p{Lu}{4}\P{Ll}*$/u.test(text);
