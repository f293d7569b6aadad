import type { SeenLine, SeenWord } from './engine.ts';

/** Words of fewer letters tell little of a face; and so many of them are needed. */
const TELLING = /^\p{L}{4,}[:.,]?$/u;
const LEAST_WORDS = 12;
/** The ink of a word is shorter than its cells by about this share of one. */
const BEARING = 0.3;
/** In a typewriter's face more than this share of the words have letters of one width; in others at most two in five. */
const SHARE = 0.55;
const ALIKE = 0.04;

/**
 * The width of each letter, in pixels, where a page is printed in a typewriter's face. Each word says it once: the cards
 * of a portal have the same few in every one of them, in a face whose letters are of all widths.
 */
export function pitchOf(lines: readonly SeenLine[]): number | undefined {
  const words = lines.flatMap((line) => line.words).filter(({ text }) => TELLING.test(text));
  const widths = [...new Map(words.map((word) => [word.text, word])).values()]
    .map(({ text, box }) => (box.x1 - box.x0) / (text.length - BEARING))
    .toSorted((a, b) => a - b);
  const pitch = widths[Math.floor(widths.length / 2)] ?? 0;
  const alike = widths.filter((width) => Math.abs(width - pitch) < ALIKE * pitch).length;
  return widths.length >= LEAST_WORDS && alike > SHARE * widths.length ? pitch : undefined;
}

interface Cells {
  readonly x0: number;
  readonly x1: number;
}

/** The cells that a word fills, on paper that a typewriter divides; undefined where it was printed otherwise. */
function cellsOf({ text, box }: SeenWord, pitch: number): Cells | undefined {
  const ink = (box.x1 - box.x0) / pitch;
  if (ink > text.length + 0.25 || ink < text.length - 0.95) return undefined;
  const middle = (box.x0 + box.x1) / 2;
  const half = (text.length * pitch) / 2;
  return { x0: middle - half, x1: middle + half };
}

/** Cells nearer to each other than this share of one have no blank between them. */
const NO_BLANK = 0.45;
const PRINT = /^[\p{L}\d.,:;/()%'-]+$/u;

/**
 * Words whose letters stand in cells beside each other joined: slim letters, which leave much of theirs bare, look as
 * if they stood apart. Digits are not joined to digits.
 */
export const joinCells = ({ words }: SeenLine, pitch: number): SeenLine => ({
  words: words.reduce<SeenWord[]>((joined, word) => {
    const before = joined.at(-1);
    if (before && isOneWord(before, word, pitch)) joined.splice(-1, 1, both(before, word));
    else joined.push(word);
    return joined;
  }, []),
});

function isOneWord(left: SeenWord, right: SeenWord, pitch: number): boolean {
  const [before, after] = [cellsOf(left, pitch), cellsOf(right, pitch)];
  const isPrint = PRINT.test(left.text) && PRINT.test(right.text);
  const isNumber = /\d$/.test(left.text) && /^\d/.test(right.text);
  return (
    isPrint &&
    !isNumber &&
    before !== undefined &&
    after !== undefined &&
    after.x0 - before.x1 < NO_BLANK * pitch &&
    Math.abs(left.baseline - right.baseline) < 0.3 * left.fontSize
  );
}

const both = (left: SeenWord, right: SeenWord): SeenWord => ({
  ...left,
  text: left.text + right.text,
  box: { ...left.box, x1: Math.max(left.box.x1, right.box.x1) },
  confidence: Math.min(left.confidence, right.confidence),
});

/** A word as wide as its cells, as a text layer would say: a dash between two numbers is no further from them than a letter. */
export const withCells = (word: SeenWord, pitch: number): SeenWord => ({
  ...word,
  box: { ...word.box, ...cellsOf(word, pitch) },
});
