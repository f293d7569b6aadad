import type { ReportPage, ReportWord } from '../reading/report-model.ts';
import type { OcrTextLine, OcrWord } from './engine.ts';
import type { ImageSize } from './geometry.ts';
import { postprocessLines } from './postprocess.ts';

/** The assumed longer side of a page of unknown size, in points. */
export const DEFAULT_PAGE_LENGTH = 792;

/** Words below this confidence are not print but a fold, a stamp or a photo; a single sign needs more. */
const NOTHING_READ = 0.15;
const NO_SIGN = 0.4;
const isRead = ({ text, confidence }: OcrWord): boolean =>
  confidence >= (text.length === 1 ? NO_SIGN : NOTHING_READ);

/** A letter smaller than this share of the median font size is a misread dot of a leader. */
const SPECK = 0.35;

function removeSpecks(words: readonly OcrWord[]): OcrWord[] {
  const sizes = words.map(({ fontSize }) => fontSize).toSorted((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  return words.filter(({ text, fontSize }) => fontSize > SPECK * usual || !/^[\p{L}\d]$/u.test(text));
}

interface OcrPageScale {
  /** Size of the image that was read, in pixels. */
  readonly image: ImageSize;
  /** Points per pixel. */
  readonly scale: number;
  /** Page number, from 1. */
  readonly number: number;
}

/** Converts the output of an engine to a page of words, in points. */
export function toPage(lines: readonly OcrTextLine[], { image, scale, number }: OcrPageScale): ReportPage {
  const seen = removeSpecks(postprocessLines(lines).filter(isRead));
  const sizeOf = usualSizes(seen);
  const words = seen.map((word): ReportWord => {
    const fontSize = sizeOf(word) * scale;
    const baseline = word.baseline * scale;
    return {
      text: word.text,
      // The height that a text layer would have, so that the words of a line have equal heights.
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

/** Font sizes measured on ink vary, so sizes near a common one are replaced by it. */
const NEAR = 0.22;

function usualSizes(words: readonly OcrWord[]): (word: OcrWord) => number {
  const usual: number[] = [];
  let left = words.filter(({ text }) => text.length > 1).map(({ fontSize }) => fontSize);
  while (left.length > 0 && usual.length < 6) {
    const best = densest(left);
    usual.push(best);
    left = left.filter((size) => Math.abs(size - best) > NEAR * best);
  }
  return ({ fontSize }) => usual.find((size) => Math.abs(fontSize - size) <= NEAR * size) ?? fontSize;
}

/** The size with the most others near it. */
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
