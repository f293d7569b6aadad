import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import { degradeImage } from '../test/degrade.ts';
import { seededNumbers } from '../test/generated-report.ts';
import { generateCase } from '../test/reports.ts';
import { encodePng } from './ocr/encode-png.ts';
import { openPdfRenderer } from './ocr/ocr.ts';
import { readFiles } from './read-files.ts';

/** A page takes seconds, or longer on a busy machine. */
const PATIENCE_MS = 120_000;

const outcomeOf = async (bytes: Buffer): Promise<string> => {
  const outcome = await readFiles([{ type: 'image/jpeg', bytes }], { onPage: () => {}, loincCsv: null });
  return 'failed' in outcome ? outcome.failed : `${outcome.read.lines.length} lines`;
};

describe('an image', { timeout: PATIENCE_MS }, () => {
  it('of a hardly legible page is rejected as low_quality', async () => {
    const pictures = await openPdfRenderer((await generateCase('urineDip', 1)).pdf);
    const { image } = await pictures.renderPage(1);
    await pictures.close();
    expect(await outcomeOf(await degradeImage(image, { seed: 4, dpi: 50, jpegQuality: 30 }))).toBe(
      'low_quality',
    );
  });

  it('of something else is rejected as invalid_input', async () => {
    const roll = seededNumbers(3);
    const data = new Uint8Array(400 * 300).map((_, at) => 130 + 60 * Math.sin(at / 4000) + 40 * roll());
    const carpet = await degradeImage({ width: 400, height: 300, data }, { seed: 5, jpegQuality: 70 });
    expect(await outcomeOf(carpet)).toBe('invalid_input');
  });
});

/** A page as forwarded by a records office: a few lines of text above a scanned report. */
async function passedOn(report: Buffer): Promise<Buffer> {
  const pictures = await openPdfRenderer(report);
  const { image } = await pictures.renderPage(1);
  await pictures.close();
  const doc = new PDFDocument({ size: [612, 1000], margin: 0 });
  const chunks: Buffer[] = [];
  const done = new Promise((resolve) =>
    doc.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', resolve),
  );
  doc.fontSize(9);
  doc.text('Records of the invented clinic, printed on request of the patient by the records office', 40, 30);
  doc.text(
    'Document received from another laboratory; see below for what was received, page one of one',
    40,
    45,
  );
  doc.image(encodePng(image), 0, 200, { width: 612 });
  doc.end();
  await done;
  return Buffer.concat(chunks);
}

describe('a PDF', { timeout: PATIENCE_MS }, () => {
  it('with a scanned report below some text is read by OCR', async () => {
    const { pdf, truth } = await generateCase('urineDip', 1);
    const files = [{ type: 'application/pdf', bytes: await passedOn(pdf) }] as const;
    const outcome = await readFiles(files, { onPage: () => {}, loincCsv: null });
    if (!('read' in outcome)) throw new Error(`Refused as ${outcome.failed}`);
    const { lines, pages } = outcome.read;
    expect(lines.length).toBe(truth.results.length);
    expect(pages).toEqual([{ width: 612, height: 1000 }]);
    for (const { boxes } of lines) expect(boxes.value?.y0).toBeGreaterThan(200);
  });
});
