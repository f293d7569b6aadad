import type { Box, Page } from '../reading/word.ts';
import { decodePicture } from './decode.ts';
import type { EngineName, OcrEngine } from './engine.ts';
import { type Point, type Quad, type Size, apply, scaling } from './geometry.ts';
import type { GrayImage } from './image.ts';
import { ppEngine } from './pp/engine.ts';
import { type Preparation, clean } from './prepare.ts';
import { spelled } from './spelling.ts';
import { type SheetReading, inOrder, onePage, readSheet, toPictureAt } from './sheets.ts';
import { tesseractEngine } from './tesseract.ts';

export { BadPicture, headOf } from './picture-head.ts';
export { openPdfPictures, type PdfPicture, type PdfPictures } from './pdf-picture.ts';

export interface OcrOptions {
  /** `auto` takes PP-OCR, and Tesseract where the native library or the models are missing. */
  readonly engine?: EngineName | 'auto';
  /** Of the processor, for each page; 1 unless said. */
  readonly threads?: number;
}

/** A picture of a page: the bytes of a JPEG or PNG, or a page of a PDF that was drawn. */
export type PageSource =
  { readonly file: Uint8Array } | { readonly image: GrayImage; readonly pointsPerPixel: number };

export interface PageReading {
  /** The words, in points of the upright page; the sheets of a picture that has two lie one below the other. */
  readonly page: Page;
  readonly engine: EngineName;
  /** 0 to 1: how sure the engine is of what it read, letter by letter; 0 for a page without words. */
  readonly confidence: number;
  /** Of the first sheet, where two pages are in one picture. */
  readonly done: Preparation;
  /** The size of the picture that was given, upright as its EXIF says, in pixels. */
  readonly original: Size;
  /** Where a box of the page lies on the picture that was given: its corners, clockwise from the top left. */
  onOriginal(box: Box): Quad;
}

export interface Ocr {
  readonly engine: EngineName;
  /** `number` is the page's, from 1. Pages are read one after the other. Throws BadPicture. */
  readPage(source: PageSource, number: number): Promise<PageReading>;
  /** Gives back the memory of the models. */
  close(): Promise<void>;
}

/** Opens what reads pictures of pages. Offline: models and language data come from installed packages. */
export async function openOcr({ engine = 'auto', threads = 1 }: OcrOptions = {}): Promise<Ocr> {
  const body = await engineOf(engine, threads);
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
      await body.rest();
    },
  };
}

async function engineOf(name: EngineName | 'auto', threads: number): Promise<OcrEngine> {
  if (name === 'tesseract') return tesseractEngine();
  if (name === 'pp-ocr') return ppEngine({ threads });
  return ppEngine({ threads }).catch(() => tesseractEngine());
}

/** Of pages that are read less surely than this two values in three were right, and some looked sure. */
const WHOLLY_DOUBTED = 0.88;
/** As sure as a word of such a page is at most: too little to be relied on. */
const UNSURE = 0.7;

const inDoubt = (page: Page): Page => ({
  ...page,
  words: page.words.map((word) => ({ ...word, confidence: Math.min(word.confidence, UNSURE) })),
});

async function readPage(engine: OcrEngine, source: PageSource, number: number): Promise<PageReading> {
  const { image, original } =
    'file' in source ? await decodePicture(source.file) : { image: source.image, original: source.image };
  const pointsPerPixel = 'file' in source ? undefined : source.pointsPerPixel;
  const read: SheetReading[] = [];
  for (const sheet of clean(image)) read.push(await readSheet(engine, sheet, { pointsPerPixel, number }));
  const [first, ...others] = inOrder(read, image);
  if (!first) throw new Error('A picture has a sheet at least');
  const sheets = [first, ...others] as const;
  const seen = onePage(sheets, first.page);
  const confidence = confidenceOf(seen);
  const enlarging = scaling(original.width / image.width, original.height / image.height);
  return {
    page: confidence < WHOLLY_DOUBTED ? inDoubt(spelled(seen)) : spelled(seen),
    engine: engine.name,
    confidence,
    done: first.done,
    original: { width: original.width, height: original.height },
    onOriginal: (box) => {
      const toPicture = toPictureAt(sheets, (box.y0 + box.y1) / 2);
      return cornersOf(box, (point) => apply(enlarging, toPicture(point)));
    },
  };
}

function cornersOf({ x0, y0, x1, y1 }: Box, toOriginal: (point: Point) => Point): Quad {
  const at = (x: number, y: number): Point => toOriginal({ x, y });
  return [at(x0, y0), at(x1, y0), at(x1, y1), at(x0, y1)];
}

function confidenceOf({ words }: Page): number {
  let sure = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    sure += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? 0 : sure / letters;
}
