import { flattenCurl } from './page-curl.ts';
import type { OcrTextLine, OcrWord } from './engine.ts';
import {
  type Homography,
  type ImagePoint,
  IDENTITY,
  type ImageSize,
  transformPoint,
  compose,
  invert,
  translation,
} from './geometry.ts';

/**
 * Keystone distortion: lines whose slope changes down the page, as on a sheet that was photographed at an angle and
 * whose corners were not found. The slope at the center is `lean`, and grows by `fan` per pixel down.
 */
interface KeystoneFit {
  readonly lean: number;
  readonly fan: number;
}

interface DewarpedLines {
  readonly lines: readonly OcrTextLine[];
  /** Maps dewarped coordinates to those of the image that was read. */
  readonly toInput: (point: ImagePoint) => ImagePoint;
}

/** A line with a known slope, relative to the center of the page. */
interface KeystoneSample extends ImagePoint {
  readonly slope: number;
  readonly weight: number;
}

/** Lines needed for a fit. */
const LEAST_LINES = 8;
/** The share of lines that must agree with the fit, within NEAR or CLEARLY times the median residual. */
const MOST = 0.6;
const NEAR = 0.004;
const CLEARLY = 2.5;
const ROUNDS = 6;
/** Slopes below this need no correction. */
const LEVEL = 0.02;
/** A real page never fans out more than this at its edges. */
const TOO_FAR = 0.5;

/** Levels the lines of a page, so that printed rows are horizontal: corrects keystone distortion, then page curl. */
export function dewarpLines(lines: readonly OcrTextLine[], size: ImageSize): DewarpedLines {
  const straight = correctKeystone(lines, size);
  const flat = flattenCurl(straight.lines, size);
  return { lines: flat.lines, toInput: (point) => transformPoint(straight.toInput, flat.toInput(point)) };
}

interface KeystoneCorrection {
  readonly lines: readonly OcrTextLine[];
  readonly toInput: Homography;
}

/** Corrects all lines with one homography. */
function correctKeystone(lines: readonly OcrTextLine[], { width, height }: ImageSize): KeystoneCorrection {
  const middle = { x: width / 2, y: height / 2 };
  const found = fitKeystone(lines.flatMap((line) => toKeystoneSample(line, middle)));
  const isFar = !found || Math.abs(found.fan) * middle.x > TOO_FAR;
  if (isFar || Math.abs(found.lean) + Math.abs(found.fan) * middle.y < LEVEL)
    return { lines, toInput: IDENTITY };
  const { lean, fan } = found;
  const level: Homography = [1, 0, 0, -lean, 1, 0, fan, 0, 1];
  const map = compose(translation(middle.x, middle.y), compose(level, translation(-middle.x, -middle.y)));
  return { lines: lines.map((line) => transformLine(line, map)), toInput: invert(map) };
}

function toKeystoneSample({ words, slope }: OcrTextLine, middle: ImagePoint): KeystoneSample[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || slope === undefined) return [];
  const x = (first.box.x0 + last.box.x1) / 2 - middle.x;
  const y = (first.baseline + last.baseline) / 2 - middle.y;
  return [{ x, y, slope, weight: last.box.x1 - first.box.x0 }];
}

/** The height at which the line crosses the vertical center axis. */
const heightOf = ({ x, y, slope }: KeystoneSample): number => y - slope * x;

const residualOf = (line: KeystoneSample, { lean, fan }: KeystoneFit): number =>
  Math.abs(line.slope - lean - fan * heightOf(line));

function fitKeystone(lines: readonly KeystoneSample[]): KeystoneFit | undefined {
  let kept = lines;
  let found: KeystoneFit | undefined;
  for (let round = 0; round < ROUNDS && kept.length >= LEAST_LINES; round += 1) {
    const lean = leastSquares(kept);
    found = lean;
    const offs = lines.map((line) => residualOf(line, lean)).toSorted((a, b) => a - b);
    const allowed = Math.max(NEAR, CLEARLY * (offs[Math.floor(offs.length / 2)] ?? 0));
    kept = lines.filter((line) => residualOf(line, lean) <= allowed);
  }
  return kept.length >= Math.max(LEAST_LINES, MOST * lines.length) ? found : undefined;
}

/** Weighted least squares; the weight of a line is its length. */
function leastSquares(lines: readonly KeystoneSample[]): KeystoneFit {
  const all = lines.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (line: KeystoneSample) => number) =>
    lines.reduce((sum, line) => sum + line.weight * of(line), 0) / all;
  const [height, slope] = [mean(heightOf), mean((line) => line.slope)];
  const spread = mean((line) => (heightOf(line) - height) ** 2);
  const fan = mean((line) => (heightOf(line) - height) * (line.slope - slope)) / (spread || 1);
  return { lean: slope - fan * height, fan };
}

/** Transforms a line, and measures its slope again. */
function transformLine({ words, slope }: OcrTextLine, map: Homography): OcrTextLine {
  const moved = words.map((word) => transformWord(word, map));
  const [first, last] = [words[0], words.at(-1)];
  if (slope === undefined || !first || !last) return { words: moved };
  const from = transformPoint(map, { x: first.box.x0, y: first.baseline });
  const far = last.box.x1 - first.box.x0;
  const to = transformPoint(map, { x: last.box.x1, y: first.baseline + slope * far });
  return { words: moved, slope: (to.y - from.y) / (to.x - from.x) };
}

function transformWord(word: OcrWord, map: Homography): OcrWord {
  const { x0, y0, x1, y1 } = word.box;
  const x = (x0 + x1) / 2;
  const { y: baseline } = transformPoint(map, { x, y: word.baseline });
  const [top, bottom] = [y0, y1].map((y) => transformPoint(map, { x, y }).y);
  const larger = ((bottom ?? y1) - (top ?? y0)) / (y1 - y0 || 1);
  return {
    ...word,
    box: {
      x0: transformPoint(map, { x: x0, y: word.baseline }).x,
      x1: transformPoint(map, { x: x1, y: word.baseline }).x,
      y0: top ?? y0,
      y1: bottom ?? y1,
    },
    baseline,
    fontSize: word.fontSize * larger,
  };
}
