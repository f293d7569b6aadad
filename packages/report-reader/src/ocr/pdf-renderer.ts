import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type GrayImage, toGray } from './image.ts';

interface PdfCanvasContext {
  fillStyle: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
}
interface PdfCanvas {
  width: number;
  height: number;
  getContext(kind: '2d'): PdfCanvasContext;
}
interface PdfViewport {
  readonly width: number;
  readonly height: number;
}
interface RenderablePdfPage {
  getViewport(options: { scale: number }): PdfViewport;
  render(options: object): { promise: Promise<void> };
  cleanup(): boolean;
}
interface RenderablePdf {
  readonly numPages: number;
  getPage(number: number): Promise<RenderablePdfPage>;
}
interface PdfjsRenderLibrary {
  getDocument(options: object): { promise: Promise<RenderablePdf>; destroy(): Promise<void> };
}

const DPI = 200;
/** Larger pages are rendered at a lower resolution. */
const LONGEST_SIDE = 2_500;
/** Larger images inside a PDF are skipped. */
const MOST_IMAGE_PIXELS = 51_000_000;

/** A rendered page of a PDF. */
interface PdfPageImage {
  readonly image: GrayImage;
  /** Points per pixel. */
  readonly scale: number;
}

interface PdfRenderer {
  readonly count: number;
  /** Renders a page, from 1. Throws what pdf.js throws for a page that cannot be rendered. */
  renderPage(number: number): Promise<PdfPageImage>;
  close(): Promise<void>;
}

/**
 * Opens a PDF to render its pages. Throws what pdf.js throws for a damaged or encrypted file, or one that is no PDF.
 */
export async function openPdfRenderer(bytes: Uint8Array): Promise<PdfRenderer> {
  // @ts-expect-error the worker comes without types; the library looks for it under this name
  globalThis.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  const { getDocument } = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as PdfjsRenderLibrary;
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
    renderPage: async (number) => {
      const page = await document.getPage(number);
      const paper = page.getViewport({ scale: 1 });
      const zoom = Math.min(DPI / 72, LONGEST_SIDE / Math.max(paper.width, paper.height, 1));
      const viewport = page.getViewport({ scale: zoom });
      const size = {
        width: Math.max(1, Math.floor(viewport.width)),
        height: Math.max(1, Math.floor(viewport.height)),
      };
      const canvas = createCanvas(size.width, size.height) as unknown as PdfCanvas;
      const context = canvas.getContext('2d');
      context.fillStyle = '#ffffff';
      context.fillRect(0, 0, size.width, size.height);
      await page.render({ canvasContext: context, canvas: null, viewport }).promise;
      const { data } = context.getImageData(0, 0, size.width, size.height);
      page.cleanup();
      canvas.width = 1;
      canvas.height = 1;
      return { image: toGray(data, size), scale: 1 / zoom };
    },
    close: () => task.destroy(),
  };
}
