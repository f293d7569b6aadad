import type Barcodes from 'bwip-js/node';
import type PDFDocument from 'pdfkit';

interface PdfLibraries {
  readonly PdfDocument: typeof PDFDocument;
  readonly barcodes: typeof Barcodes;
}

let loading: Promise<PdfLibraries> | undefined;
let loaded: PdfLibraries | undefined;

/** Loads the PDF libraries on first use: they are large, and most processes render no document. */
export async function loadPdfLibraries(): Promise<void> {
  loaded = await (loading ??= load());
}

async function load(): Promise<PdfLibraries> {
  const [pdfkit, bwip] = await Promise.all([import('pdfkit'), import('bwip-js/node')]);
  return { PdfDocument: pdfkit.default, barcodes: bwip.default };
}

export function pdfLibraries(): PdfLibraries {
  if (!loaded) throw new Error('The PDF libraries are not loaded: await loadPdfLibraries() first');
  return loaded;
}
