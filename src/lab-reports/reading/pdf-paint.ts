import type { PdfPage } from './pdf-library.ts';

/**
 * How many pixels the images of a PDF have together, read from the dictionaries of its streams, which are never
 * packed themselves. Cheap, where asking the library means decoding every image.
 */
export function pixelsOfImages(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let pixels = 0;
  for (const { index } of text.matchAll(/\/Subtype\s*\/Image\b/g)) {
    const begin = Math.max(text.lastIndexOf(' obj', index), index - 1_500);
    const dictionary = text.slice(begin, index + 1_500).split('stream')[0] ?? '';
    const width = Number(/\/Width\s+(\d+)/.exec(dictionary)?.[1] ?? 2_000);
    const height = Number(/\/Height\s+(\d+)/.exec(dictionary)?.[1] ?? 2_000);
    pixels += width * height;
  }
  return pixels;
}

type Matrix = readonly number[];
const SAME: Matrix = [1, 0, 0, 1, 0, 0];

/** What is painted on a page, besides the words that its text layer says. */
export interface Paint {
  /** How much of the page images cover, laid side by side; overlaps count once at most. */
  readonly imageShare: number;
  /** Letters that can be seen and that no image of half the page was painted over. */
  readonly lettersOnTop: number;
  /** Of lines and shapes, the numbers that describe them: a letter that is drawn as its outline takes a hundred. */
  readonly outlineNumbers: number;
}

export const NO_PAINT: Paint = { imageShare: 0, lettersOnTop: 0, outlineNumbers: 0 };

type Ops = Readonly<Record<string, number>>;

const IMAGES = [
  'paintImageXObject',
  'paintInlineImageXObject',
  'paintImageMaskXObject',
  'paintJpegXObject',
] as const;
/** Text that is neither filled nor stroked: what a scanner believes to have read, laid below its picture or on it. */
const UNSEEN_MODES: ReadonlySet<unknown> = new Set([3, 7]);
const HALF = 0.5;

/** Follows everything that the page paints, which decodes its images; asked only where the words leave a doubt. */
export async function paintOf(page: PdfPage, ops: Ops): Promise<Paint> {
  const { width, height } = page.getViewport({ scale: 1 });
  const { fnArray, argsArray } = await page.getOperatorList();
  const images = new Set(IMAGES.map((name) => ops[name]));
  let state = { matrix: SAME, mode: 0 as unknown };
  const kept: (typeof state)[] = [];
  let [covered, lettersOnTop, outlineNumbers] = [0, 0, 0];
  fnArray.forEach((operator, index) => {
    const args = argsArray[index];
    if (operator === ops['save']) kept.push(state);
    else if (operator === ops['restore'] || operator === ops['paintFormXObjectEnd'])
      state = kept.pop() ?? { matrix: SAME, mode: 0 };
    else if (operator === ops['transform']) state = { ...state, matrix: times(state.matrix, args as Matrix) };
    else if (operator === ops['paintFormXObjectBegin']) {
      kept.push(state);
      state = { ...state, matrix: times(state.matrix, formMatrix(args)) };
    } else if (operator === ops['setTextRenderingMode']) state = { ...state, mode: first(args) };
    else if (operator === ops['showText']) {
      if (!UNSEEN_MODES.has(state.mode)) lettersOnTop += lettersOf(args);
    } else if (operator === ops['constructPath']) outlineNumbers += numbersOf(args);
    else if (images.has(operator)) {
      const share = areaOf(state.matrix) / (width * height);
      covered += share;
      if (share > HALF) lettersOnTop = 0;
    }
  });
  return { imageShare: Math.min(1, covered), lettersOnTop, outlineNumbers };
}

const first = (args: unknown): unknown => (Array.isArray(args) ? (args[0] as unknown) : undefined);

function formMatrix(args: unknown): Matrix {
  const matrix = first(args);
  return Array.isArray(matrix) ? (matrix as number[]) : SAME;
}

/** Between the letters stand numbers, which move them. */
function lettersOf(args: unknown): number {
  const glyphs = first(args);
  if (!Array.isArray(glyphs)) return 0;
  return glyphs.filter((glyph) => typeof glyph === 'object' && glyph !== null && !glyph.isSpace).length;
}

function numbersOf(args: unknown): number {
  const data: unknown = Array.isArray(args) ? args[1] : undefined;
  const path: unknown = first(data);
  return path && typeof path === 'object' && 'length' in path ? Number(path.length) : 0;
}

const areaOf = (matrix: Matrix): number =>
  Math.abs(at(matrix, 0) * at(matrix, 3) - at(matrix, 1) * at(matrix, 2));

const at = (matrix: Matrix, index: number): number => matrix[index] ?? 0;

function times(left: Matrix, right: Matrix): Matrix {
  return [
    at(left, 0) * at(right, 0) + at(left, 2) * at(right, 1),
    at(left, 1) * at(right, 0) + at(left, 3) * at(right, 1),
    at(left, 0) * at(right, 2) + at(left, 2) * at(right, 3),
    at(left, 1) * at(right, 2) + at(left, 3) * at(right, 3),
    at(left, 0) * at(right, 4) + at(left, 2) * at(right, 5) + at(left, 4),
    at(left, 1) * at(right, 4) + at(left, 3) * at(right, 5) + at(left, 5),
  ];
}
