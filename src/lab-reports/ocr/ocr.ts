import type { Box, Page } from '../reading/word.ts';
import { decodePicture } from './decode.ts';
import { pngOf } from './encode-png.ts';
import type { EngineName, OcrEngine } from './engine.ts';
import { type Matrix, type Point, type Quad, type Size, apply, compose, scaling } from './geometry.ts';
import type { GrayImage } from './image.ts';
import { ppEngine } from './pp/engine.ts';
import { type Preparation, type Prepared, clean, prepare } from './prepare.ts';
import { tesseractEngine } from './tesseract.ts';
import { PAPER_LENGTH, pageOf } from './to-page.ts';

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
  /** The words, in points of the upright page. */
  readonly page: Page;
  readonly engine: EngineName;
  /** 0 to 1: how sure the engine is of what it read, letter by letter; 0 for a page without words. */
  readonly confidence: number;
  readonly done: Preparation;
  /** The size of the picture that was given, upright as its EXIF says, in pixels. */
  readonly original: Size;
  /** Where a box of the page lies on the picture that was given: its corners, clockwise from the top left. */
  onOriginal(box: Box): Quad;
  /** The page as it was read, upright and level, as a PNG; its pixels for each point of the page. */
  picture(): { readonly png: Buffer; readonly pixelsPerPoint: number };
  /** Spent by this process, in milliseconds of processor time. */
  readonly spentMs: { readonly decode: number; readonly prepare: number; readonly read: number };
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

/** A page is turned at most so often before it is read as it is. */
const MOST_TURNS = 2;

async function readPage(engine: OcrEngine, source: PageSource, number: number): Promise<PageReading> {
  const lap = stopwatch();
  const given =
    'file' in source ? await decodePicture(source.file) : { image: source.image, original: source.image };
  const decode = lap();
  const cleaned = clean(given.image);
  let prepared = prepare(cleaned, 0);
  const preparing = lap();
  let reading = await engine.read(prepared.image, { mayTurn: true });
  for (let turns = 1; reading.kind === 'turn'; turns += 1) {
    prepared = prepare(cleaned, (prepared.done.quarters + reading.quarters) % 4);
    reading = await engine.read(prepared.image, { mayTurn: turns < MOST_TURNS });
  }
  const read = lap();
  const scale = pointsPerPixel(source, prepared);
  const page = pageOf(reading.lines, { image: prepared.image, scale, number });
  const toOriginal = compose(
    scaling(given.original.width / given.image.width, given.original.height / given.image.height),
    compose(prepared.toGiven, scaling(1 / scale, 1 / scale)),
  );
  const { image } = prepared;
  return {
    page,
    engine: engine.name,
    confidence: confidenceOf(page),
    done: prepared.done,
    original: { width: given.original.width, height: given.original.height },
    onOriginal: (box) => cornersOf(box, toOriginal),
    picture: () => ({ png: pngOf(image), pixelsPerPoint: 1 / scale }),
    spentMs: { decode, prepare: preparing, read },
  };
}

function pointsPerPixel(source: PageSource, { image, done }: Prepared): number {
  if ('pointsPerPixel' in source) return source.pointsPerPixel / done.scale;
  return PAPER_LENGTH / Math.max(image.width, image.height);
}

function cornersOf({ x0, y0, x1, y1 }: Box, toOriginal: Matrix): Quad {
  const at = (x: number, y: number): Point => apply(toOriginal, { x, y });
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

/** Milliseconds of processor time since it was last asked. */
function stopwatch(): () => number {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return (user + system) / 1000;
  };
}
