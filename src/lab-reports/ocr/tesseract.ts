import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { levelness } from './deskew.ts';
import type { OcrEngine, Reading, SeenLine, SeenWord } from './engine.ts';
import { pngOf } from './encode-png.ts';
import { type GrayImage, resize } from './image.ts';
import { turn } from './decode.ts';

interface Bbox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}
interface TesseractLine {
  readonly baseline: Bbox;
  readonly bbox: Bbox;
  readonly rowAttributes: {
    readonly rowHeight: number;
    readonly ascenders: number;
    readonly descenders: number;
  };
  readonly words: readonly { readonly text: string; readonly confidence: number; readonly bbox: Bbox }[];
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
interface Tesseract {
  createWorker(language: string, mode: number, options: object): Promise<TesseractWorker>;
}

/** Below this the page is likely not upright, and the other ways are tried. */
const DOUBTFUL = 0.55;
/** What reads as less is no page in any direction. */
const FEW_LETTERS = 100;
/** Lines seem to run up and down when they part the page that much more sharply than lines across do. */
const LIKELY_UPRIGHT = 0.8;

/** Tesseract in WebAssembly, its language data from the package: for machines without the native library. */
export async function tesseractEngine(): Promise<OcrEngine> {
  let worker: TesseractWorker | undefined = await openWorker();
  const linesOf = async (image: GrayImage): Promise<SeenLine[]> => {
    worker ??= await openWorker();
    const { data } = await worker.recognize(pngOf(enlarged(image)), {}, { blocks: true, text: false });
    const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((one) => one.lines));
    return lines.map(lineOf).filter(({ words }) => words.length > 0);
  };
  return {
    name: 'tesseract',
    read: (image, { mayTurn }) => read(image, mayTurn, linesOf),
    rest: async () => {
      const used = worker;
      worker = undefined;
      await used?.terminate();
    },
  };
}

/** Decimal points are what it loses: they are larger on a larger page. */
const UP = 1.5;
const enlarged = (image: GrayImage): GrayImage =>
  resize(image, { width: Math.round(image.width * UP), height: Math.round(image.height * UP) });

async function openWorker(): Promise<TesseractWorker> {
  const library = (await import('tesseract.js')) as unknown as { default: Tesseract };
  const data = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
  const worker = await library.default.createWorker('eng', 1, {
    langPath: join(data, '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
  });
  await worker.setParameters({
    // A column of text in several sizes, so that the cells of a row stay in one line.
    tessedit_pageseg_mode: '4',
    preserve_interword_spaces: '1',
    user_defined_dpi: '300',
  });
  return worker;
}

async function read(
  image: GrayImage,
  mayTurn: boolean,
  linesOf: (image: GrayImage) => Promise<SeenLine[]>,
): Promise<Reading> {
  const lines = await linesOf(image);
  const upright = surenessOf(lines);
  if (!mayTurn || upright.letters < FEW_LETTERS || upright.confidence > DOUBTFUL)
    return { kind: 'lines', lines };
  const order = levelness(image) < LIKELY_UPRIGHT ? ([1, 3, 2] as const) : ([2, 1, 3] as const);
  for (const quarters of order) {
    const { confidence, letters } = surenessOf(await linesOf(turn(image, quarters)));
    if (confidence > DOUBTFUL && letters > FEW_LETTERS) return { kind: 'turn', quarters };
  }
  return { kind: 'lines', lines };
}

function surenessOf(lines: readonly SeenLine[]): { confidence: number; letters: number } {
  const words = lines.flatMap((line) => line.words);
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return { confidence: letters === 0 ? 0 : sure / letters, letters };
}

function lineOf({ baseline, bbox, rowAttributes, words }: TesseractLine): SeenLine {
  const slope = (baseline.y1 - baseline.y0) / Math.max(1, baseline.x1 - baseline.x0);
  const { rowHeight } = rowAttributes;
  const height = bbox.y1 - bbox.y0;
  const fontSize = rowHeight > 4 && rowHeight < 2 * height ? rowHeight / 0.93 : height;
  return {
    slope,
    words: words
      .filter(({ text }) => text.trim() !== '')
      .map((word): SeenWord => {
        const middle = (word.bbox.x0 + word.bbox.x1) / 2;
        return {
          text: word.text.trim(),
          box: { x0: word.bbox.x0 / UP, y0: word.bbox.y0 / UP, x1: word.bbox.x1 / UP, y1: word.bbox.y1 / UP },
          confidence: Math.min(1, Math.max(0, word.confidence / 100)),
          baseline: (baseline.y0 + slope * (middle - baseline.x0)) / UP,
          fontSize: fontSize / UP,
        };
      }),
  };
}
