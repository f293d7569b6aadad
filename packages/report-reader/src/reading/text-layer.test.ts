import { createCanvas } from '@napi-rs/canvas';
import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import { encodePng } from '../ocr/encode-png.ts';
import { readPdfWords } from './pdf-words.ts';
import { readReport } from './read.ts';

const FONT = 'node_modules/@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff';
const [WIDTH, HEIGHT] = [595, 842];

const ROWS = [
  ['Test', 'Result', 'Unit', 'Reference range'],
  ['Sodium', '139', 'mmol/L', '135 - 145'],
  ['Potassium', '4.2', 'mmol/L', '3.5 - 5.1'],
  ['Chloride', '101', 'mmol/L', '98 - 107'],
  ['Creatinine', '0.84', 'mg/dL', '0.60 - 1.20'],
  ['Calcium', '9.4', 'mg/dL', '8.6 - 10.2'],
];
const COLUMNS = [50, 220, 300, 400];

type PdfkitDocument = PDFKit.PDFDocument;

/** Repeated text fills the page, as a letterhead does. */
function writeReport(doc: PdfkitDocument): void {
  for (const [row, cells] of ROWS.entries())
    for (const [at, cell] of cells.entries())
      doc.text(cell, COLUMNS[at] ?? 0, 200 + row * 24, { lineBreak: false });
  for (let line = 0; line < 8; line += 1)
    doc.text(
      'Laboratory of the invented hospital, open on all working days from seven to five',
      50,
      500 + 20 * line,
      {
        lineBreak: false,
      },
    );
}

/** Draws the letters as shapes, as some printer drivers do. */
function drawReport(doc: PdfkitDocument): void {
  for (const [row, cells] of ROWS.entries())
    for (const [at, cell] of cells.entries()) drawText(doc, cell, COLUMNS[at] ?? 0, 200 + row * 24);
  for (let line = 0; line < 8; line += 1)
    drawText(doc, 'Laboratory of the invented hospital, open on all working days', 50, 500 + 20 * line);
}

interface FontGlyph {
  readonly path: { toSVG(): string };
  readonly advanceWidth: number;
}
interface FontOutlines {
  readonly unitsPerEm: number;
  layout(text: string): { glyphs: readonly FontGlyph[] };
}

function drawText(doc: PdfkitDocument, text: string, x: number, y: number): void {
  const { font } = (doc as unknown as { _font: { font: FontOutlines } })._font;
  const scale = 10 / font.unitsPerEm;
  let at = x;
  for (const { path, advanceWidth } of font.layout(text).glyphs) {
    doc.save().translate(at, y).scale(scale, -scale).path(path.toSVG()).fill().restore();
    at += advanceWidth * scale;
  }
}

/** A gray sheet that covers the page. */
function cover(doc: PdfkitDocument): void {
  const data = new Uint8Array(800 * 1000).fill(240);
  doc.image(encodePng({ width: 800, height: 1000, data }), 0, 0, { width: WIDTH, height: HEIGHT });
}

/** A white sheet, stored as a JPEG, that covers the page. */
function coverByJpeg(doc: PdfkitDocument): void {
  const image = createCanvas(800, 1000).toBuffer('image/jpeg');
  doc.image(image, 0, 0, { width: WIDTH, height: HEIGHT });
}

async function pdfOf(draw: (doc: PdfkitDocument) => void): Promise<Buffer> {
  const doc = new PDFDocument({ size: [WIDTH, HEIGHT], margin: 0, compress: false, font: FONT });
  const chunks: Buffer[] = [];
  const done = new Promise((resolve) =>
    doc.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', resolve),
  );
  doc.fontSize(10);
  draw(doc);
  doc.end();
  await done;
  return Buffer.concat(chunks);
}

const firstPage = async (pdf: Buffer) => {
  const [page] = await readPdfWords(pdf, { maxPages: 1 });
  if (!page) throw new Error('A PDF has a page');
  return page;
};

const unseen = (doc: PdfkitDocument) => {
  doc.addContent('3 Tr');
  writeReport(doc);
};

const CASES: readonly [string, (doc: PdfkitDocument) => void, boolean][] = [
  ['text', writeReport, false],
  ['nothing', () => {}, false],
  ['text on a letterhead that is an image', (doc) => (cover(doc), writeReport(doc)), false],
  ['a scan, and unseen what its scanner read', (doc) => (cover(doc), unseen(doc)), true],
  ['a scan laid over what its scanner read', (doc) => (writeReport(doc), cover(doc)), true],
  [
    'a scan with a stamp of text',
    (doc) => (cover(doc), doc.text('Received by fax, page one of one '.repeat(8))),
    true,
  ],
  ['letters that are drawn as shapes', drawReport, true],
  ['a frame with nothing in it', (doc) => void doc.rect(20, 20, 500, 700).stroke(), false],
];

/** The types of the library lack this option. */
const WIDE: object = { lineBreak: false, horizontalScaling: 150 };

interface PagePoint {
  readonly x: number;
  readonly y: number;
}
/** The center of the first value on the page before rotation. */
const VALUE: PagePoint = { x: 229, y: 231 };
/** Maps a point to the page after clockwise rotation. */
const TURNS: readonly [number, (point: PagePoint) => PagePoint][] = [
  [90, ({ x, y }) => ({ x: HEIGHT - y, y: x })],
  [180, ({ x, y }) => ({ x: WIDTH - x, y: HEIGHT - y })],
  [270, ({ x, y }) => ({ x: y, y: WIDTH - x })],
];

describe('a page of a PDF', () => {
  it.each(CASES)('that shows %s', async (_name, draw, isPicture) => {
    expect((await firstPage(await pdfOf(draw))).isPicture).toBe(isPicture);
  });

  // prettier-ignore
  const JPEG_FORMS: readonly [string, (pdf: string) => string][] = [
    ['a JPEG', (pdf) => pdf],
    ['a JPEG in a list of filters', (pdf) => pdf.replace('/Filter /DCTDecode', '/Filter [/DCTDecode]')],
    ['a stencil', (pdf) => pdf.replace('/ColorSpace /DeviceRGB', '/ImageMask true').replace('/BitsPerComponent 8', '/BitsPerComponent 1')],
  ];
  it.each(JPEG_FORMS)(
    'whose scan is %s is read by OCR, and text on such an image is not',
    async (_form, alter) => {
      const isPicture = async (draw: (doc: PdfkitDocument) => void) => {
        const pdf = (await pdfOf(draw)).toString('latin1');
        return (await firstPage(Buffer.from(alter(pdf), 'latin1'))).isPicture;
      };
      expect(await isPicture(coverByJpeg)).toBe(true);
      expect(await isPicture((doc) => (coverByJpeg(doc), unseen(doc)))).toBe(true);
      expect(await isPicture((doc) => (coverByJpeg(doc), writeReport(doc)))).toBe(false);
    },
  );

  it('with a font without a Unicode map is read by OCR', async () => {
    const pdf = await pdfOf(writeReport);
    const mute = Buffer.from(pdf.toString('latin1').replaceAll('/ToUnicode', '/XoUnicode'), 'latin1');
    expect((await firstPage(mute)).isPicture).toBe(true);
  });

  it('with overprinted text yields every word once', async () => {
    const pdf = await pdfOf((doc) => {
      for (const beside of [0, 0.4]) doc.text('<', 100 + beside, 100, WIDE);
      for (const beside of [0, 0.4]) doc.text('0,83', 111 + beside, 100, { lineBreak: false });
    });
    const { words } = await firstPage(pdf);
    expect(words.map(({ text }) => text)).toEqual(['<', '0,83']);
  });

  it.each(TURNS)('rotated by %i degrees is read upright', async (turn, shownAt) => {
    const pdf = (await pdfOf(writeReport)).toString('latin1');
    const turned = Buffer.from(pdf.replace('/Type /Page\n', `/Type /Page /Rotate ${turn}\n`), 'latin1');
    const page = await firstPage(turned);
    const { results } = readReport([page]);
    expect(results.map(({ testName, printedValue }) => `${testName} ${printedValue}`)).toEqual([
      'Sodium 139',
      'Potassium 4.2',
      'Chloride 101',
      'Creatinine 0.84',
      'Calcium 9.4',
    ]);
    const value = results[0]?.boxes.value;
    if (!value) throw new Error('A value has its place');
    const { x0, y0, x1, y1 } = page.toDisplayBox(value);
    const at = shownAt(VALUE);
    expect((x0 + x1) / 2).toBeCloseTo(at.x, -1);
    expect((y0 + y1) / 2).toBeCloseTo(at.y, -1);
  });

  it('with a form is read with its visible fields only', async () => {
    const pdf = await pdfOf((doc) => {
      doc.initForm();
      doc.formText('hidden', 220, 360, 50, 14, { value: '77' });
      for (const [row, [name = '', value = '', ...others]] of ROWS.entries()) {
        const y = 200 + row * 24;
        for (const [at, cell] of [name, row === 0 ? value : '', ...others].entries())
          if (cell !== '') doc.text(cell, COLUMNS[at] ?? 0, y, { lineBreak: false });
        if (row > 0) doc.formText(`value ${row}`, 220, y - 2, 50, 14, { value });
      }
    });
    const hidden = Buffer.from(pdf.toString('latin1').replace('/F 4\n', '/F 2\n'), 'latin1');
    const { words, ...page } = await firstPage(hidden);
    expect(words.map(({ text }) => text)).not.toContain('77');
    const { results } = readReport([{ ...page, words }]);
    expect(results.map((line) => [line.testName, line.printedValue, line.unit, line.min])).toEqual([
      ['Sodium', '139', 'mmol/L', 135],
      ['Potassium', '4.2', 'mmol/L', 3.5],
      ['Chloride', '101', 'mmol/L', 98],
      ['Creatinine', '0.84', 'mg/dL', 0.6],
      ['Calcium', '9.4', 'mg/dL', 8.6],
    ]);
  });
});
