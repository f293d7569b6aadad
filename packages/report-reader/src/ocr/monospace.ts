import type { OcrTextLine, OcrWord } from './engine.ts';

/** Words long enough to measure the letter width, and how many distinct ones are needed. */
const TELLING = /^\p{L}{4,}[:.,]?$/u;
const LEAST_WORDS = 12;
/** The ink of a word is shorter than its character cells by about this share of a cell. */
const BEARING = 0.3;
/** In a monospaced font, more than this share of the words have equal letter widths; in others at most 40%. */
const SHARE = 0.55;
const ALIKE = 0.04;

/**
 * The letter width in pixels, if the page is in a monospaced font. Each distinct word counts once, because the cards of
 * a patient portal repeat the same few words in a proportional font.
 */
export function measurePitch(lines: readonly OcrTextLine[]): number | undefined {
  const words = lines.flatMap((line) => line.words).filter(({ text }) => TELLING.test(text));
  const widths = [...new Map(words.map((word) => [word.text, word])).values()]
    .map(({ text, box }) => (box.x1 - box.x0) / (text.length - BEARING))
    .toSorted((a, b) => a - b);
  const pitch = widths[Math.floor(widths.length / 2)] ?? 0;
  const alike = widths.filter((width) => Math.abs(width - pitch) < ALIKE * pitch).length;
  return widths.length >= LEAST_WORDS && alike > SHARE * widths.length ? pitch : undefined;
}

interface CharacterCells {
  readonly x0: number;
  readonly x1: number;
}

/** The character cells of a word; undefined if its width does not fit the pitch. */
function measureCells({ text, box }: OcrWord, pitch: number): CharacterCells | undefined {
  const ink = (box.x1 - box.x0) / pitch;
  if (ink > text.length + 0.25 || ink < text.length - 0.95) return undefined;
  const middle = (box.x0 + box.x1) / 2;
  const half = (text.length * pitch) / 2;
  return { x0: middle - half, x1: middle + half };
}

/** Cells closer than this share of a cell have no blank between them. */
const NO_BLANK = 0.45;
const PRINT = /^[\p{L}\d.,:;/()%'-]+$/u;

/**
 * Joins words whose cells are adjacent: thin letters leave gaps in their cells that look like blanks. Never joins
 * digits to digits.
 */
export const joinAdjacentCells = ({ words }: OcrTextLine, pitch: number): OcrTextLine => ({
  words: words.reduce<OcrWord[]>((joined, word) => {
    const before = joined.at(-1);
    if (before && isOneWord(before, word, pitch)) joined.splice(-1, 1, joinTwoWords(before, word));
    else joined.push(word);
    return joined;
  }, []),
});

function isOneWord(left: OcrWord, right: OcrWord, pitch: number): boolean {
  const [before, after] = [measureCells(left, pitch), measureCells(right, pitch)];
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

const joinTwoWords = (left: OcrWord, right: OcrWord): OcrWord => ({
  ...left,
  text: left.text + right.text,
  box: { ...left.box, x1: Math.max(left.box.x1, right.box.x1) },
  confidence: Math.min(left.confidence, right.confidence),
});

/** Extends a word to its cells, as in a text layer, so that a thin dash is as close to its numbers as a letter. */
export const extendToCells = (word: OcrWord, pitch: number): OcrWord => ({
  ...word,
  box: { ...word.box, ...measureCells(word, pitch) },
});
