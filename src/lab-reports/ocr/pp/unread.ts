import type { GrayImage } from '../image.ts';
import { type Ink, inkOf, rowsWithin } from './ink.ts';
import type { Area } from './arrows.ts';
import type { Sign } from './recognise.ts';

/** A letter is so wide at least, in pixels of a strip, and so tall, as a share of the print; what is less may be a speck. */
const LEAST_WIDTH = 8;
const LEAST_HEIGHT = 0.5;
/** So far from its ink the network may notice a sign. */
const OFF = 6;

/**
 * The letters of a strip, parted by paper, at which no sign was read: a recogniser passes over the L of LD and the à of
 * 45 à 84, and is sure of the rest.
 */
export function unreadIn(strip: GrayImage, signs: readonly Sign[]): Area[] {
  const ink = inkOf(strip);
  const tall = ink.bottom - ink.top;
  return stretchesOf(ink)
    .filter(({ left, right }) => right - left >= LEAST_WIDTH)
    .filter(
      ({ left, right }) => !signs.some(({ text, x }) => text !== ' ' && x > left - OFF && x < right + OFF),
    )
    .map((piece) => ({ ...piece, ...rowsWithin(strip, ink, piece) }))
    .filter(({ top, bottom }) => bottom - top >= LEAST_HEIGHT * tall);
}

function stretchesOf({ bare }: Ink): { left: number; right: number }[] {
  const found: { left: number; right: number }[] = [];
  bare.forEach((isBare, x) => {
    const last = found.at(-1);
    if (isBare === 1) return;
    if (last && last.right === x) last.right = x + 1;
    else found.push({ left: x, right: x + 1 });
  });
  return found;
}
