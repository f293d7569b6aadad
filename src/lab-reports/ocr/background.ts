import { type GrayImage, WHITE, boxBlur, quantile, resize } from './image.ts';

/** Width of the small copy on which print is told from its ground; and how far about a place its ground is looked for. */
const LOOKED_AT = 600;
const ABOUT = 20;
const STANDS_OUT = 28;
const CLEARLY = 1.4;

/** Print is thinner than what it stands on: a dark picture on which more stands out light than dark is turned round. */
export function darkOnLight(image: GrayImage): GrayImage {
  if (quantile(image, 0.5) > WHITE / 2) return image;
  const scale = Math.min(1, LOOKED_AT / image.width);
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

/** Side of the squares, in pixels, in each of which the colour of the paper is looked for. */
const SQUARE = 24;
const STEP = 3;
/** Paper is rarely darker than this; what is, such as a black bar, borrows from around it. */
const DARKEST_PAPER = 70;

/**
 * Takes away shadows and the colour of the light: every pixel is divided by how bright the paper is about it.
 * Leaves a page alone whose paper is evenly white already.
 */
export function evenOut(image: GrayImage): GrayImage {
  const paper = paperOf(image);
  const levels = Float32Array.from(paper.values).toSorted();
  const at = (share: number): number => levels[Math.floor(share * (levels.length - 1))] ?? WHITE;
  if (at(0.05) > 225 || (at(0.05) > 200 && at(0.95) - at(0.05) < 20)) return image;
  return divided(image, paper);
}

/** The print of a page of few lines is less than a hundredth of it, and then this is paper; so it is bounded. */
const DARK = 0.01;
const DARKEST = 0.001;
const BOUND = 0.25;

/** Pulls faint print apart from the paper. */
export function stretch(image: GrayImage): GrayImage {
  const light = quantile(image, 0.6);
  const darkest = quantile(image, DARKEST);
  const dark = Math.min(quantile(image, DARK), darkest + BOUND * (light - darkest));
  if (light - dark < 25 || (dark < 70 && light > 215)) return image;
  const table = Uint8Array.from({ length: 256 }, (_, gray) =>
    Math.min(WHITE, Math.max(0, ((gray - dark) * 245) / (light - dark))),
  );
  return { ...image, data: image.data.map((gray) => table[gray] ?? gray) };
}

interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly values: Float32Array;
}

function paperOf(image: GrayImage): Grid {
  const columns = Math.ceil(image.width / SQUARE);
  const rows = Math.ceil(image.height / SQUARE);
  const raw = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      raw[row * columns + column] = brightest(image, column * SQUARE, row * SQUARE);
    }
  }
  const grid = { columns, rows, values: raw };
  return blurred(blurred(widest(grid)));
}

/** The gray that a fifth of a square exceeds, by one pixel in nine. */
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

/** Each square as bright as the brightest of its neighbours; a dark one looks further. */
function widest({ columns, rows, values }: Grid): Grid {
  const out = values.slice();
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      for (let reach = 1; reach <= 4; reach += 1) {
        const found = about({ columns, rows, values }, { row, column, reach });
        out[row * columns + column] = found.most;
        if (found.most > DARKEST_PAPER) break;
      }
    }
  }
  return { columns, rows, values: out };
}

const blurred = (grid: Grid): Grid => ({
  ...grid,
  values: grid.values.map(
    (_, index) =>
      about(grid, { row: Math.floor(index / grid.columns), column: index % grid.columns, reach: 1 }).mean,
  ),
});

function about(
  { columns, rows, values }: Grid,
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

function divided({ width, height, data }: GrayImage, { columns, rows, values }: Grid): GrayImage {
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
