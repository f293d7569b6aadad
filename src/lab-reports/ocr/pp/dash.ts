import type { SeenWord } from '../engine.ts';
import { type Cut, onPicture } from './cut.ts';
import { type Ink, inkOf } from './ink.ts';

/** What a recogniser makes of a dash that stands alone: nothing, or slim signs and specks, and it is unsure of dashes. */
const MISTAKEN = /^[\s!|1IiLl'’`"“”.,:;_=~·•–—-]{0,3}$/u;
/** Rows at the edges of a strip may show what is printed above and below. */
const EDGE = 6;
/** Flat, no longer than a long dash, and of ink all through. */
const FLAT = 2;
const LEAST_WIDTH = 12;
const MOST_WIDTH = 72;
const MOST_HEIGHT = 14;
const SOLID = 0.6;
/** The size of print beside a dash, in widths of that; and how far above the foot of the line it stands. */
const SIZE = 2;
const RAISED = 0.28;

/**
 * The dash that is all the ink of a strip, known by its shape, where nothing like it was read: between the numbers of a
 * range no sign is lost as often, and a stroke that lies down is no digit.
 */
export function dashIn(cut: Cut, text: string, confidence: number): SeenWord | undefined {
  const { image, strip, scale, across } = cut;
  // What is higher than wide was turned on its side to be read.
  if (!MISTAKEN.test(text) || strip.height > strip.width) return undefined;
  const ink = inkOf(image);
  const stroke = strokeOf(image, ink);
  const [wide, tall] = [stroke.right - stroke.left, stroke.bottom - stroke.top];
  if (wide < LEAST_WIDTH || wide > MOST_WIDTH || tall > MOST_HEIGHT || wide < FLAT * tall) return undefined;
  if (stroke.inked < SOLID * wide * tall) return undefined;
  const middle = { x: (stroke.left + stroke.right) / 2, y: (stroke.top + stroke.bottom) / 2 };
  const at = onPicture(cut, middle);
  const half = (wide * across) / 2;
  const fontSize = SIZE * wide * across;
  const baseline = at.y + RAISED * fontSize;
  const box = { x0: at.x - half, x1: at.x + half, y0: at.y - tall * scale, y1: at.y + tall * scale };
  return { text: '-', box, confidence, baseline, fontSize };
}

interface Stroke {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly inked: number;
}

/** The bounds of all ink, and how many pixels it has. */
function strokeOf({ width, height, data }: Cut['image'], { level }: Ink): Stroke {
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
