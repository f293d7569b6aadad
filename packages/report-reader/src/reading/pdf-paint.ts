import type { PdfjsTextPage } from './pdf-library.ts';
import type { BoundingBox } from './report-model.ts';

/** The filters of images that take long to decode. */
const IMAGE_FILTERS = /\/(?:DCT|JPX|JBIG2|CCITTFax)(?=Decode\b)/g;
const DICTIONARY_LENGTH_MAX = 1_500;

/**
 * Total pixels of all images of a PDF, read from the stream dictionaries, which are never compressed. Cheap: asking the
 * library would decode every image.
 */
export function countImagePixels(bytes: Uint8Array): number {
  let pixels = 0;
  for (const { dictionary } of listImages(bytes)) {
    const width = Number(/\/Width\s+(\d+)/.exec(dictionary)?.[1] ?? 2_000);
    const height = Number(/\/Height\s+(\d+)/.exec(dictionary)?.[1] ?? 2_000);
    pixels += width * height;
  }
  return pixels;
}

/**
 * A copy of a PDF in which the library decodes no image, which takes up to half a second of each. It still tells where
 * images are painted, because an image with an unknown filter fails only when it is decoded.
 */
export function withoutImageFilters(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  for (const { begin, dictionary } of listImages(bytes))
    for (const { 0: name, index } of dictionary.matchAll(IMAGE_FILTERS))
      copy.write(`/${'X'.repeat(name.length - 1)}`, begin + index, 'latin1');
  return Uint8Array.from(copy);
}

function* listImages(bytes: Uint8Array): Generator<{ readonly begin: number; readonly dictionary: string }> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  for (const { index } of text.matchAll(/\/Subtype\s*\/Image\b/g)) {
    const begin = Math.max(text.lastIndexOf(' obj', index), index - DICTIONARY_LENGTH_MAX, 0);
    yield { begin, dictionary: text.slice(begin, index + DICTIONARY_LENGTH_MAX).split('stream')[0] ?? '' };
  }
}

type PaintMatrix = readonly number[];
const IDENTITY: PaintMatrix = [1, 0, 0, 1, 0, 0];

/** What is painted on a page, apart from its text layer. */
export interface PagePaint {
  /** Share of the page that images cover, without subtracting overlaps; at most 1. */
  readonly imageShare: number;
  /** Where images are, on the page as displayed; they may reach beyond it. */
  readonly imageBoxes: readonly BoundingBox[];
  /** Visible letters that no image of at least half a page covers, nor strips of one. */
  readonly lettersOnTop: number;
  /** Number of path coordinates: a letter drawn as an outline takes about a hundred. */
  readonly outlineNumbers: number;
}

export const NO_PAINT: PagePaint = { imageShare: 0, imageBoxes: [], lettersOnTop: 0, outlineNumbers: 0 };

type PdfjsOperators = Readonly<Record<string, number>>;

const IMAGES = [
  'paintImageXObject',
  'paintInlineImageXObject',
  'paintImageMaskXObject',
  'paintJpegXObject',
] as const;
/** Text that is neither filled nor stroked: the OCR layer of a scanner, below or above its image. */
const INVISIBLE_MODES: ReadonlySet<unknown> = new Set([3, 7]);
const HALF_PAGE = 0.5;

/** Follows all paint operators of a page, which decodes images that have filters; called only if the words leave a doubt. */
export async function analyzePaint(page: PdfjsTextPage, ops: PdfjsOperators): Promise<PagePaint> {
  const { width, height, transform } = page.getViewport({ scale: 1 });
  const { fnArray, argsArray } = await page.getOperatorList();
  const images = new Set(IMAGES.map((name) => ops[name]));
  let state = { matrix: IDENTITY, mode: 0 as unknown };
  const kept: (typeof state)[] = [];
  let [covered, lettersOnTop, outlineNumbers] = [0, 0, 0];
  let coveredSinceText = 0;
  const imageBoxes: BoundingBox[] = [];
  fnArray.forEach((operator, index) => {
    const args = argsArray[index];
    if (operator === ops['save']) kept.push(state);
    else if (operator === ops['restore'] || operator === ops['paintFormXObjectEnd'])
      state = kept.pop() ?? { matrix: IDENTITY, mode: 0 };
    else if (operator === ops['transform'])
      state = { ...state, matrix: multiplyMatrices(state.matrix, args as PaintMatrix) };
    else if (operator === ops['paintFormXObjectBegin']) {
      kept.push(state);
      state = { ...state, matrix: multiplyMatrices(state.matrix, readFormMatrix(args)) };
    } else if (operator === ops['setTextRenderingMode']) state = { ...state, mode: getFirstArgument(args) };
    else if (operator === ops['showText']) {
      if (!INVISIBLE_MODES.has(state.mode)) lettersOnTop += countGlyphs(args);
      coveredSinceText = 0;
    } else if (operator === ops['constructPath']) outlineNumbers += countPathNumbers(args);
    else if (images.has(operator)) {
      const share = measureArea(state.matrix) / (width * height);
      covered += share;
      coveredSinceText += share;
      imageBoxes.push(toImageBox(multiplyMatrices(transform, state.matrix)));
      if (coveredSinceText > HALF_PAGE) lettersOnTop = 0;
    }
  });
  return { imageShare: Math.min(1, covered), imageBoxes, lettersOnTop, outlineNumbers };
}

const getFirstArgument = (args: unknown): unknown => (Array.isArray(args) ? (args[0] as unknown) : undefined);

function readFormMatrix(args: unknown): PaintMatrix {
  const matrix = getFirstArgument(args);
  return Array.isArray(matrix) ? (matrix as number[]) : IDENTITY;
}

/** Numbers between the glyphs are kerning offsets. */
function countGlyphs(args: unknown): number {
  const glyphs = getFirstArgument(args);
  if (!Array.isArray(glyphs)) return 0;
  return glyphs.filter((glyph) => typeof glyph === 'object' && glyph !== null && !glyph.isSpace).length;
}

function countPathNumbers(args: unknown): number {
  const data: unknown = Array.isArray(args) ? args[1] : undefined;
  const path: unknown = getFirstArgument(data);
  return path && typeof path === 'object' && 'length' in path ? Number(path.length) : 0;
}

const measureArea = (matrix: PaintMatrix): number =>
  Math.abs(getElement(matrix, 0) * getElement(matrix, 3) - getElement(matrix, 1) * getElement(matrix, 2));

/** An image is painted onto the unit square. */
function toImageBox(matrix: PaintMatrix): BoundingBox {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = matrix;
  return {
    x0: e + Math.min(0, a) + Math.min(0, c),
    y0: f + Math.min(0, b) + Math.min(0, d),
    x1: e + Math.max(0, a) + Math.max(0, c),
    y1: f + Math.max(0, b) + Math.max(0, d),
  };
}

const getElement = (matrix: PaintMatrix, index: number): number => matrix[index] ?? 0;

function multiplyMatrices(left: PaintMatrix, right: PaintMatrix): PaintMatrix {
  return [
    getElement(left, 0) * getElement(right, 0) + getElement(left, 2) * getElement(right, 1),
    getElement(left, 1) * getElement(right, 0) + getElement(left, 3) * getElement(right, 1),
    getElement(left, 0) * getElement(right, 2) + getElement(left, 2) * getElement(right, 3),
    getElement(left, 1) * getElement(right, 2) + getElement(left, 3) * getElement(right, 3),
    getElement(left, 0) * getElement(right, 4) +
      getElement(left, 2) * getElement(right, 5) +
      getElement(left, 4),
    getElement(left, 1) * getElement(right, 4) +
      getElement(left, 3) * getElement(right, 5) +
      getElement(left, 5),
  ];
}
