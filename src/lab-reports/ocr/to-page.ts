import type { Page, Word } from '../reading/word.ts';
import type { SeenLine, SeenWord } from './engine.ts';
import type { Size } from './geometry.ts';
import { tidy } from './tidy.ts';

/** The longer side of a page of paper whose size nobody knows, in points. */
export const PAPER_LENGTH = 792;

/** What is less sure than this is no print: a fold, a stamp, a cat; a single sign needs more to be one. */
const NOTHING_READ = 0.15;
const NO_SIGN = 0.4;
const isRead = ({ text, confidence }: SeenWord): boolean =>
  confidence >= (text.length === 1 ? NO_SIGN : NOTHING_READ);

/** So much smaller than the print of the page no letter is: a dot of a leader on which one was read. */
const SPECK = 0.35;

function withoutSpecks(words: readonly SeenWord[]): SeenWord[] {
  const sizes = words.map(({ fontSize }) => fontSize).toSorted((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return words.filter(({ text, fontSize }) => fontSize > SPECK * usual || !/^[\p{L}\d]$/u.test(text));
}

export interface PageSize {
  /** Of the picture that was read, in pixels. */
  readonly image: Size;
  /** Points for each pixel. */
  readonly scale: number;
  /** From 1. */
  readonly number: number;
}

/** What an engine saw, as a page of words in points. */
export function pageOf(lines: readonly SeenLine[], { image, scale, number }: PageSize): Page {
  const seen = withoutSpecks(tidy(lines).filter(isRead));
  const sizeOf = usualSizes(seen);
  const words = seen.map((word): Word => {
    const fontSize = sizeOf(word) * scale;
    const baseline = word.baseline * scale;
    return {
      text: word.text,
      // As tall as a text layer would say, so that words of one line are of one height.
      box: {
        x0: word.box.x0 * scale,
        x1: word.box.x1 * scale,
        y0: baseline - 0.8 * fontSize,
        y1: baseline + 0.2 * fontSize,
      },
      confidence: word.confidence,
      page: number,
      fontSize,
    };
  });
  return { width: image.width * scale, height: image.height * scale, words, source: 'ocr', imageShare: 1 };
}

/** Sizes measured on ink waver: those near the usual size of the page are taken for it. */
const NEAR = 0.22;

function usualSizes(words: readonly SeenWord[]): (word: SeenWord) => number {
  const usual: number[] = [];
  let left = words.filter(({ text }) => text.length > 1).map(({ fontSize }) => fontSize);
  while (left.length > 0 && usual.length < 6) {
    const best = densest(left);
    usual.push(best);
    left = left.filter((size) => Math.abs(size - best) > NEAR * best);
  }
  return ({ fontSize }) => usual.find((size) => Math.abs(fontSize - size) <= NEAR * size) ?? fontSize;
}

/** The size that most others are near to. */
function densest(sizes: readonly number[]): number {
  const sorted = sizes.toSorted((a, b) => a - b);
  let best = { count: 0, size: sorted[0] ?? 0 };
  let from = 0;
  sorted.forEach((size, to) => {
    while ((sorted[from] ?? 0) < size * (1 - NEAR)) from += 1;
    const count = to - from + 1;
    if (count > best.count) best = { count, size: sorted[Math.floor((from + to) / 2)] ?? size };
  });
  return best.size;
}
