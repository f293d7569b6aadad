import type { SeenLine, SeenWord } from '../engine.ts';
import type { GrayImage } from '../image.ts';
import { cut } from './cut.ts';
import { dashIn } from './dash.ts';
import { SHAPE_CONFIDENCE } from './read-strip.ts';

const LOW = /^[([<>]?\d+(?:[.,]\d+)?$/;
const HIGH = /^\d+(?:[.,]\d+)?[)\]]?$/;
/** So far apart, in sizes of the print, the numbers of a range stand; and so near to one height. */
const APART = { from: 0.5, to: 2 };
const SAME_ROW = 0.35;
/** Between two numbers a dash stands so high above their feet, in sizes of the print; and what is looked at about it. */
const MIDDLE = 0.3;
const TALL = 0.62;

/** The dashes between numbers that the detector or the recogniser passed over, as far as they are there: without one a range is two numbers. */
export function overlookedDashes(image: GrayImage, lines: readonly SeenLine[]): SeenLine[] {
  const starts = lines.flatMap(({ words: [first] }) => first ?? []);
  return lines.flatMap(({ words, slope }) =>
    words.flatMap((low, at) => {
      if (!LOW.test(low.text)) return [];
      const next = words[at + 1];
      const high = (next ? [next] : starts).find((word) => HIGH.test(word.text) && isNext(low, word));
      const dash = high && dashBetween(image, [low, high], slope ?? 0);
      return dash ? [{ words: [dash] }] : [];
    }),
  );
}

function isNext(low: SeenWord, high: SeenWord): boolean {
  const gap = (high.box.x0 - low.box.x1) / low.fontSize;
  return (
    gap > APART.from && gap < APART.to && Math.abs(high.baseline - low.baseline) < SAME_ROW * low.fontSize
  );
}

function dashBetween(
  image: GrayImage,
  [low, high]: readonly [SeenWord, SeenWord],
  slope: number,
): SeenWord | undefined {
  const size = (low.fontSize + high.fontSize) / 2;
  const [from, to] = [low.box.x1, high.box.x0];
  const piece = cut(image, {
    x: (from + to) / 2,
    y: (low.baseline + high.baseline) / 2 - MIDDLE * size,
    width: to - from,
    height: Math.min(TALL * size, to - from),
    slope,
    score: 1,
  });
  const dash = dashIn(piece, '', SHAPE_CONFIDENCE);
  // Of the print that it stands between.
  return dash && { ...dash, baseline: (low.baseline + high.baseline) / 2, fontSize: size };
}
