import type { OcrTextLine } from './engine.ts';
import type { ImagePoint, ImageSize } from './geometry.ts';

/** The deformation of a curled page: how many pixels too low its print is at a point. */
interface PageCurl {
  at(point: ImagePoint): number;
  /** How far a line falls at a point, per pixel to the right. */
  slopeAt(point: ImagePoint): number;
}

interface FlattenedLines {
  readonly lines: readonly OcrTextLine[];
  /** Maps flattened coordinates to those of the input lines. */
  readonly toInput: (point: ImagePoint) => ImagePoint;
}

/** Lines needed for a fit. */
const LEAST_LINES = 24;
const ROUNDS = 4;
/** Lines whose residual exceeds this multiple of the median are outliers. */
const CLEARLY = 2.5;
const NEAR = 0.003;
/** The share of lines, and of their slopes, that the fit must explain. */
const EXPLAINED = 0.6;
/** A correction of less than this share of the font size is not applied. */
const NOTICED = 0.25;
/** A legible page never has a slope above this. */
const TOO_FAR = 0.3;

/**
 * Flattens the lines of a curled page, if a single bend from left to right explains their slopes, so that the name and
 * the value of a row are level again. Robust least squares: fits the curl, drops outliers, and repeats.
 */
export function flattenCurl(lines: readonly OcrTextLine[], size: ImageSize): FlattenedLines {
  const same: FlattenedLines = { lines, toInput: (point) => point };
  const leaning = lines.flatMap(toCurlSample);
  const curl = leaning.length < LEAST_LINES ? undefined : fitCurl(leaning, size);
  if (!curl || !isNoticed(curl, lines, size)) return same;
  return {
    lines: lines.map((line) => moveLine(line, curl)),
    toInput: ({ x, y }) => {
      const near = y + curl.at({ x, y });
      return { x, y: y + curl.at({ x, y: near }) };
    },
  };
}

interface CurlSample extends ImagePoint {
  readonly slope: number;
  readonly weight: number;
}

function toCurlSample({ words, slope }: OcrTextLine): CurlSample[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || slope === undefined) return [];
  const [from, to] = [first.box.x0, last.box.x1];
  return [{ x: (from + to) / 2, y: (first.baseline + last.baseline) / 2, slope, weight: to - from }];
}

function fitCurl(lines: readonly CurlSample[], size: ImageSize): PageCurl | undefined {
  let kept = lines;
  let curl: PageCurl | undefined;
  for (let round = 0; round < ROUNDS && kept.length >= LEAST_LINES; round += 1) {
    const found = leastSquares(kept, size);
    if (!found) return undefined;
    curl = found;
    const offs = lines.map((line) => residualOf(line, found)).toSorted((a, b) => a - b);
    const allowed = Math.max(NEAR, CLEARLY * (offs[Math.floor(offs.length / 2)] ?? 0));
    kept = lines.filter((line) => residualOf(line, found) <= allowed);
  }
  if (!curl || kept.length < Math.max(LEAST_LINES, EXPLAINED * lines.length)) return undefined;
  const bend = curl;
  const sum = (of: (line: CurlSample) => number) =>
    lines.reduce((total, line) => total + line.weight * Math.min(of(line), TOO_FAR), 0);
  const isExplained = sum((line) => residualOf(line, bend)) < EXPLAINED * sum(({ slope }) => Math.abs(slope));
  return isExplained && lines.every((line) => Math.abs(bend.slopeAt(line)) < TOO_FAR) ? bend : undefined;
}

const residualOf = (line: CurlSample, curl: PageCurl): number => Math.abs(line.slope - curl.slopeAt(line));

/** The model terms: slope at (x, y), and its integral over x. Coordinates run from -1 to 1 across the page. */
const TERMS: readonly { lean: (x: number, y: number) => number; fall: (x: number, y: number) => number }[] = [
  { lean: () => 1, fall: (x) => x },
  { lean: (_, y) => y, fall: (x, y) => x * y },
  { lean: (x) => x, fall: (x) => x ** 2 / 2 },
  { lean: (x, y) => x * y, fall: (x, y) => (x ** 2 * y) / 2 },
  { lean: (x) => x ** 2, fall: (x) => x ** 3 / 3 },
];

/** Weighted least squares; the weight of a line is its length. */
function leastSquares(lines: readonly CurlSample[], { width, height }: ImageSize): PageCurl | undefined {
  const [halfWide, halfHigh] = [width / 2, height / 2];
  const share = ({ x, y }: ImagePoint) => [x / halfWide - 1, y / halfHigh - 1] as const;
  const rows = TERMS.map(() => [...TERMS.map(() => 0), 0]);
  for (const line of lines) {
    const terms = TERMS.map(({ lean }) => lean(...share(line)));
    rows.forEach((row, at) => {
      const weighted = line.weight * (terms[at] ?? 0);
      [...terms, line.slope].forEach((term, column) => (row[column] = (row[column] ?? 0) + weighted * term));
    });
  }
  const factors = solveLinear(rows);
  if (!factors) return undefined;
  const all = (of: (term: (typeof TERMS)[number]) => number): number =>
    TERMS.reduce((sum, term, at) => sum + (factors[at] ?? 0) * of(term), 0);
  return {
    at: (point) => halfWide * all(({ fall }) => fall(...share(point))),
    slopeAt: (point) => all(({ lean }) => lean(...share(point))),
  };
}

/** Solves a linear system by Gaussian elimination; the last column is the right side. Undefined if it is singular. */
function solveLinear(given: readonly (readonly number[])[]): number[] | undefined {
  const rows = given.map((row) => [...row]);
  for (let at = 0; at < rows.length; at += 1) {
    const best = rows.slice(at).toSorted((a, b) => Math.abs(b[at] ?? 0) - Math.abs(a[at] ?? 0))[0];
    const most = best?.[at] ?? 0;
    if (!best || Math.abs(most) < 1e-9) return undefined;
    rows.splice(rows.indexOf(best), 1);
    rows.splice(at, 0, best);
    for (const row of rows) {
      if (row === best) continue;
      const share = (row[at] ?? 0) / most;
      best.forEach((number, column) => (row[column] = (row[column] ?? 0) - share * number));
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1));
}

/** Whether the correction is large enough to matter. */
function isNoticed(curl: PageCurl, lines: readonly OcrTextLine[], { height }: ImageSize): boolean {
  const words = lines.flatMap((line) => line.words);
  const sizes = words.map(({ fontSize }) => fontSize).toSorted((a, b) => a - b);
  const falls = words.map(({ box }) => curl.at({ x: (box.x0 + box.x1) / 2, y: height / 2 }));
  const [least, most] = falls.reduce(
    ([low, high], fall) => [Math.min(low, fall), Math.max(high, fall)],
    [0, 0],
  );
  return most - least > NOTICED * (sizes[Math.floor(sizes.length / 2)] ?? 0);
}

function moveLine({ words, slope }: OcrTextLine, curl: PageCurl): OcrTextLine {
  const [first, last] = [words[0], words.at(-1)];
  const put = words.map((word) => {
    const { x0, x1, y0, y1 } = word.box;
    const by = curl.at({ x: (x0 + x1) / 2, y: word.baseline });
    return { ...word, box: { x0, x1, y0: y0 - by, y1: y1 - by }, baseline: word.baseline - by };
  });
  if (slope === undefined || !first || !last) return { words: put };
  const middle = { x: (first.box.x0 + last.box.x1) / 2, y: first.baseline };
  return { words: put, slope: slope - curl.slopeAt(middle) };
}
