import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { horizontalRatio } from './deskew.ts';
import type { OcrEngine, OcrEngineResult, OcrTextLine, OcrWord } from './engine.ts';
import { encodePng } from './encode-png.ts';
import { type GrayImage, resize } from './image.ts';
import { turnImage } from './decode.ts';

interface TesseractBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}
interface TesseractLine {
  readonly baseline: TesseractBox;
  readonly bbox: TesseractBox;
  readonly rowAttributes: {
    readonly rowHeight: number;
    readonly ascenders: number;
    readonly descenders: number;
  };
  readonly words: readonly {
    readonly text: string;
    readonly confidence: number;
    readonly bbox: TesseractBox;
  }[];
}
interface TesseractWorker {
  setParameters(parameters: Record<string, string>): Promise<unknown>;
  recognize(
    image: Buffer,
    options: object,
    output: { blocks: boolean; text: boolean },
  ): Promise<{
    data: { blocks: readonly { paragraphs: readonly { lines: readonly TesseractLine[] }[] }[] | null };
  }>;
  terminate(): Promise<unknown>;
}
interface TesseractLibrary {
  createWorker(language: string, mode: number, options: object): Promise<TesseractWorker>;
}

/** Below this confidence the page is probably not upright, and other orientations are tried. */
const DOUBTFUL = 0.55;
/** With fewer letters the image is not a page in any orientation. */
const FEW_LETTERS = 100;
/** Below this ratio of row sharpness, the text is probably vertical. */
const LIKELY_UPRIGHT = 0.8;

/** Tesseract in WebAssembly with bundled language data: the fallback for machines without onnxruntime. */
export async function openTesseractEngine(): Promise<OcrEngine> {
  let worker: TesseractWorker | undefined = await openWorker();
  const linesOf = async (image: GrayImage): Promise<OcrTextLine[]> => {
    worker ??= await openWorker();
    const { data } = await worker.recognize(
      encodePng(enlargeImage(image)),
      {},
      { blocks: true, text: false },
    );
    const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((one) => one.lines));
    return lines.map(toTextLine).filter(({ words }) => words.length > 0);
  };
  return {
    name: 'tesseract',
    read: (image, { mayTurn }) => read(image, mayTurn, linesOf),
    release: async () => {
      const used = worker;
      worker = undefined;
      await used?.terminate();
    },
  };
}

/** Tesseract loses decimal points, so the image is enlarged. */
const ENLARGEMENT = 1.5;
const enlargeImage = (image: GrayImage): GrayImage =>
  resize(image, {
    width: Math.round(image.width * ENLARGEMENT),
    height: Math.round(image.height * ENLARGEMENT),
  });

async function openWorker(): Promise<TesseractWorker> {
  const library = (await import('tesseract.js')) as unknown as { default: TesseractLibrary };
  const data = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
  const worker = await library.default.createWorker('eng', 1, {
    langPath: join(data, '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
  });
  await worker.setParameters({
    // One column of text in several sizes, so that the cells of a row stay in one line.
    tessedit_pageseg_mode: '4',
    preserve_interword_spaces: '1',
    user_defined_dpi: '300',
  });
  return worker;
}

async function read(
  image: GrayImage,
  mayTurn: boolean,
  linesOf: (image: GrayImage) => Promise<OcrTextLine[]>,
): Promise<OcrEngineResult> {
  const lines = await linesOf(image);
  const upright = measureConfidence(lines);
  if (!mayTurn || upright.letters < FEW_LETTERS || upright.confidence > DOUBTFUL)
    return { kind: 'lines', lines };
  const order = horizontalRatio(image) < LIKELY_UPRIGHT ? ([1, 3, 2] as const) : ([2, 1, 3] as const);
  for (const quarters of order) {
    const { confidence, letters } = measureConfidence(await linesOf(turnImage(image, quarters)));
    if (confidence > DOUBTFUL && letters > FEW_LETTERS) return { kind: 'turn', quarters };
  }
  return { kind: 'lines', lines };
}

function measureConfidence(lines: readonly OcrTextLine[]): { confidence: number; letters: number } {
  const words = lines.flatMap((line) => line.words);
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return { confidence: letters === 0 ? 0 : sure / letters, letters };
}

function toTextLine({ baseline, bbox, rowAttributes, words }: TesseractLine): OcrTextLine {
  const slope = (baseline.y1 - baseline.y0) / Math.max(1, baseline.x1 - baseline.x0);
  const { rowHeight } = rowAttributes;
  const height = bbox.y1 - bbox.y0;
  const fontSize = rowHeight > 4 && rowHeight < 2 * height ? rowHeight / 0.93 : height;
  return {
    slope,
    words: words
      .filter(({ text }) => text.trim() !== '')
      .map((word): OcrWord => {
        const middle = (word.bbox.x0 + word.bbox.x1) / 2;
        return {
          text: word.text.trim(),
          box: {
            x0: word.bbox.x0 / ENLARGEMENT,
            y0: word.bbox.y0 / ENLARGEMENT,
            x1: word.bbox.x1 / ENLARGEMENT,
            y1: word.bbox.y1 / ENLARGEMENT,
          },
          confidence: Math.min(1, Math.max(0, word.confidence / 100)),
          baseline: (baseline.y0 + slope * (middle - baseline.x0)) / ENLARGEMENT,
          fontSize: fontSize / ENLARGEMENT,
        };
      }),
  };
}
