import type { BoundingBox, ReportPage } from '../reading/report-model.ts';
import { decodeImage } from './decode.ts';
import type { OcrEngineName, OcrEngine } from './engine.ts';
import { type ImagePoint, type Quad, type ImageSize, transformPoint, scaling } from './geometry.ts';
import { rethrowMemoryFailure } from '../memory-failure.ts';
import type { GrayImage } from './image.ts';
import { openPpOcrEngine } from './pp-ocr/engine.ts';
import { type ImagePreparation, cleanImage } from './prepare.ts';
import { correctSpelling } from './spelling.ts';
import { type OcrSheet, orderSheets, stackSheets, readSheet, toPictureAt } from './sheets.ts';
import { openTesseractEngine } from './tesseract.ts';

export { InvalidImageError, readImageHeader } from './image-header.ts';
export { openPdfRenderer } from './pdf-renderer.ts';

interface OcrOptions {
  /** `auto` uses PP-OCR, or Tesseract if the native library or the models are missing. */
  readonly engine?: OcrEngineName | 'auto';
  /** Processor threads per page; 1 by default. */
  readonly threads?: number;
}

/** The image of a page: the bytes of a JPEG or PNG, or a rendered page of a PDF. */
type OcrPageSource =
  { readonly file: Uint8Array } | { readonly image: GrayImage; readonly pointsPerPixel: number };

export interface OcrPageResult {
  /** The words, in points of the upright page. If the image shows two sheets, they are stacked vertically. */
  readonly page: ReportPage;
  readonly engine: OcrEngineName;
  /** Mean confidence per letter, 0 to 1; 0 for a page without words. */
  readonly confidence: number;
  /** The preparation of the first sheet. */
  readonly preparation: ImagePreparation;
  /** The size of the input image, upright by EXIF, in pixels. */
  readonly original: ImageSize;
  /** Maps a box of the page to the input image: its corners, clockwise from the top left. */
  toOriginal(box: BoundingBox): Quad;
}

export interface Ocr {
  readonly engine: OcrEngineName;
  /** Reads a page; `number` is its page number, from 1. Calls run one after the other. Throws InvalidImageError. */
  readPage(source: OcrPageSource, number: number): Promise<OcrPageResult>;
  /** Releases the models. */
  close(): Promise<void>;
}

/** Opens the OCR engine. Works offline: models and language data come from installed packages. */
export async function openOcr({ engine = 'auto', threads = 1 }: OcrOptions = {}): Promise<Ocr> {
  const body = await openEngine(engine, threads);
  let last: Promise<unknown> = Promise.resolve();
  return {
    engine: body.name,
    readPage: (source, number) => {
      const reading = last.then(() => readPage(body, source, number));
      last = reading.catch(() => undefined);
      return reading;
    },
    close: async () => {
      await last;
      await body.release();
    },
  };
}

async function openEngine(name: OcrEngineName | 'auto', threads: number): Promise<OcrEngine> {
  if (name === 'tesseract') return openTesseractEngine();
  if (name === 'pp-ocr') return openPpOcrEngine({ threads });
  return openPpOcrEngine({ threads }).catch((error: unknown) => {
    // The other engine reads worse; at the next try, there may be memory.
    rethrowMemoryFailure(error);
    return openTesseractEngine();
  });
}

/** Below this mean confidence, only two values in three were right, and some wrong ones had a high confidence. */
const DOUBTED_PAGE_CONFIDENCE = 0.88;
/** Maximum confidence of a word on such a page: too low to be trusted. */
const DOUBTED_WORD_CONFIDENCE = 0.7;

const lowerConfidence = (page: ReportPage): ReportPage => ({
  ...page,
  words: page.words.map((word) => ({
    ...word,
    confidence: Math.min(word.confidence, DOUBTED_WORD_CONFIDENCE),
  })),
});

async function readPage(engine: OcrEngine, source: OcrPageSource, number: number): Promise<OcrPageResult> {
  const { image, original } =
    'file' in source ? await decodeImage(source.file) : { image: source.image, original: source.image };
  const pointsPerPixel = 'file' in source ? undefined : source.pointsPerPixel;
  const read: OcrSheet[] = [];
  for (const sheet of cleanImage(image))
    read.push(await readSheet(engine, sheet, { pointsPerPixel, number }));
  const [first, ...others] = orderSheets(read, image);
  if (!first) throw new Error('No sheet was found in the image');
  const sheets = [first, ...others] as const;
  const seen = stackSheets(sheets, first.page);
  const confidence = confidenceOf(seen);
  const enlarging = scaling(original.width / image.width, original.height / image.height);
  return {
    page:
      confidence < DOUBTED_PAGE_CONFIDENCE ? lowerConfidence(correctSpelling(seen)) : correctSpelling(seen),
    engine: engine.name,
    confidence,
    preparation: first.preparation,
    original: { width: original.width, height: original.height },
    toOriginal: (box) => {
      const toPicture = toPictureAt(sheets, (box.y0 + box.y1) / 2);
      return cornersOf(box, (point) => transformPoint(enlarging, toPicture(point)));
    },
  };
}

function cornersOf({ x0, y0, x1, y1 }: BoundingBox, toOriginal: (point: ImagePoint) => ImagePoint): Quad {
  const at = (x: number, y: number): ImagePoint => toOriginal({ x, y });
  return [at(x0, y0), at(x1, y0), at(x1, y1), at(x0, y1)];
}

function confidenceOf({ words }: ReportPage): number {
  let sure = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    sure += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? 0 : sure / letters;
}
