/**
 * Relative widths of letters in common sans serif fonts. Used to locate words within a text run when only the width of
 * the whole run is known.
 */
const CLASSES: readonly (readonly [letters: string, width: number])[] = [
  ["ijl'|I.,:;!/\\ ftr()[]-`", 0.3],
  ['mM@Wwµ%', 0.85],
  ['ABCDEFGHKNOPQRSTUVXYZÄÖÜ&', 0.69],
];

const WIDTHS = new Map<string, number>();
for (const [letters, width] of CLASSES) for (const letter of letters) WIDTHS.set(letter, width);
WIDTHS.set('I', 0.28);

const OTHERS = 0.556;

const widthOfLetter = (letter: string): number => WIDTHS.get(letter) ?? OTHERS;

/** The start of every letter of a run as a share of its width; one more entry for the end. */
export function measureLetterStarts(text: string, isMonospaced: boolean): number[] {
  const starts: number[] = [0];
  let at = 0;
  for (const letter of text) {
    at += isMonospaced ? 1 : widthOfLetter(letter);
    for (let unit = 0; unit < letter.length; unit += 1) starts.push(at);
  }
  return starts.map((start) => start / (at || 1));
}
