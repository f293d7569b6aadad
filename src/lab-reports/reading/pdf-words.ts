import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { letterStarts } from './glyph-widths.ts';
import { runsOfFields, type TextRun } from './pdf-fields.ts';
import type { PdfPage } from './pdf-library.ts';
import { NO_PAINT, paintOf, pixelsOfImages } from './pdf-paint.ts';
import { FEW_WORDS, isPictureOfText } from './text-layer.ts';
import { turnedBack, turnOf } from './turned-text.ts';
import type { Box, Page, Word } from './word.ts';

interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
}
interface Pdfjs {
  getDocument(options: object): { promise: Promise<PdfDocument>; destroy(): Promise<void> };
  readonly OPS: Readonly<Record<string, number>>;
}

let library: Promise<Pdfjs> | undefined;

/** The PDF library without a worker thread: who wants to be safe from a file gives it a process. */
function pdfjs(): Promise<Pdfjs> {
  library ??= load();
  return library;
}

async function load(): Promise<Pdfjs> {
  // @ts-expect-error the worker comes without types; the library looks for it under this name
  globalThis.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  return (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as Pdfjs;
}

const folder = () => dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** Images of fewer pixels in all cannot show a page that one could read. */
const PIXELS_OF_A_PAGE = 400_000;
/** No honest page has more. */
const MOST_ITEMS = 40_000;

/** A page by its text layer, held so that its words stand upright. */
export interface PdfPageText extends Page {
  /** The words have to come from the picture of the page. */
  readonly isPicture: boolean;
  /** The page as it is shown, and where something lies on it. */
  readonly shown: { readonly width: number; readonly height: number };
  readonly placed: (box: Box) => Box;
}

/**
 * The words of a PDF's text layer, page by page. Throws what the library throws: a file that is broken,
 * encrypted, or no PDF at all.
 */
export async function wordsOfPdf(bytes: Uint8Array, options: { maxPages: number }): Promise<PdfPageText[]> {
  const { getDocument, OPS } = await pdfjs();
  const mayBePictures = pixelsOfImages(bytes) >= PIXELS_OF_A_PAGE;
  const task = getDocument({
    data: Uint8Array.from(bytes),
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    stopAtErrors: false,
    cMapUrl: join(folder(), 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(folder(), 'standard_fonts/'),
  });
  try {
    const document = await task.promise;
    const pages: PdfPageText[] = [];
    for (let number = 1; number <= Math.min(document.numPages, options.maxPages); number += 1) {
      const page = await document.getPage(number);
      const text = await textOf(page, number);
      const isInDoubt = mayBePictures || text.words.length < FEW_WORDS;
      const paint = isInDoubt ? await paintOf(page, OPS) : NO_PAINT;
      const isPicture = isPictureOfText(text.words, paint);
      pages.push({ ...text, imageShare: paint.imageShare, isPicture });
      page.cleanup();
    }
    return pages;
  } finally {
    await task.destroy();
  }
}

async function textOf(page: PdfPage, number: number): Promise<Omit<PdfPageText, 'imageShare' | 'isPicture'>> {
  const view = page.getViewport({ scale: 1 });
  const shown = { width: view.width, height: view.height };
  const content = await page.getTextContent({ disableNormalization: true, includeMarkedContent: false });
  const fields = runsOfFields(await page.getAnnotations({ intent: 'display' }));
  const items = [...(content.items as TextRun[]).slice(0, MOST_ITEMS), ...fields.slice(0, MOST_ITEMS)].filter(
    ({ str }) => str?.trim(),
  );
  const turn = turnOf(
    items.map((item) => ({ ...item, transform: multiply(view.transform, item.transform) })),
  );
  const upright = turn === 0 ? view : page.getViewport({ scale: 1, rotation: (page.rotate + turn) % 360 });
  const { width, height, transform } = upright;
  const words = items.flatMap((item) => {
    const isMonospaced = content.styles[item.fontName]?.fontFamily === 'monospace';
    return wordsOfItem(item, { transform, number, isMonospaced });
  });
  const seen = words.filter(({ box }) => box.x1 > 0 && box.x0 < width && box.y1 > 0 && box.y0 < height);
  const placed = turnedBack(turn, shown);
  return { width, height, words: onceEach(seen), source: 'text', shown, placed };
}

interface Placing {
  readonly transform: readonly number[];
  readonly number: number;
  readonly isMonospaced: boolean;
}

/** A run of text cut at its blanks. What is not written from left to right, such as a watermark, is left out. */
function wordsOfItem(item: TextRun, placing: Placing): Word[] {
  const [a, b, c, d, e, f] = multiply(placing.transform, item.transform);
  const fontSize = Math.hypot(c, d);
  if (Math.abs(b) > 0.1 * Math.abs(a) || a <= 0 || fontSize < 2 || fontSize > 200) return [];
  const starts = letterStarts(item.str, placing.isMonospaced);
  const words: Word[] = [];
  for (const match of item.str.matchAll(/[^\s\u00a0]+/gu)) {
    const x0 = e + (starts[match.index] ?? 0) * item.width;
    const x1 = e + (starts[match.index + match[0].length] ?? 1) * item.width;
    const box = { x0, x1, y0: f - fontSize * 0.8, y1: f + fontSize * 0.2 };
    words.push({
      text: match[0].replaceAll(/[\ufb00-\ufb06]/gu, (joined) => joined.normalize('NFKD')).normalize('NFC'),
      box,
      confidence: 1,
      page: placing.number,
      fontSize,
      font: item.fontName,
    });
  }
  return words;
}

type Matrix = [number, number, number, number, number, number];

function multiply(left: readonly number[], right: readonly number[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = left;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = right;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Bold type is sometimes made by printing twice, a hair apart: the same word lies on itself. */
function onceEach(words: readonly Word[]): Word[] {
  const kept = new Map<string, Word[]>();
  return words.filter((word) => {
    const band = Math.floor(word.box.y0 / BAND);
    const near = [band - 1, band, band + 1].flatMap((one) => kept.get(`${word.text}/${one}`) ?? []);
    if (near.some(({ box }) => isOn(box, word.box))) return false;
    const key = `${word.text}/${band}`;
    kept.set(key, [...(kept.get(key) ?? []), word]);
    return true;
  });
}

const BAND = 8;
const HAIR = 1.5;

/** Where a run of several words was printed twice, the places of its words are reckoned, and less exact. */
function isOn(one: Box, other: Box): boolean {
  if (Math.abs(one.y0 - other.y0) >= HAIR) return false;
  const common = Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);
  const narrower = Math.min(one.x1 - one.x0, other.x1 - other.x0);
  return Math.abs(one.x0 - other.x0) < HAIR || common > narrower / 2;
}
