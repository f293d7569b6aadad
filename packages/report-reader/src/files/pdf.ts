import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface PdfjsPage {
  getViewport(options: { scale: number }): { width: number; height: number };
  render(options: object): { promise: Promise<void> };
  cleanup(): boolean;
}

/** The part of pdf.js that we use; its own types differ between builds. */
interface PdfjsDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfjsPage>;
  destroy(): Promise<void>;
}

interface PdfjsLibrary {
  getDocument(options: object): { promise: Promise<PdfjsDocument>; destroy(): Promise<void> };
}

const folder = () => dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** Opens a PDF in this thread, so call it only in a worker process for untrusted files. Throws what pdf.js throws. */
export async function openPdf(bytes: Uint8Array): Promise<PdfjsDocument> {
  // @ts-expect-error the worker comes without types; the library looks for it under this name
  globalThis.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  const library = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as PdfjsLibrary;
  const task = library.getDocument({
    data: Uint8Array.from(bytes),
    verbosity: 0,
    isEvalSupported: false,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    cMapUrl: join(folder(), 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(folder(), 'standard_fonts/'),
    wasmUrl: join(folder(), 'wasm/'),
  });
  return task.promise;
}
