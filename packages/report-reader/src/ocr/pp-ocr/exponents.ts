import type { GrayImage } from '../image.ts';
import { measureInk } from './ink.ts';
import { enlargeArea } from './separate-parts.ts';
import type { OcrGlyph } from './recognize.ts';

/** The exponents of cell counts; the edges of neighboring signs may look like strokes and brackets. */
const POWER = /^[^\d\p{L}]?(12|[369])[1/)|.]?$/u;
/** What may be read between the 10 and the slash of 10⁹/L if the exponent was lost. */
const LOST = /^(?:[^\p{L}\p{N}/]{0,2}|\d)$/u;
/** Left edges to try for the exponent, in digit widths from the center of the 0. */
const BEGINS = [0.55, 0.7, 0.4] as const;
/** Minimum width of the exponent area, which ends at the slash. */
const LEAST_WIDTH = 0.3;
/** The lower edge of the exponent, as a share of the print height. */
const RAISED = 0.62;

/** Restores a lost superscript exponent of 10 by reading its area separately. */
export async function restoreExponents(
  strip: GrayImage,
  signs: readonly OcrGlyph[],
  read: (image: GrayImage) => Promise<readonly OcrGlyph[]>,
): Promise<readonly OcrGlyph[]> {
  const stroke = signs.findIndex(({ text }) => text === '/');
  const zero = signs
    .slice(0, Math.max(0, stroke))
    .findLastIndex(({ text }, at) => text === '0' && signs[at - 1]?.text === '1');
  const [one, ten, over] = [signs[zero - 1], signs[zero], signs[stroke]];
  const between = signs
    .slice(zero + 1, Math.max(0, stroke))
    .map(({ text }) => text)
    .join('');
  if (!one || !ten || !over || !LOST.test(between) || /^(?:3|6|9|12)$/.test(between)) return signs;
  const width = ten.x - one.x;
  const ink = measureInk(strip);
  const rows = { top: ink.top, bottom: Math.round(ink.top + RAISED * (ink.bottom - ink.top)) };
  for (const begins of BEGINS) {
    const area = { left: Math.round(ten.x + begins * width), right: Math.round(over.x), ...rows };
    if (area.right - area.left < LEAST_WIDTH * width) continue;
    const raised = await read(enlargeArea(strip, area));
    const [, digits] = POWER.exec(raised.map(({ text }) => text).join('')) ?? [];
    if (digits === undefined) continue;
    const confidence = Math.min(...raised.map((sign) => sign.confidence));
    const x = (ten.x + over.x) / 2;
    const power = ['^', ...digits].map((text) => ({ text, x, confidence }));
    return [...signs.slice(0, zero + 1), ...power, ...signs.slice(stroke)];
  }
  return signs;
}
