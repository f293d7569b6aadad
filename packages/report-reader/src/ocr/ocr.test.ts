import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addScores,
  compareResults,
  EMPTY_SCORE,
  type ResultScore,
} from '../../../../tools/eval-reports/compare.ts';
import { degradeImage, type Degradation } from '../../test/degrade.ts';
import { seededNumbers } from '../../test/generated-report.ts';
import { generateCase, type GeneratedCase } from '../../test/reports.ts';
import { readReport } from '../reading/read.ts';
import { encodePng } from './encode-png.ts';
import { type GrayImage, blankImage } from './image.ts';
import { decodeImage } from './decode.ts';
import type { Quad } from './geometry.ts';
import { openOcr, openPdfRenderer, type Ocr, type OcrPageResult } from './ocr.ts';

/*
 * Reading pictures is slow, so few pages stand for all: a one-page report made by ourselves, harmed in four ways.
 * `npm run eval:reports` measures many.
 */
const LAYOUT = 'flagBeforeWords';
/** A page takes seconds, more on a busy machine. */
const PATIENCE_MS = 120_000;

/** As a whole: skewed and grainy from a scanner, or under a lamp, askew on a table, upside down. */
const HARMS: readonly (readonly [string, Degradation, { quarters: number; isSheetCut: boolean }])[] = [
  [
    'a skewed, grainy scan',
    { seed: 32, dpi: 160, skewDegrees: -2.2, grain: 9, specks: 20, jpegQuality: 60 },
    { quarters: 0, isSheetCut: false },
  ],
  [
    'a photo of a sheet on a table, lying on its side',
    { seed: 63, photo: { tilt: 0.02, shadow: 0.3, table: 0.06 }, grain: 4, quarters: 1, jpegQuality: 70 },
    { quarters: 3, isSheetCut: true },
  ],
  [
    'a scan upside down',
    { seed: 94, dpi: 150, skewDegrees: 0.7, grain: 5, quarters: 2, jpegQuality: 75 },
    { quarters: 2, isSheetCut: false },
  ],
];

async function measure(
  ocr: Ocr,
  harm: Degradation,
): Promise<{ score: ResultScore; reading: OcrPageResult; file: Buffer }> {
  const { truth, page } = await report();
  const file = await degradeImage(page, harm);
  const reading = await ocr.readPage({ file }, 1);
  const { results } = readReport([reading.page]);
  return { score: addScores(EMPTY_SCORE, compareResults(truth.results, results).score), reading, file };
}

let drawn: Promise<Pick<GeneratedCase, 'truth'> & { page: GrayImage }> | undefined;

/** The report that all tests read, of one page, drawn once. */
const report = () =>
  (drawn ??= generateCase(LAYOUT, 7).then(async ({ pdf, truth }) => {
    const pictures = await openPdfRenderer(pdf);
    const { image } = await pictures.renderPage(1);
    await pictures.close();
    return { truth, page: image };
  }));

describe('PP-OCR', { timeout: PATIENCE_MS }, () => {
  let ocr: Ocr;
  beforeAll(async () => {
    ocr = await openOcr({ engine: 'pp-ocr' });
  });
  afterAll(() => ocr.close());

  it.each(HARMS)('reads %s, and returns the position of each word', async (_, harm, done) => {
    const { score, reading, file } = await measure(ocr, harm);
    expect(reading.preparation).toMatchObject(done);
    expect(score.value / score.truth).toBeGreaterThanOrEqual(0.97);
    expect(score.wrongWithoutWarning).toBe(0);
    expect(reading.confidence).toBeGreaterThan(0.9);
    const { image } = await decodeImage(file);
    const long = reading.page.words.filter(({ text }) => text.length > 3);
    expect(long.length).toBeGreaterThan(20);
    for (const { box } of long) expect(darkest(image, reading.toOriginal(box))).toBeLessThan(150);
  });

  it('finds no words on an empty page, and few confident words on an image that is no page', async () => {
    const empty = await ocr.readPage({ file: encodePng(blankImage({ width: 850, height: 1_100 })) }, 1);
    expect([empty.page.words.length, empty.confidence]).toEqual([0, 0]);
    const cat = await ocr.readPage({ file: encodePng(blobs()) }, 1);
    expect(cat.page.words.filter(({ confidence }) => confidence > 0.8).length).toBeLessThan(6);
    expect(cat.confidence).toBeLessThan(0.55);
  });
});

/** The darkest pixel within the box about four corners. */
function darkest({ width, data }: GrayImage, corners: Quad): number {
  const xs = corners.map(({ x }) => Math.round(x));
  const ys = corners.map(({ y }) => Math.round(y));
  let least = 255;
  for (let y = Math.min(...ys); y < Math.max(...ys); y += 1) {
    for (let x = Math.min(...xs); x < Math.max(...xs); x += 1)
      least = Math.min(least, data[y * width + x] ?? 255);
  }
  return least;
}

/** Soft shapes and grain, as a pet on a carpet. */
function blobs(): GrayImage {
  const image = blankImage({ width: 400, height: 300 });
  const roll = seededNumbers(9);
  const shapes = Array.from(
    { length: 30 },
    () => [roll() * 400, roll() * 300, 10 + roll() * 70, roll() * 160] as const,
  );
  for (let y = 0; y < 300; y += 1) {
    for (let x = 0; x < 400; x += 1) {
      let gray = 150;
      for (const [cx, cy, radius, shade] of shapes) {
        gray += (shade - 80) * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / radius ** 2);
      }
      image.data[y * 400 + x] = Math.min(255, Math.max(0, gray + (roll() - 0.5) * 50));
    }
  }
  return image;
}

describe('Tesseract, the fallback without the native library', { timeout: PATIENCE_MS }, () => {
  it('reads a scan, offline', async () => {
    const ocr = await openOcr({ engine: 'tesseract' });
    try {
      const { score } = await measure(ocr, {
        seed: 125,
        dpi: 170,
        skewDegrees: 1.5,
        grain: 5,
        jpegQuality: 75,
      });
      expect(score.value / score.truth).toBeGreaterThanOrEqual(0.85);
    } finally {
      await ocr.close();
    }
  });
});
