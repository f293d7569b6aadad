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

/** The largest share of the page that images cover, laid side by side; overlaps count once at most. */
export async function imageShareOf(page: PdfPage, ops: Readonly<Record<string, number>>): Promise<number> {
  const { width, height } = page.getViewport({ scale: 1 });
  const { fnArray, argsArray } = await page.getOperatorList();
  const painted = new Set(
    ['paintImageXObject', 'paintInlineImageXObject', 'paintImageMaskXObject', 'paintJpegXObject'].map(
      (name) => ops[name],
    ),
  );
  let matrix = SAME;
  const kept: Matrix[] = [];
  let area = 0;
  fnArray.forEach((operator, index) => {
    if (operator === ops['save']) kept.push(matrix);
    else if (operator === ops['restore']) matrix = kept.pop() ?? SAME;
    else if (operator === ops['transform']) matrix = times(matrix, argsArray[index] as number[]);
    else if (painted.has(operator))
      area += Math.abs(at(matrix, 0) * at(matrix, 3) - at(matrix, 1) * at(matrix, 2));
  });
  return Math.min(1, area / (width * height));
}

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
