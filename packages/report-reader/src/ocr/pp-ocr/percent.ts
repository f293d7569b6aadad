import type { GrayImage } from '../image.ts';
import { measureInk, inkRowsWithin } from './ink.ts';

/** How a single percent sign is misread: its rings become digits. */
const MISTAKEN = /^(?:[69]|96|%6|9%|6%|[.,%]%|%[.,])$/;
/** Or, for the narrow sign of a monospaced font, nothing. */
const NOT_READ = /^#?$/;
const WIDE = 0.7;
const NARROW = 0.5;
const WIDEST = 1.36;

const CELLS = 8;
/** Minimum symmetry under a rotation by 180 degrees. */
const ALIKE = 0.72;

/**
 * Whether the ink of a strip that was read as `text` is a percent sign: about as wide as high, symmetric upside down,
 * heavy at the top left and the bottom right, with only a stroke in the other two corners. 96 is wider; a single digit
 * is narrower or not symmetric.
 */
export function isPercentSign(strip: GrayImage, text: string): boolean {
  const isUnread = NOT_READ.test(text);
  if (!isUnread && !MISTAKEN.test(text)) return false;
  const ink = measureInk(strip);
  const left = ink.bare.indexOf(0);
  const right = ink.bare.lastIndexOf(0) + 1;
  if (left < 0) return false;
  const { top, bottom } = inkRowsWithin(strip, ink, { left, right });
  const wide = (right - left) / Math.max(1, bottom - top);
  if (bottom - top < 12 || wide < (isUnread ? NARROW : WIDE) || wide > WIDEST) return false;
  const cells = sharesOf(strip, ink.level, { left, right, top, bottom });
  return symmetryOf(cells) > ALIKE && hasRings(cells);
}

interface PercentSignArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The inked share of each of 8 x 8 cells, in row-major order. */
function sharesOf({ width, data }: GrayImage, level: number, area: PercentSignArea): Float32Array {
  const shares = new Float32Array(CELLS * CELLS);
  const counts = new Float32Array(CELLS * CELLS);
  const [wide, tall] = [area.right - area.left, area.bottom - area.top];
  for (let y = area.top; y < area.bottom; y += 1) {
    const row = Math.floor(((y - area.top) * CELLS) / tall) * CELLS;
    for (let x = area.left; x < area.right; x += 1) {
      const cell = row + Math.floor(((x - area.left) * CELLS) / wide);
      counts[cell] = (counts[cell] ?? 0) + 1;
      if ((data[y * width + x] ?? 0) < level) shares[cell] = (shares[cell] ?? 0) + 1;
    }
  }
  return shares.map((inked, cell) => inked / Math.max(1, counts[cell] ?? 1));
}

/** 1 if every cell is as dark as the opposite one. */
function symmetryOf(cells: Float32Array): number {
  let apart = 0;
  let all = 0;
  cells.forEach((share, cell) => {
    apart += Math.abs(share - (cells[cells.length - 1 - cell] ?? 0));
    all += share;
  });
  return all === 0 ? 0 : 1 - apart / (2 * all);
}

const HALF = CELLS / 2;

function hasRings(cells: Float32Array): boolean {
  const mean = (row: number, column: number, side: number): number => {
    let sum = 0;
    for (let at = 0; at < side * side; at += 1)
      sum += cells[(row + Math.floor(at / side)) * CELLS + column + (at % side)] ?? 0;
    return sum / side ** 2;
  };
  const rings = (mean(0, 0, HALF) + mean(HALF, HALF, HALF)) / 2;
  const others = (mean(0, HALF, HALF) + mean(HALF, 0, HALF)) / 2;
  // There is paper below the left ring and above the right one.
  const paper = (mean(HALF + 1, 0, 2) + mean(1, CELLS - 2, 2)) / 2;
  return rings > others * 1.12 && paper < 0.35;
}
