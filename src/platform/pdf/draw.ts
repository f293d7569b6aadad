import { runsOf } from './fonts.ts';
import { libraries, openLibraries } from './libraries.ts';
import type { BarsMark, BoxMark, LineMark, Mark, Printed, TextMark } from './marks.ts';
import { openTags, type Tags } from './tags.ts';
import { takeFont, widthOf } from './measure.ts';

type Pen = PDFKit.PDFDocument;

/** How many pages are drawn before others have their turn. */
const PAGES_AT_ONCE = 2;

/**
 * Lays pages out and answers their bytes. Fonts are embedded, barcodes are drawn as lines, what is read aloud is
 * tagged; the same pages have the same bytes.
 */
export async function drawPdf(lay: () => Printed): Promise<Uint8Array> {
  await openLibraries();
  const printed = lay();
  const { title, createdAt } = printed;
  const pen = new (libraries().PdfDocument)({
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: 'en-US',
    displayTitle: true,
    tagged: true,
    info: { Title: title, CreationDate: createdAt, ModDate: createdAt },
  });
  const bytes = collected(pen);
  const tags = openTags(pen);
  for (const [index, page] of printed.pages.entries()) {
    if (index > 0 && index % PAGES_AT_ONCE === 0) await othersTurn();
    pen.addPage({ size: [printed.width, printed.height], margin: 0 });
    drawPage(pen, page, tags);
  }
  tags.close();
  pen.end();
  return bytes;
}

const othersTurn = () => new Promise((resolve) => setImmediate(resolve));

const collected = (pen: Pen): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    pen.on('data', (part: Buffer) => parts.push(part));
    pen.on('end', () => resolve(Buffer.concat(parts)));
    pen.on('error', reject);
  });

/** Neighbouring marks of one element are one piece of it. */
function drawPage(pen: Pen, page: readonly Mark[], tags: Tags): void {
  for (const [index, mark] of page.entries()) {
    const before = page[index - 1];
    if (!before || before.element !== mark.element) {
      if (before) tags.end();
      tags.begin(mark.element);
    }
    drawMark(pen, mark);
  }
  if (page.length > 0) tags.end();
}

function drawMark(pen: Pen, mark: Mark): void {
  switch (mark.kind) {
    case 'text':
      return drawText(pen, mark);
    case 'line':
      return drawLine(pen, mark);
    case 'box':
      return drawBox(pen, mark);
    case 'bars':
      return drawBars(pen, mark);
  }
}

function drawText(pen: Pen, { x, y, text, size, weight, color }: TextMark): void {
  let at = x;
  pen.fillColor(color).fontSize(size);
  for (const run of runsOf(text, weight)) {
    takeFont(pen, run.face).text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' });
    at += widthOf(run.text, { size, weight });
  }
}

function drawLine(pen: Pen, { x, y, width, thickness, color }: LineMark): void {
  const to = x + width;
  pen.moveTo(x, y).lineTo(to, y).lineWidth(thickness).stroke(color);
}

function drawBox(pen: Pen, { x, y, width, height, fill, stroke }: BoxMark): void {
  if (fill !== undefined) pen.rect(x, y, width, height).fill(fill);
  if (stroke !== undefined) pen.rect(x, y, width, height).lineWidth(HAIR).stroke(stroke);
}

const HAIR = 0.6;

function drawBars(pen: Pen, { x, y, width, height, symbol }: BarsMark): void {
  const [wide, high] = [width / symbol.width, height / symbol.height];
  for (const bar of symbol.dark) {
    pen.rect(x + bar.x * wide, y + bar.y * high, bar.width * wide, bar.height * high);
  }
  pen.fill('#000000');
}
