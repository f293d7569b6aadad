import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { measureLetterStarts } from './glyph-widths.ts';
import { readFieldRuns, type TextRun } from './pdf-fields.ts';
import type { PdfjsTextPage } from './pdf-library.ts';
import { NO_PAINT, analyzePaint, countImagePixels, withoutImageFilters } from './pdf-paint.ts';
import { FEW_WORDS, isOcrNeeded, measureBareImages } from './text-layer.ts';
import { createDisplayMapping, detectRotation } from './page-rotation.ts';
import type { BoundingBox, ReportPage, ReportWord } from './report-model.ts';

interface PdfjsTextDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfjsTextPage>;
}
interface PdfjsTextLibrary {
  getDocument(options: object): { promise: Promise<PdfjsTextDocument>; destroy(): Promise<void> };
  readonly OPS: Readonly<Record<string, number>>;
}

let library: Promise<PdfjsTextLibrary> | undefined;

/** Loads pdf.js without a worker thread: for isolation from a hostile file, run it in a separate process. */
function loadLibrary(): Promise<PdfjsTextLibrary> {
  library ??= importLibrary();
  return library;
}

async function importLibrary(): Promise<PdfjsTextLibrary> {
  // @ts-expect-error the worker comes without types; the library looks for it under this name
  globalThis.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  return (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as PdfjsTextLibrary;
}

const findLibraryFolder = () => dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** Images with fewer pixels in total cannot show a readable page. */
const PIXELS_OF_A_PAGE = 400_000;
/** More than any real page has. */
const MOST_ITEMS = 40_000;

/** The text layer of a page, rotated so that its words are upright. */
export interface PdfPageText extends ReportPage {
  /** The words have to be read from the page image. */
  readonly isPicture: boolean;
  /** Share of the page on which images may show what the words do not say. */
  readonly bareImageShare: number;
  /** The page size as displayed, and the mapping of a box to it. */
  readonly displaySize: { readonly width: number; readonly height: number };
  readonly toDisplayBox: (box: BoundingBox) => BoundingBox;
}

/**
 * Reads the words of a PDF's text layer, page by page. Throws the errors of the library: a file that is broken,
 * encrypted, or not a PDF.
 */
export async function readPdfWords(bytes: Uint8Array, options: { maxPages: number }): Promise<PdfPageText[]> {
  const { getDocument, OPS } = await loadLibrary();
  const mayBePictures = countImagePixels(bytes) >= PIXELS_OF_A_PAGE;
  const task = getDocument({
    data: withoutImageFilters(bytes),
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    stopAtErrors: false,
    cMapUrl: join(findLibraryFolder(), 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(findLibraryFolder(), 'standard_fonts/'),
  });
  try {
    const document = await task.promise;
    const pages: PdfPageText[] = [];
    for (let number = 1; number <= Math.min(document.numPages, options.maxPages); number += 1) {
      const page = await document.getPage(number);
      const text = await readPageText(page, number);
      const isInDoubt = mayBePictures || text.words.length < FEW_WORDS;
      const paint = isInDoubt ? await analyzePaint(page, OPS) : NO_PAINT;
      const isPicture = isOcrNeeded(text.words, paint);
      const bareImageShare = measureBareImages(
        text.words.map(({ box }) => text.toDisplayBox(box)),
        text.words.reduce((sum, word) => sum + word.text.length, 0),
        { paint, ...text.displaySize },
      );
      pages.push({ ...text, imageShare: paint.imageShare, bareImageShare, isPicture });
      page.cleanup();
    }
    return pages;
  } finally {
    await task.destroy();
  }
}

async function readPageText(
  page: PdfjsTextPage,
  number: number,
): Promise<Omit<PdfPageText, 'imageShare' | 'bareImageShare' | 'isPicture'>> {
  const view = page.getViewport({ scale: 1 });
  const shown = { width: view.width, height: view.height };
  const content = await page.getTextContent({ disableNormalization: true, includeMarkedContent: false });
  const fields = readFieldRuns(await page.getAnnotations({ intent: 'display' }));
  const items = [...(content.items as TextRun[]).slice(0, MOST_ITEMS), ...fields.slice(0, MOST_ITEMS)].filter(
    ({ str }) => str?.trim(),
  );
  const turn = detectRotation(
    items.map((item) => ({ ...item, transform: multiplyTransforms(view.transform, item.transform) })),
  );
  const upright = turn === 0 ? view : page.getViewport({ scale: 1, rotation: (page.rotate + turn) % 360 });
  const { width, height, transform } = upright;
  const words = items.flatMap((item) => {
    const isMonospaced = content.styles[item.fontName]?.fontFamily === 'monospace';
    return splitRun(item, { transform, number, isMonospaced });
  });
  const seen = words.filter(({ box }) => box.x1 > 0 && box.x0 < width && box.y1 > 0 && box.y0 < height);
  const placed = createDisplayMapping(turn, shown);
  return {
    width,
    height,
    words: withoutDoublePrint(seen),
    source: 'text',
    displaySize: shown,
    toDisplayBox: placed,
  };
}

interface RunPlacement {
  readonly transform: readonly number[];
  readonly number: number;
  readonly isMonospaced: boolean;
}

/** Splits a text run at its blanks. Text that does not run from left to right, such as a watermark, is left out. */
function splitRun(item: TextRun, placing: RunPlacement): ReportWord[] {
  const [a, b, c, d, e, f] = multiplyTransforms(placing.transform, item.transform);
  const fontSize = Math.hypot(c, d);
  if (Math.abs(b) > 0.1 * Math.abs(a) || a <= 0 || fontSize < 2 || fontSize > 200) return [];
  const starts = measureLetterStarts(item.str, placing.isMonospaced);
  const words: ReportWord[] = [];
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

type TransformMatrix = [number, number, number, number, number, number];

function multiplyTransforms(left: readonly number[], right: readonly number[]): TransformMatrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = left;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = right;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Bold type is sometimes printed twice with a tiny offset: the second copy of a word is dropped. */
function withoutDoublePrint(words: readonly ReportWord[]): ReportWord[] {
  const kept = new Map<string, ReportWord[]>();
  return words.filter((word) => {
    const band = Math.floor(word.box.y0 / BAND_HEIGHT);
    const near = [band - 1, band, band + 1].flatMap((one) => kept.get(`${word.text}/${one}`) ?? []);
    if (near.some(({ box }) => isOverprint(box, word.box))) return false;
    const key = `${word.text}/${band}`;
    kept.set(key, [...(kept.get(key) ?? []), word]);
    return true;
  });
}

const BAND_HEIGHT = 8;
const OVERPRINT_OFFSET = 1.5;

/** If a run of several words was printed twice, the word positions are estimated and less exact. */
function isOverprint(one: BoundingBox, other: BoundingBox): boolean {
  if (Math.abs(one.y0 - other.y0) >= OVERPRINT_OFFSET) return false;
  const common = Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);
  const narrower = Math.min(one.x1 - one.x0, other.x1 - other.x0);
  return Math.abs(one.x0 - other.x0) < OVERPRINT_OFFSET || common > narrower / 2;
}
