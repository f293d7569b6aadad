import { createCanvas, loadImage } from '@napi-rs/canvas';
import { readImageHeader } from '../ocr/ocr.ts';
import type { ReportFile } from './check-types.ts';
import { fileTypeOf } from './file-type.ts';
import { openPdf } from './pdf.ts';

/** Pixels per point: 144 dpi, at which small print is legible. */
const SCALE = 2;
const LONGEST_SIDE = 2400;
const PNG = 'image/png';

/** Renders a page as an upright PNG; `page` counts from 1. Throws if the page does not exist. */
export async function renderPageImage(files: readonly ReportFile[], page: number): Promise<Uint8Array> {
  const [first] = files;
  if (first && fileTypeOf(first.bytes) === 'application/pdf') return renderPdfPage(first.bytes, page);
  const file = files[page - 1];
  if (!file) throw new Error('There is no such page');
  return renderImagePage(file.bytes);
}

async function renderPdfPage(bytes: Buffer, number: number): Promise<Uint8Array> {
  const pdf = await openPdf(bytes);
  const page = await pdf.getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(SCALE, LONGEST_SIDE / Math.max(width, height));
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  const canvasContext = canvas.getContext('2d');
  await page.render({ canvas, canvasContext, viewport, background: 'white' }).promise;
  return canvas.encode('png');
}

/** The canvas transform that puts an image upright, by EXIF orientation. */
// prettier-ignore
const EXIF_TRANSFORMS: Readonly<Record<number, (w: number, h: number) => readonly [number, number, number, number, number, number]>> = {
  2: (w)    => [-1,  0,  0,  1, w, 0],
  3: (w, h) => [-1,  0,  0, -1, w, h],
  4: (_, h) => [ 1,  0,  0, -1, 0, h],
  5: ()     => [ 0,  1,  1,  0, 0, 0],
  6: (_, h) => [ 0,  1, -1,  0, h, 0],
  7: (w, h) => [ 0, -1, -1,  0, h, w],
  8: (w)    => [ 0, -1,  1,  0, 0, w],
};

async function renderImagePage(bytes: Buffer): Promise<Uint8Array> {
  const { orientation } = readImageHeader(bytes);
  const image = await loadImage(bytes);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(image.width, image.height));
  const width = Math.round(image.width * scale);
  const height = Math.round(image.height * scale);
  const isTurned = orientation >= 5;
  const canvas = isTurned ? createCanvas(height, width) : createCanvas(width, height);
  const context = canvas.getContext('2d');
  const [a, b, c, d, e, f] = EXIF_TRANSFORMS[orientation]?.(width, height) ?? [1, 0, 0, 1, 0, 0];
  context.setTransform(a, b, c, d, e, f);
  context.drawImage(image, 0, 0, width, height);
  return canvas.toBuffer(PNG);
}
