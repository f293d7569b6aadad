import { type GrayImage, WHITE, boxBlur, quantile, resize } from './image.ts';

/** Width of the preview on which print and background are separated, and the blur radius for the background. */
const PREVIEW_WIDTH = 600;
const ABOUT = 20;
const STANDS_OUT = 28;
const CLEARLY = 1.4;

/**
 * Inverts a dark image with light print. Print is thinner than its background, so it stands out from a blurred copy.
 */
export function invertIfLightOnDark(image: GrayImage): GrayImage {
  if (quantile(image, 0.5) > WHITE / 2) return image;
  const scale = Math.min(1, PREVIEW_WIDTH / image.width);
  const small = resize(image, {
    width: Math.max(1, Math.round(image.width * scale)),
    height: Math.max(1, Math.round(image.height * scale)),
  });
  const ground = boxBlur(small, ABOUT);
  let [lighter, darker] = [0, 0];
  small.data.forEach((gray, at) => {
    const off = gray - (ground.data[at] ?? 0);
    if (off > STANDS_OUT) lighter += off;
    if (off < -STANDS_OUT) darker -= off;
  });
  const isTurned = lighter > CLEARLY * darker;
  return isTurned ? { ...image, data: image.data.map((gray) => WHITE - gray) } : image;
}

/** Side of the squares, in pixels, for each of which the paper brightness is measured. */
const SQUARE = 24;
const STEP = 3;
/** Paper is rarely darker than this; a darker square, such as a black bar, takes the brightness of its neighbors. */
const DARKEST_PAPER = 70;

/**
 * Normalizes illumination: divides every pixel by the local paper brightness, which removes shadows and color casts.
 * Returns a page unchanged if its paper is already evenly white.
 */
export function normalizeIllumination(image: GrayImage): GrayImage {
  const paper = measurePaper(image);
  const levels = Float32Array.from(paper.values).toSorted();
  const at = (share: number): number => levels[Math.floor(share * (levels.length - 1))] ?? WHITE;
  if (at(0.05) > 225 || (at(0.05) > 200 && at(0.95) - at(0.05) < 20)) return image;
  return divideByPaper(image, paper);
}

/** Quantiles for the gray of print. On a page with few lines, 1% may already be paper, so BOUND limits the result. */
const DARK = 0.01;
const DARKEST = 0.001;
const BOUND = 0.25;

/** Stretches the contrast of faint print. */
export function stretchContrast(image: GrayImage): GrayImage {
  const light = quantile(image, 0.6);
  const darkest = quantile(image, DARKEST);
  const dark = Math.min(quantile(image, DARK), darkest + BOUND * (light - darkest));
  if (light - dark < 25 || (dark < 70 && light > 215)) return image;
  const table = Uint8Array.from({ length: 256 }, (_, gray) =>
    Math.min(WHITE, Math.max(0, ((gray - dark) * 245) / (light - dark))),
  );
  return { ...image, data: image.data.map((gray) => table[gray] ?? gray) };
}

interface BrightnessGrid {
  readonly columns: number;
  readonly rows: number;
  readonly values: Float32Array;
}

function measurePaper(image: GrayImage): BrightnessGrid {
  const columns = Math.ceil(image.width / SQUARE);
  const rows = Math.ceil(image.height / SQUARE);
  const raw = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      raw[row * columns + column] = brightest(image, column * SQUARE, row * SQUARE);
    }
  }
  const grid = { columns, rows, values: raw };
  return blurGrid(blurGrid(maxOfNeighbors(grid)));
}

/** The 80% quantile of the grays in a square, sampled at one pixel in nine. */
function brightest({ width, height, data }: GrayImage, left: number, top: number): number {
  const grays = new Uint8Array((SQUARE / STEP) ** 2);
  let count = 0;
  for (let y = top; y < Math.min(height, top + SQUARE); y += STEP) {
    for (let x = left; x < Math.min(width, left + SQUARE); x += STEP) {
      grays[count] = data[y * width + x] ?? 0;
      count += 1;
    }
  }
  return grays.subarray(0, count).sort()[Math.floor(count * 0.8)] ?? WHITE;
}

/** Sets each square to the maximum of its neighbors; a dark square searches further. */
function maxOfNeighbors({ columns, rows, values }: BrightnessGrid): BrightnessGrid {
  const out = values.slice();
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      for (let reach = 1; reach <= 4; reach += 1) {
        const found = neighborhoodOf({ columns, rows, values }, { row, column, reach });
        out[row * columns + column] = found.most;
        if (found.most > DARKEST_PAPER) break;
      }
    }
  }
  return { columns, rows, values: out };
}

const blurGrid = (grid: BrightnessGrid): BrightnessGrid => ({
  ...grid,
  values: grid.values.map(
    (_, index) =>
      neighborhoodOf(grid, { row: Math.floor(index / grid.columns), column: index % grid.columns, reach: 1 })
        .mean,
  ),
});

function neighborhoodOf(
  { columns, rows, values }: BrightnessGrid,
  { row, column, reach }: { row: number; column: number; reach: number },
): { most: number; mean: number } {
  let most = 0;
  let sum = 0;
  let count = 0;
  for (let y = Math.max(0, row - reach); y <= Math.min(rows - 1, row + reach); y += 1) {
    for (let x = Math.max(0, column - reach); x <= Math.min(columns - 1, column + reach); x += 1) {
      const value = values[y * columns + x] ?? 0;
      most = Math.max(most, value);
      sum += value;
      count += 1;
    }
  }
  return { most, mean: sum / count };
}

function divideByPaper(
  { width, height, data }: GrayImage,
  { columns, rows, values }: BrightnessGrid,
): GrayImage {
  const out = new Uint8Array(data.length);
  const place = (at: number, count: number): [number, number, number] => {
    const middle = Math.min(count - 1, Math.max(0, (at + 0.5) / SQUARE - 0.5));
    const first = Math.floor(middle);
    return [first, Math.min(count - 1, first + 1), middle - first];
  };
  for (let y = 0; y < height; y += 1) {
    const [upper, lower, fy] = place(y, rows);
    for (let x = 0; x < width; x += 1) {
      const [left, right, fx] = place(x, columns);
      const top =
        (values[upper * columns + left] ?? 0) * (1 - fx) + (values[upper * columns + right] ?? 0) * fx;
      const bottom =
        (values[lower * columns + left] ?? 0) * (1 - fx) + (values[lower * columns + right] ?? 0) * fx;
      const paper = Math.max(20, top * (1 - fy) + bottom * fy);
      out[y * width + x] = Math.min(WHITE, ((data[y * width + x] ?? 0) * 250) / paper);
    }
  }
  return { width, height, data: out };
}
