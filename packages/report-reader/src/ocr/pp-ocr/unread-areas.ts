import type { GrayImage } from '../image.ts';
import { type StripInk, measureInk, inkRowsWithin } from './ink.ts';
import type { StripArea } from './arrows.ts';
import type { OcrGlyph } from './recognize.ts';

/** Minimum width of a letter in strip pixels, and minimum height as a share of the print; less may be a speck. */
const LEAST_WIDTH = 8;
const LEAST_HEIGHT = 0.5;
/** Maximum distance between the position of a sign and its ink. */
const OFF = 6;

/**
 * Finds letters of a strip, separated by paper, for which no sign was read. The recognizer may skip the L of LD or the
 * à of 45 à 84, with full confidence in the rest.
 */
export function findUnreadAreas(strip: GrayImage, signs: readonly OcrGlyph[]): StripArea[] {
  const ink = measureInk(strip);
  const tall = ink.bottom - ink.top;
  return findInkRuns(ink)
    .filter(({ left, right }) => right - left >= LEAST_WIDTH)
    .filter(
      ({ left, right }) => !signs.some(({ text, x }) => text !== ' ' && x > left - OFF && x < right + OFF),
    )
    .map((piece) => ({ ...piece, ...inkRowsWithin(strip, ink, piece) }))
    .filter(({ top, bottom }) => bottom - top >= LEAST_HEIGHT * tall);
}

function findInkRuns({ bare }: StripInk): { left: number; right: number }[] {
  const found: { left: number; right: number }[] = [];
  bare.forEach((isBare, x) => {
    const last = found.at(-1);
    if (isBare === 1) return;
    if (last && last.right === x) last.right = x + 1;
    else found.push({ left: x, right: x + 1 });
  });
  return found;
}
