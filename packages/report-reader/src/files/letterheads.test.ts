import PDFDocument from 'pdfkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateCase } from '../../test/reports.ts';
import { encodePng } from '../ocr/encode-png.ts';
import { openPdfRenderer } from '../ocr/ocr.ts';
import { readReport } from '../reading/read.ts';
import { loadPages } from './load-pages.ts';

/** A scanned page takes seconds, or longer on a busy machine. */
const PATIENCE_MS = 120_000;
const [WIDTH, HEIGHT] = [612, 792];

type PdfkitDocument = PDFKit.PDFDocument;
type PageDrawing = (doc: PdfkitDocument) => void;

const ROWS = [
  ['Test', 'Result', 'Unit', 'Reference range'],
  ['Sodium', '139', 'mmol/L', '135 - 145'],
  ['Potassium', '4.2', 'mmol/L', '3.5 - 5.1'],
  ['Chloride', '101', 'mmol/L', '98 - 107'],
];
const COLUMNS = [50, 220, 300, 400];

const write = (doc: PdfkitDocument, text: string, x: number, y: number) =>
  doc.text(text, x, y, { lineBreak: false });

function writeResults(doc: PdfkitDocument): void {
  for (const [row, cells] of ROWS.entries())
    for (const [at, cell] of cells.entries()) write(doc, cell, COLUMNS[at] ?? 0, 120 + row * 24);
  writeProse(doc, { from: 240, lines: 20 });
}

function writeProse(doc: PdfkitDocument, { from, lines }: { from: number; lines: number }): void {
  for (let line = 0; line < lines; line += 1)
    write(
      doc,
      'The laboratory tells in plain words how it handled the sample and why it did so.',
      50,
      from + 22 * line,
    );
}

/** Draws a gray letterhead that covers the page. */
function drawLetterhead(doc: PdfkitDocument): void {
  const data = new Uint8Array(800 * 1000).fill(240);
  doc.image(encodePng({ width: 800, height: 1000, data }), 0, 0, { width: WIDTH, height: HEIGHT });
}

async function pdfOf(pages: readonly PageDrawing[]): Promise<Buffer> {
  const doc = new PDFDocument({ size: [WIDTH, HEIGHT], margin: 0, autoFirstPage: false });
  const chunks: Buffer[] = [];
  const done = new Promise((resolve) =>
    doc.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', resolve),
  );
  for (const draw of pages) draw(doc.addPage().fontSize(10));
  doc.end();
  await done;
  return Buffer.concat(chunks);
}

async function readPdf(pages: readonly PageDrawing[]) {
  const loaded = await loadPages([{ type: 'application/pdf', bytes: await pdfOf(pages) }], () => {});
  const seen = loaded.map(({ page }) => page);
  return { sources: seen.map(({ source }) => source), results: readReport(seen).results };
}

describe('a PDF on a letterhead that is an image', { timeout: PATIENCE_MS }, () => {
  let scan: Buffer;
  let scannedResults: number;
  beforeAll(async () => {
    const { pdf, truth } = await generateCase('urineDip', 1);
    const pictures = await openPdfRenderer(pdf);
    scan = Buffer.from(encodePng((await pictures.renderPage(1)).image));
    scannedResults = truth.results.length;
    await pictures.close();
  }, PATIENCE_MS);
  const drawScan: PageDrawing = (doc) => doc.image(scan, 0, 0, { width: WIDTH, height: HEIGHT });

  it('is read by its text, on pages of prose as well', async () => {
    const { sources, results } = await readPdf([
      (doc) => (drawLetterhead(doc), writeResults(doc)),
      (doc) => (drawLetterhead(doc), writeProse(doc, { from: 120, lines: 26 })),
      (doc) => (drawLetterhead(doc), writeResults(doc)),
    ]);
    expect(sources).toEqual(['text', 'text', 'text']);
    expect(results.length).toBe(6);
  });

  it('is read by OCR on the pages that are scans', async () => {
    const { sources, results } = await readPdf([
      (doc) => (drawLetterhead(doc), writeResults(doc)),
      drawScan,
      (doc) => (drawLetterhead(doc), writeProse(doc, { from: 120, lines: 26 })),
    ]);
    expect(sources).toEqual(['text', 'ocr', 'text']);
    expect(results.filter(({ page }) => page === 2).length).toBe(scannedResults);
  });

  it('is read by OCR where a scan follows a letter, with or without the unseen words of the scanner', async () => {
    const letter: PageDrawing = (doc) => writeProse(doc, { from: 20, lines: 8 });
    const below: PageDrawing = (doc) => doc.image(scan, 0, 200, { width: 457, height: 592 });
    const { sources } = await readPdf([
      writeResults,
      (doc) => (letter(doc), below(doc)),
      (doc) => {
        letter(doc);
        below(doc);
        doc.addContent('3 Tr');
        writeProse(doc, { from: 210, lines: 26 });
      },
    ]);
    expect(sources).toEqual(['text', 'ocr', 'ocr']);
  });

  it('is read by OCR where the strips of a scan cover its words', async () => {
    const { sources } = await readPdf([
      writeResults,
      (doc) => {
        writeProse(doc, { from: 120, lines: 26 });
        for (const strip of [0, 1, 2]) {
          const data = new Uint8Array(800 * 350).fill(240);
          const image = encodePng({ width: 800, height: 350, data });
          doc.image(image, 0, 264 * strip, { width: WIDTH, height: 264 });
        }
      },
    ]);
    expect(sources).toEqual(['text', 'ocr']);
  });
});
