import { openOcr, openPdfPictures, type Ocr, type PageReading } from '../ocr/ocr.ts';
import { wordsOfPdf, type PdfPageText } from '../reading/pdf-words.ts';
import { readReport } from '../reading/read.ts';
import type { Box, Page } from '../reading/word.ts';
import type { GivenFile } from './check-types.ts';
import { fileTypeOf } from './file-type.ts';
import { PAGES_MAX } from './protocol.ts';

/** A page as it was read, and where its words lie on the page as it was handed in. */
export interface SeenPage {
  readonly page: Page;
  /** Of the page as it was handed in: points of a PDF, pixels of a picture that is held upright. */
  readonly width: number;
  readonly height: number;
  readonly placed: (box: Box) => Box;
  /** 0 to 1. */
  readonly confidence: number;
}

type TellPage = (page: number) => void;

/**
 * The pages of a report, one after the other: by the text layer where a PDF has one, else by their picture. One more
 * than allowed at most. Throws for a file that is broken.
 */
export async function pagesOf(files: readonly GivenFile[], tellPage: TellPage): Promise<SeenPage[]> {
  const reader = lazyOcr();
  const [first] = files;
  try {
    if (first && fileTypeOf(first.bytes) === 'application/pdf')
      return await pagesOfPdf(first.bytes, reader, tellPage);
    const pages: SeenPage[] = [];
    for (const [index, { bytes }] of files.entries()) {
      tellPage(index + 1);
      const reading = await (await reader.open()).readPage({ file: bytes }, index + 1);
      pages.push({ ...seen(reading, 1), ...reading.original });
    }
    return pages;
  } finally {
    await reader.close();
  }
}

async function pagesOfPdf(bytes: Buffer, reader: LazyOcr, tellPage: TellPage): Promise<SeenPage[]> {
  tellPage(1);
  const texts = await wordsOfPdf(bytes, { maxPages: PAGES_MAX + 1 });
  const asPictures = picturesAmong(texts);
  if (asPictures.size === 0) return texts.map(asItIs);
  const pictures = await openPdfPictures(bytes);
  try {
    const pages: SeenPage[] = [];
    for (const [index, text] of texts.entries()) {
      tellPage(index + 1);
      if (!asPictures.has(text)) {
        pages.push(asItIs(text));
        continue;
      }
      const { image, scale } = await pictures.picture(index + 1);
      const reading = await (await reader.open()).readPage({ image, pointsPerPixel: scale }, index + 1);
      pages.push({ ...seen(reading, scale), ...text.shown });
    }
    return pages;
  } finally {
    await pictures.close();
  }
}

/** So large an image may be what the page is about: a scan below the head of who passed it on. */
const LARGE_IMAGE = 0.25;
/** Beside results on other pages it may as well adorn a cover, and has to be larger. */
const LARGER_IMAGE = 0.5;

/** The pages that have to be read from their pictures: no text can be seen, or none of the results is in it. */
function picturesAmong(pages: readonly PdfPageText[]): ReadonlySet<PdfPageText> {
  const pictures = new Set(pages.filter(({ isPicture }) => isPicture));
  const inDoubt = pages.filter((page) => !pictures.has(page) && page.imageShare > LARGE_IMAGE);
  if (inDoubt.length === 0) return pictures;
  const withResults = new Set(
    readReport(pages.filter((page) => !pictures.has(page))).results.map(({ page }) => page),
  );
  const least = withResults.size === 0 ? LARGE_IMAGE : LARGER_IMAGE;
  for (const page of inDoubt)
    if (page.imageShare > least && !withResults.has(pages.indexOf(page) + 1)) pictures.add(page);
  return pictures;
}

const asItIs = (text: PdfPageText): SeenPage => ({
  page: text,
  width: text.shown.width,
  height: text.shown.height,
  placed: text.placed,
  confidence: 1,
});

/** The page was turned, levelled and cut out to be read; its boxes are brought back to what was handed in. */
const seen = (reading: PageReading, scale: number): Pick<SeenPage, 'page' | 'placed' | 'confidence'> => ({
  page: reading.page,
  confidence: reading.confidence,
  placed: (box) => {
    const corners = reading.onOriginal(box);
    const xs = corners.map(({ x }) => x * scale);
    const ys = corners.map(({ y }) => y * scale);
    return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
  },
});

interface LazyOcr {
  open(): Promise<Ocr>;
  close(): Promise<void>;
}

/** Models are loaded when the first page needs them, which in a PDF is seldom. */
function lazyOcr(): LazyOcr {
  let opening: Promise<Ocr> | undefined;
  return {
    open: () => (opening ??= openOcr()),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
