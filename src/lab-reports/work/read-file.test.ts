import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import { harmedImage } from '../../../test/lab-reports/degrade.ts';
import { dice } from '../../../test/lab-reports/made.ts';
import { makeCase } from '../../../test/lab-reports/reports.ts';
import { pngOf } from '../ocr/encode-png.ts';
import { openPdfPictures } from '../ocr/ocr.ts';
import { readFiles } from './read-file.ts';

/** A page takes seconds, more on a busy machine. */
const PATIENCE_MS = 120_000;

const outcomeOf = async (bytes: Buffer): Promise<string> => {
  const outcome = await readFiles([{ type: 'image/jpeg', bytes }], { tellPage: () => {}, loincCsv: null });
  return 'failed' in outcome ? outcome.failed : `${outcome.read.lines.length} lines`;
};

describe('a picture', { timeout: PATIENCE_MS }, () => {
  it('of a page that can hardly be read is refused as such', async () => {
    const pictures = await openPdfPictures((await makeCase('urineDip', 1)).pdf);
    const { image } = await pictures.picture(1);
    await pictures.close();
    expect(await outcomeOf(await harmedImage(image, { seed: 4, dpi: 50, jpegQuality: 30 }))).toBe(
      'low_quality',
    );
  });

  it('of something else is no report', async () => {
    const roll = dice(3);
    const data = new Uint8Array(400 * 300).map((_, at) => 130 + 60 * Math.sin(at / 4000) + 40 * roll());
    const carpet = await harmedImage({ width: 400, height: 300, data }, { seed: 5, jpegQuality: 70 });
    expect(await outcomeOf(carpet)).toBe('invalid_input');
  });
});

/** What a records office prints: some words of its own, and below them the page that it received. */
async function passedOn(report: Buffer): Promise<Buffer> {
  const pictures = await openPdfPictures(report);
  const { image } = await pictures.picture(1);
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
  doc.image(pngOf(image), 0, 200, { width: 612 });
  doc.end();
  await done;
  return Buffer.concat(chunks);
}

describe('a PDF', { timeout: PATIENCE_MS }, () => {
  it('that shows a scanned report below some words is read from its picture', async () => {
    const { pdf, truth } = await makeCase('urineDip', 1);
    const files = [{ type: 'application/pdf', bytes: await passedOn(pdf) }] as const;
    const outcome = await readFiles(files, { tellPage: () => {}, loincCsv: null });
    if (!('read' in outcome)) throw new Error(`Refused as ${outcome.failed}`);
    const { lines, pages } = outcome.read;
    expect(lines.length).toBe(truth.results.length);
    expect(pages).toEqual([{ width: 612, height: 1000 }]);
    for (const { place } of lines) expect(place?.boxes.value?.y0).toBeGreaterThan(200);
  });
});
