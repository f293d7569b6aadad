import { openOcr, openPdfRenderer, type Ocr, type OcrPageResult } from '../ocr/ocr.ts';
import { readPdfWords, type PdfPageText } from '../reading/pdf-words.ts';
import { readReport } from '../reading/read.ts';
import type { BoundingBox, ReportPage } from '../reading/report-model.ts';
import type { ReportFile } from './check-types.ts';
import { fileTypeOf } from './file-type.ts';
import { PAGES_MAX } from './limits.ts';

/** A page with its words, and the mapping of its boxes to the uploaded page. */
export interface LoadedPage {
  readonly page: ReportPage;
  /** Size of the uploaded page: in points for a PDF, in pixels for an upright image. */
  readonly width: number;
  readonly height: number;
  readonly toOriginal: (box: BoundingBox) => BoundingBox;
  /** OCR confidence, 0 to 1; 1 for a text layer. */
  readonly confidence: number;
}

type PageListener = (page: number) => void;

/**
 * Loads the pages of a report in order: from the text layer if a PDF has one, otherwise by OCR. Returns at most
 * PAGES_MAX + 1 pages, so that the caller can detect too many. Throws for a damaged file.
 */
export async function loadPages(files: readonly ReportFile[], tellPage: PageListener): Promise<LoadedPage[]> {
  const reader = lazyOcr();
  const [first] = files;
  try {
    if (first && fileTypeOf(first.bytes) === 'application/pdf')
      return await loadPdfPages(first.bytes, reader, tellPage);
    const pages: LoadedPage[] = [];
    for (const [index, { bytes }] of files.entries()) {
      tellPage(index + 1);
      const reading = await (await reader.open()).readPage({ file: bytes }, index + 1);
      pages.push({ ...fromOcr(reading, 1), ...reading.original });
    }
    return pages;
  } finally {
    await reader.close();
  }
}

async function loadPdfPages(bytes: Buffer, reader: LazyOcr, tellPage: PageListener): Promise<LoadedPage[]> {
  tellPage(1);
  const texts = await readPdfWords(bytes, { maxPages: PAGES_MAX + 1 });
  const asPictures = selectImagePages(texts);
  if (asPictures.size === 0) return texts.map(fromTextLayer);
  const pictures = await openPdfRenderer(bytes);
  try {
    const pages: LoadedPage[] = [];
    for (const [index, text] of texts.entries()) {
      tellPage(index + 1);
      if (!asPictures.has(text)) {
        pages.push(fromTextLayer(text));
        continue;
      }
      const { image, scale } = await pictures.renderPage(index + 1);
      const reading = await (await reader.open()).readPage({ image, pointsPerPixel: scale }, index + 1);
      pages.push({ ...fromOcr(reading, scale), ...text.displaySize });
    }
    return pages;
  } finally {
    await pictures.close();
  }
}

/** An image without text on it and with this share of the page may be its content: a scan below a forwarding letter. */
const LARGE_IMAGE = 0.25;
/** If other pages have results, the image may be decoration, so it must be larger. */
const LARGER_IMAGE = 0.5;

/** The pages that need OCR: those without visible text, and those with a large image without text on it and no results in
 * their text. */
function selectImagePages(pages: readonly PdfPageText[]): ReadonlySet<PdfPageText> {
  const pictures = new Set(pages.filter(({ isPicture }) => isPicture));
  const inDoubt = pages.filter((page) => !pictures.has(page) && page.bareImageShare > LARGE_IMAGE);
  if (inDoubt.length === 0) return pictures;
  const withResults = new Set(
    readReport(pages.filter((page) => !pictures.has(page))).results.map(({ page }) => page),
  );
  const least = withResults.size === 0 ? LARGE_IMAGE : LARGER_IMAGE;
  for (const page of inDoubt)
    if (page.bareImageShare > least && !withResults.has(pages.indexOf(page) + 1)) pictures.add(page);
  return pictures;
}

const fromTextLayer = (text: PdfPageText): LoadedPage => ({
  page: text,
  width: text.displaySize.width,
  height: text.displaySize.height,
  toOriginal: text.toDisplayBox,
  confidence: 1,
});

/** OCR turned, leveled and cropped the page; `toOriginal` maps its boxes back to the uploaded page. */
const fromOcr = (
  reading: OcrPageResult,
  scale: number,
): Pick<LoadedPage, 'page' | 'toOriginal' | 'confidence'> => ({
  page: reading.page,
  confidence: reading.confidence,
  toOriginal: (box) => {
    const corners = reading.toOriginal(box);
    const xs = corners.map(({ x }) => x * scale);
    const ys = corners.map(({ y }) => y * scale);
    return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
  },
});

interface LazyOcr {
  open(): Promise<Ocr>;
  close(): Promise<void>;
}

/** Loads the OCR models when the first page needs them; most PDFs need none. */
function lazyOcr(): LazyOcr {
  let opening: Promise<Ocr> | undefined;
  return {
    open: () => (opening ??= openOcr()),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
