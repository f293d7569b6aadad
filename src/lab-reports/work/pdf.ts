import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface PdfPage {
  getViewport(options: { scale: number }): { width: number; height: number };
  render(options: object): { promise: Promise<void> };
  cleanup(): boolean;
}

/** What we use of the library, whose own types change between its builds. */
export interface Pdf {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ info: { EncryptFilterName?: string | null } }>;
  destroy(): Promise<void>;
}

interface Library {
  getDocument(options: object): { promise: Promise<Pdf>; destroy(): Promise<void> };
}

const folder = () => dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** Opens a PDF in this thread: who wants to be safe from a file gives it a process. Throws what the library throws. */
export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  // @ts-expect-error the worker comes without types; the library looks for it under this name
  globalThis.pdfjsWorker ??= await import('pdfjs-dist/legacy/build/pdf.worker.mjs');
  const library = (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as Library;
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
