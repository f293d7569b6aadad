import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type GrayImage, grayOf } from './image.ts';

interface Context {
  fillStyle: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
}
interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): Context;
}
interface Viewport {
  readonly width: number;
  readonly height: number;
}
interface PicturedPage {
  getViewport(options: { scale: number }): Viewport;
  render(options: object): { promise: Promise<void> };
  cleanup(): boolean;
}
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PicturedPage>;
}
interface Pdfjs {
  getDocument(options: object): { promise: Promise<PdfDocument>; destroy(): Promise<void> };
}

const DPI = 200;
/** A page that is larger is drawn more coarsely. */
const LONGEST_SIDE = 2_500;
/** An image inside a PDF that unpacks to more is left out. */
const MOST_IMAGE_PIXELS = 51_000_000;

/** One page of a PDF as it looks. */
export interface PdfPicture {
  readonly image: GrayImage;
  /** Points for each pixel. */
  readonly scale: number;
}

export interface PdfPictures {
  readonly count: number;
  /** From 1. Throws what the library throws for a page that cannot be drawn. */
  picture(number: number): Promise<PdfPicture>;
  close(): Promise<void>;
}

/** Opens a PDF to draw its pages. Throws what the library throws: a file broken, encrypted, or no PDF. */
export async function openPdfPictures(bytes: Uint8Array): Promise<PdfPictures> {
  // @ts-expect-error the worker comes without types; the library looks for it under this name
  globalThis.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  const { getDocument } = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as Pdfjs;
  const { createCanvas } = await import('@napi-rs/canvas');
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const task = getDocument({
    data: Uint8Array.from(bytes),
    verbosity: 0,
    isEvalSupported: false,
    useWorkerFetch: false,
    useSystemFonts: false,
    enableXfa: false,
    stopAtErrors: false,
    maxImageSize: MOST_IMAGE_PIXELS,
    canvasMaxAreaInBytes: 4 * MOST_IMAGE_PIXELS,
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    wasmUrl: join(folder, 'wasm/'),
  });
  const document = await task.promise.catch(async (error: unknown) => {
    await task.destroy();
    throw error;
  });
  return {
    count: document.numPages,
    picture: async (number) => {
      const page = await document.getPage(number);
      const paper = page.getViewport({ scale: 1 });
      const zoom = Math.min(DPI / 72, LONGEST_SIDE / Math.max(paper.width, paper.height, 1));
      const viewport = page.getViewport({ scale: zoom });
      const size = {
        width: Math.max(1, Math.floor(viewport.width)),
        height: Math.max(1, Math.floor(viewport.height)),
      };
      const canvas = createCanvas(size.width, size.height) as unknown as Canvas;
      const context = canvas.getContext('2d');
      context.fillStyle = '#ffffff';
      context.fillRect(0, 0, size.width, size.height);
      await page.render({ canvasContext: context, canvas: null, viewport }).promise;
      const { data } = context.getImageData(0, 0, size.width, size.height);
      page.cleanup();
      canvas.width = 1;
      canvas.height = 1;
      return { image: grayOf(data, size), scale: 1 / zoom };
    },
    close: () => task.destroy(),
  };
}
