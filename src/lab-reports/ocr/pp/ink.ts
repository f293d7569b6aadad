import { type GrayImage, quantile } from '../image.ts';

/** Where on a strip of print there is ink. */
export interface Ink {
  /** For each column whether it is bare paper. */
  readonly bare: Uint8Array;
  /** The first and the last row of the print. */
  readonly top: number;
  readonly bottom: number;
  /** Darker than this is ink. */
  readonly level: number;
  /** The gray of the paper. */
  readonly paper: number;
}

/** Rows at the edges that may show what is printed above and below. */
const EDGE = 6;

export function inkOf(strip: GrayImage): Ink {
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

/** From the middle up and down to where the print ends. */
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

export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The widest bare stretch between two places; of no width where ink is everywhere. */
export function widestGap({ bare }: Ink, from: number, to: number): Gap {
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

/** The first and the last row of the ink between two columns, within the rows of the print. */
export function rowsWithin(
  { width, data }: GrayImage,
  { level, top, bottom }: Ink,
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
