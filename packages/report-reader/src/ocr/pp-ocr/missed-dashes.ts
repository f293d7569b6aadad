import type { OcrTextLine, OcrWord } from '../engine.ts';
import type { GrayImage } from '../image.ts';
import { cutStrip } from './cut-strip.ts';
import { detectDash } from './dash.ts';
import { SHAPE_CONFIDENCE } from './read-strip.ts';

const LOW = /^[([<>]?\d+(?:[.,]\d+)?$/;
const HIGH = /^\d+(?:[.,]\d+)?[)\]]?$/;
/** Distance and maximum baseline difference of the numbers of a range, in font sizes. */
const APART = { from: 0.5, to: 2 };
const SAME_ROW = 0.35;
/** The height of a dash above the baseline, and the height of the searched area, in font sizes. */
const MIDDLE = 0.3;
const TALL = 0.62;

/** Finds the dashes of ranges that the detector or the recognizer missed; without its dash, a range is two numbers. */
export function findMissedDashes(image: GrayImage, lines: readonly OcrTextLine[]): OcrTextLine[] {
  const starts = lines.flatMap(({ words: [first] }) => first ?? []);
  return lines.flatMap(({ words, slope }) =>
    words.flatMap((low, at) => {
      if (!LOW.test(low.text)) return [];
      const next = words[at + 1];
      const high = (next ? [next] : starts).find((word) => HIGH.test(word.text) && isNext(low, word));
      const dash = high && detectDashBetween(image, [low, high], slope ?? 0);
      return dash ? [{ words: [dash] }] : [];
    }),
  );
}

function isNext(low: OcrWord, high: OcrWord): boolean {
  const gap = (high.box.x0 - low.box.x1) / low.fontSize;
  return (
    gap > APART.from && gap < APART.to && Math.abs(high.baseline - low.baseline) < SAME_ROW * low.fontSize
  );
}

function detectDashBetween(
  image: GrayImage,
  [low, high]: readonly [OcrWord, OcrWord],
  slope: number,
): OcrWord | undefined {
  const size = (low.fontSize + high.fontSize) / 2;
  const [from, to] = [low.box.x1, high.box.x0];
  const piece = cutStrip(image, {
    x: (from + to) / 2,
    y: (low.baseline + high.baseline) / 2 - MIDDLE * size,
    width: to - from,
    height: Math.min(TALL * size, to - from),
    slope,
    score: 1,
  });
  const dash = detectDash(piece, '', SHAPE_CONFIDENCE);
  // Font size and baseline of the two numbers.
  return dash && { ...dash, baseline: (low.baseline + high.baseline) / 2, fontSize: size };
}
