const MARKS = /\p{M}+/gu;

/** Most texts of a report come again and again; this many answers are kept, then all are forgotten. */
const MOST_KEPT = 4_000;

/** The same function, which remembers what it answered. For functions of short texts that are asked often. */
export function remembering<Answer>(read: (text: string) => Answer): (text: string) => Answer {
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

/** Small letters without accents: how words of six languages are compared. Most have nothing to take off. */
export const plain = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text.normalize('NFKD').replace(MARKS, '').replaceAll('ß', 'ss').toLowerCase();

/** Only letters and digits, single blanks between them: text layers lose brackets and dots. */
export const bare = remembering((text) =>
  plain(text)
    .replaceAll(/[^\p{L}\p{N}%]+/gu, ' ')
    .trim(),
);

/** A list of words or phrases, written with blanks or commas between them. */
export const phrases = (list: string): string[] =>
  list
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');

/** "LIPID PANEL", and below it "Cholesterol": a heading is set in capitals, and no name changes to small letters. */
export const isShouted = (text: string): boolean => /^\P{Ll}*\p{Lu}{4}\P{Ll}*$/u.test(text);
