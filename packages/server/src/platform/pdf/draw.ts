import { splitRuns } from './fonts.ts';
import { pdfLibraries, loadPdfLibraries } from './libraries.ts';
import type {
  BarsMark,
  BoxMark,
  DotMark,
  ImageMark,
  LineMark,
  DrawingMark,
  LaidOutDocument,
  PolylineMark,
  TextMark,
} from './marks.ts';
import { openTags, type StructureTags } from './tags.ts';
import { selectFont, measureText } from './measure.ts';

type DrawingPen = PDFKit.PDFDocument;

/** How many pages are drawn before yielding to the event loop. */
const PAGES_AT_ONCE = 2;

/**
 * Lays out a document and renders it as PDF bytes. Fonts are embedded, barcodes are vector graphics, content is tagged
 * for accessibility. The same pages give the same bytes.
 */
export async function renderPdf(lay: () => LaidOutDocument): Promise<Uint8Array> {
  await loadPdfLibraries();
  const printed = lay();
  const { title, createdAt } = printed;
  const pen = new (pdfLibraries().PdfDocument)({
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: 'en-US',
    displayTitle: true,
    tagged: true,
    info: { Title: title, CreationDate: createdAt, ModDate: createdAt },
  });
  const bytes = collectBytes(pen);
  const tags = openTags(pen);
  for (const [index, page] of printed.pages.entries()) {
    if (index > 0 && index % PAGES_AT_ONCE === 0) await yieldToEventLoop();
    pen.addPage({ size: [printed.width, printed.height], margin: 0 });
    drawPage(pen, page, tags);
  }
  for (const { name, mediaType, createdAt: at, bytes: content } of printed.attachments ?? []) {
    pen.file(Buffer.from(content), {
      name,
      type: mediaType,
      creationDate: at,
      modifiedDate: at,
    });
  }
  tags.close();
  pen.end();
  return bytes;
}

const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve));

const collectBytes = (pen: DrawingPen): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    pen.on('data', (part: Buffer) => parts.push(part));
    pen.on('end', () => resolve(Buffer.concat(parts)));
    pen.on('error', reject);
  });

/** Adjacent marks of one element form one marked-content sequence. */
function drawPage(pen: DrawingPen, page: readonly DrawingMark[], tags: StructureTags): void {
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

function drawMark(pen: DrawingPen, mark: DrawingMark): void {
  switch (mark.kind) {
    case 'text':
      return drawText(pen, mark);
    case 'line':
      return drawLine(pen, mark);
    case 'box':
      return drawBox(pen, mark);
    case 'bars':
      return drawBars(pen, mark);
    case 'image':
      return drawImage(pen, mark);
    case 'polyline':
      return drawPolyline(pen, mark);
    case 'dot':
      return drawDot(pen, mark);
  }
}

function drawText(pen: DrawingPen, { x, y, text, size, weight, color }: TextMark): void {
  let at = x;
  pen.fillColor(color).fontSize(size);
  for (const run of splitRuns(text, weight)) {
    selectFont(pen, run.face).text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' });
    at += measureText(run.text, { size, weight });
  }
}

function drawLine(pen: DrawingPen, { x, y, width, thickness, color }: LineMark): void {
  const to = x + width;
  pen.moveTo(x, y).lineTo(to, y).lineWidth(thickness).stroke(color);
}

function drawBox(pen: DrawingPen, { x, y, width, height, fill, stroke }: BoxMark): void {
  if (fill !== undefined) pen.rect(x, y, width, height).fill(fill);
  if (stroke !== undefined) pen.rect(x, y, width, height).lineWidth(HAIR).stroke(stroke);
}

const HAIR = 0.6;

function drawPolyline(pen: DrawingPen, { x, y, points, thickness, color }: PolylineMark): void {
  for (const [index, [dx, dy]] of points.entries()) {
    if (index === 0) pen.moveTo(x + dx, y + dy);
    else pen.lineTo(x + dx, y + dy);
  }
  pen.lineWidth(thickness).lineJoin('round').stroke(color);
}

function drawDot(pen: DrawingPen, { x, y, width, height, fill, stroke }: DotMark): void {
  const [rx, ry] = [width / 2, height / 2];
  pen
    .lineWidth(1)
    .ellipse(x + rx, y + ry, rx, ry)
    .fillAndStroke(fill, stroke);
}

/** A document is more important than its logo: one that the library cannot read is left out. */
function drawImage(pen: DrawingPen, { x, y, width, height, bytes }: ImageMark): void {
  try {
    pen.image(bytes, x, y, { width, height });
  } catch {
    // The images were checked when they were stored.
  }
}

function drawBars(pen: DrawingPen, { x, y, width, height, symbol }: BarsMark): void {
  const [wide, high] = [width / symbol.width, height / symbol.height];
  for (const bar of symbol.bars) {
    pen.rect(x + bar.x * wide, y + bar.y * high, bar.width * wide, bar.height * high);
  }
  pen.fill('#000000');
}
