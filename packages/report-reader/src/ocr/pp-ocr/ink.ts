import { type GrayImage, quantile } from '../image.ts';

/** The distribution of ink on a text strip. */
export interface StripInk {
  /** For each column, 1 if it has no ink. */
  readonly bare: Uint8Array;
  /** The first row of the print, and the row after the last. */
  readonly top: number;
  readonly bottom: number;
  /** Darker than this is ink. */
  readonly level: number;
  /** The gray of the paper. */
  readonly paper: number;
}

/** Rows at the edges that may contain ink of the lines above and below. */
const EDGE = 6;

export function measureInk(strip: GrayImage): StripInk {
  const { width, height, data } = strip;
  const paper = quantile(strip, 0.8);
  const dark = quantile(strip, 0.03);
  const level = paper - Math.max(18, 0.3 * (paper - dark));
  const bare = new Uint8Array(width).fill(1);
  const inRow = new Int32Array(height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[y * width + x] ?? 0) >= level) continue;
      inRow[y] = (inRow[y] ?? 0) + 1;
      if (y >= EDGE && y < height - EDGE) bare[x] = 0;
    }
  }
  return { bare, ...rowsOf(inRow), level, paper };
}

/** Searches from the middle row up and down to the end of the print. */
function rowsOf(inRow: Int32Array): { top: number; bottom: number } {
  const height = inRow.length;
  const isInked = (row: number) => (inRow[row] ?? 0) > 1;
  const walk = (step: 1 | -1): number => {
    let end = Math.floor(height / 2);
    for (let row = end, missed = 0; row >= 0 && row < height && missed <= 3; row += step) {
      if (isInked(row)) end = row;
      missed = isInked(row) ? 0 : missed + 1;
    }
    return end;
  };
  return { top: walk(-1), bottom: walk(1) + 1 };
}

export interface InkGap {
  readonly from: number;
  readonly to: number;
}

/** The widest gap between two columns; of zero width if there is ink everywhere. */
export function findWidestGap({ bare }: StripInk, from: number, to: number): InkGap {
  const first = Math.max(0, Math.floor(from));
  const last = Math.min(bare.length, Math.ceil(to));
  let best = { from: (first + last) / 2, to: (first + last) / 2 };
  let start = first;
  for (let x = first; x <= last; x += 1) {
    if (x < last && bare[x] === 1) continue;
    if (x - start > best.to - best.from) best = { from: start, to: x };
    start = x + 1;
  }
  return best;
}

/** The rows of the ink between two columns, within the rows of the print. */
export function inkRowsWithin(
  { width, data }: GrayImage,
  { level, top, bottom }: StripInk,
  { left, right }: { left: number; right: number },
): { top: number; bottom: number } {
  let [first, last] = [bottom, top];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      if ((data[y * width + x] ?? 0) >= level) continue;
      first = Math.min(first, y);
      last = Math.max(last, y + 1);
    }
  }
  return { top: first, bottom: last };
}
