import type Barcodes from 'bwip-js/node';
import type PDFDocument from 'pdfkit';

export interface Libraries {
  readonly PdfDocument: typeof PDFDocument;
  readonly barcodes: typeof Barcodes;
}

let opened: Promise<Libraries> | undefined;
let atHand: Libraries | undefined;

/** Loads what layout and drawing rest on when the first paper is wanted: it is large, and most processes draw none. */
export async function openLibraries(): Promise<void> {
  atHand = await (opened ??= load());
}

async function load(): Promise<Libraries> {
  const [pdfkit, bwip] = await Promise.all([import('pdfkit'), import('bwip-js/node')]);
  return { PdfDocument: pdfkit.default, barcodes: bwip.default };
}

export function libraries(): Libraries {
  if (!atHand) throw new Error('The PDF libraries are not open: await openLibraries() first');
  return atHand;
}
