import type { OcrWord } from '../engine.ts';
import { type StripImage, toImagePoint } from './cut-strip.ts';
import { type StripInk, measureInk } from './ink.ts';

/** How a single dash is misread: as nothing, or as thin signs and specks. */
const MISTAKEN = /^[\s!|1IiLl'’`"“”.,:;_=~·•–—-]{0,3}$/u;
/** Rows at the edges of a strip may show what is printed above and below. */
const EDGE = 6;
/** Limits of a dash: flat, no longer than an em dash, and solid. */
const FLAT = 2;
const LEAST_WIDTH = 12;
const MOST_WIDTH = 72;
const MOST_HEIGHT = 14;
const SOLID = 0.6;
/** The font size in dash widths, and the height of a dash above the baseline in font sizes. */
const SIZE = 2;
const RAISED = 0.28;

/**
 * Detects a strip that contains only a dash, by its shape. No other sign is lost as often between the numbers of a
 * range, and a horizontal stroke is never a digit.
 */
export function detectDash(cut: StripImage, text: string, confidence: number): OcrWord | undefined {
  const { image, strip, scale, across } = cut;
  // A tall strip was turned on its side.
  if (!MISTAKEN.test(text) || strip.height > strip.width) return undefined;
  const ink = measureInk(image);
  const stroke = measureInkBounds(image, ink);
  const [wide, tall] = [stroke.right - stroke.left, stroke.bottom - stroke.top];
  if (wide < LEAST_WIDTH || wide > MOST_WIDTH || tall > MOST_HEIGHT || wide < FLAT * tall) return undefined;
  if (stroke.inked < SOLID * wide * tall) return undefined;
  const middle = { x: (stroke.left + stroke.right) / 2, y: (stroke.top + stroke.bottom) / 2 };
  const at = toImagePoint(cut, middle);
  const half = (wide * across) / 2;
  const fontSize = SIZE * wide * across;
  const baseline = at.y + RAISED * fontSize;
  const box = { x0: at.x - half, x1: at.x + half, y0: at.y - tall * scale, y1: at.y + tall * scale };
  return { text: '-', box, confidence, baseline, fontSize };
}

interface InkBounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly inked: number;
}

/** The bounds and the pixel count of all ink. */
function measureInkBounds({ width, height, data }: StripImage['image'], { level }: StripInk): InkBounds {
  let [left, right, top, bottom, inked] = [width, 0, height, 0, 0];
  for (let y = EDGE; y < height - EDGE; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[y * width + x] ?? 0) >= level) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
      inked += 1;
    }
  }
  return { left, right, top, bottom, inked };
}
