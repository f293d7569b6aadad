import type { GrayImage } from '../image.ts';
import { inkOf } from './ink.ts';
import { enlarged } from './parts.ts';
import type { Sign } from './recognise.ts';

/** The powers in which cells are counted; the edges of what stands beside them look like strokes and brackets. */
const POWER = /^[^\d\p{L}]?(12|[369])[1/)|.]?$/u;
/** What is seen between the 10 and the stroke of 10⁹/L: nothing, or a sign that is none. */
const LOST = /^(?:[^\p{L}\p{N}/]{0,2}|\d)$/u;
/** The raised digit begins about so far behind the middle of the 0, in widths of a digit; the places that are tried. */
const BEGINS = [0.55, 0.7, 0.4] as const;
/** And ends at the stroke, whose head leans away from it. */
const LEAST_WIDTH = 0.3;
/** Raised print ends so far above the foot of the line. */
const RAISED = 0.62;

/** The signs with the power of ten that is printed raised and small, read by itself where it was not read. */
export async function withExponents(
  strip: GrayImage,
  signs: readonly Sign[],
  read: (image: GrayImage) => Promise<readonly Sign[]>,
): Promise<readonly Sign[]> {
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
  const ink = inkOf(strip);
  const rows = { top: ink.top, bottom: Math.round(ink.top + RAISED * (ink.bottom - ink.top)) };
  for (const begins of BEGINS) {
    const area = { left: Math.round(ten.x + begins * width), right: Math.round(over.x), ...rows };
    if (area.right - area.left < LEAST_WIDTH * width) continue;
    const raised = await read(enlarged(strip, area));
    const [, digits] = POWER.exec(raised.map(({ text }) => text).join('')) ?? [];
    if (digits === undefined) continue;
    const confidence = Math.min(...raised.map((sign) => sign.confidence));
    const x = (ten.x + over.x) / 2;
    const power = ['^', ...digits].map((text) => ({ text, x, confidence }));
    return [...signs.slice(0, zero + 1), ...power, ...signs.slice(stroke)];
  }
  return signs;
}
