import { type ImagePoint, type Quad } from './geometry.ts';
import { type BrightRegion, MIN_CONTRAST, findBrightRegions, otsuThreshold } from './bright-regions.ts';
import { type GrayImage, boxBlur, resize } from './image.ts';

/** Longer side of the small copy on which sheets are searched. */
const SMALL = 320;
const LEAST_SHARE = 0.25;
const MOST_SHARE = 0.96;
/** Maximum distance of a corner shared by a sheet and its lit part. */
const SAME_CORNER = SMALL / 40;
const LIT_AT_LEAST = 0.55;
const LIT_AT_MOST = 0.94;
const MARGIN = SMALL / 100;

/**
 * Finds sheets of paper on a darker background: the four corners of each, clockwise from the top left. Returns one
 * sheet, or two next to each other; none unless every sheet stands out on all sides and has straight edges.
 */
export function findSheets(image: GrayImage): Quad[] {
  const scale = Math.min(1, SMALL / Math.max(image.width, image.height));
  const small = boxBlur(
    resize(image, { width: Math.round(image.width * scale), height: Math.round(image.height * scale) }),
    2,
  );
  const back = (point: ImagePoint): ImagePoint => ({
    x: (point.x + 0.5) / scale,
    y: (point.y + 0.5) / scale,
  });
  return findWholeSheets(small).map(([p, q, r, t]): Quad => [back(p), back(q), back(r), back(t)]);
}

/**
 * The straight edge of a shadow looks like the side of a sheet. The darker part is therefore searched again, at several
 * levels, because bright spots of the background may touch the sheet.
 */
function findWholeSheets(small: GrayImage): Quad[] {
  const level = otsuThreshold(small.data);
  const sheets = findBrighterThan(small, level);
  const [lit] = sheets;
  if (!lit || sheets.length > 1 || level === undefined) return sheets;
  const darkest = otsuThreshold(small.data.filter((gray) => gray <= level));
  if (darkest === undefined) return sheets;
  const step = (level - darkest) / SHADES;
  const wholes = Array.from({ length: SHADES }, (_, at) =>
    findBrighterThan(small, darkest + at * step),
  ).flatMap(([whole, more]) => (whole && !more && hasLitPart(whole, lit, small) ? [whole] : []));
  const [widest] = wholes.toSorted((a, b) => areaOf(b) - areaOf(a));
  return [widest ?? lit];
}

/** How many levels are tried. */
const SHADES = 10;

/** Whether `lit` is the lit part of `whole`: they share corners, and `whole` ends within the image. */
function hasLitPart(whole: Quad, lit: Quad, { width, height }: GrayImage): boolean {
  const share = areaOf(lit) / areaOf(whole);
  const shared = whole.filter(
    ({ x, y }, at) => Math.hypot(x - (lit[at]?.x ?? 0), y - (lit[at]?.y ?? 0)) < SAME_CORNER,
  );
  const ends = whole.every(
    ({ x, y }) => x > MARGIN && y > MARGIN && x < width - MARGIN && y < height - MARGIN,
  );
  return ends && share < LIT_AT_MOST && share > LIT_AT_LEAST && shared.length >= 2;
}

function findBrighterThan(small: GrayImage, level: number | undefined): Quad[] {
  if (level === undefined) return [];
  const sheets = findBrightRegions(small, level);
  const share = sheets.reduce((sum, { count }) => sum + count, 0) / small.data.length;
  if (share < LEAST_SHARE || share > MOST_SHARE) return [];
  const quads = sheets.map((sheet) => quadOf(sheet, small));
  return quads.every((quad) => quad !== undefined) ? quads : [];
}

function quadOf({ mask, count }: BrightRegion, small: GrayImage): Quad | undefined {
  const sides = fitSides(mask, small);
  const quad = sides && cornersOf(sides);
  if (!quad || !isPlausible(quad, small) || !isDarkerAround(small, quad)) return undefined;
  const covered = count / areaOf(quad);
  return covered < 0.88 || covered > 1.06 ? undefined : quad;
}

/** A straight line as a x + b y = c. */
type LineEquation = readonly [number, number, number];

function fitSides(
  mask: Uint8Array,
  { width, height }: { width: number; height: number },
): readonly [LineEquation, LineEquation, LineEquation, LineEquation] | undefined {
  const at = (x: number, y: number) => mask[y * width + x] === 1;
  const left: ImagePoint[] = [];
  const right: ImagePoint[] = [];
  const top: ImagePoint[] = [];
  const bottom: ImagePoint[] = [];
  for (let y = 0; y < height; y += 1) {
    const row = mask.subarray(y * width, (y + 1) * width);
    const first = row.indexOf(1);
    if (first < 0) continue;
    left.push({ x: first, y });
    right.push({ x: row.lastIndexOf(1), y });
  }
  for (let x = 0; x < width; x += 1) {
    let first = 0;
    while (first < height && !at(x, first)) first += 1;
    if (first === height) continue;
    let last = height - 1;
    while (!at(x, last)) last -= 1;
    top.push({ x, y: first });
    bottom.push({ x, y: last });
  }
  const lines = [
    verticalLine(fitEdge(withoutEnds(left).map(({ x, y }) => [y, x]))),
    horizontalLine(fitEdge(withoutEnds(top).map(({ x, y }) => [x, y]))),
    verticalLine(fitEdge(withoutEnds(right).map(({ x, y }) => [y, x]))),
    horizontalLine(fitEdge(withoutEnds(bottom).map(({ x, y }) => [x, y]))),
  ];
  const [a, b, c, d] = lines;
  return a && b && c && d ? [a, b, c, d] : undefined;
}

const withoutEnds = (points: readonly ImagePoint[]): readonly ImagePoint[] =>
  points.slice(Math.floor(points.length * 0.12), Math.ceil(points.length * 0.88));

interface SheetEdge {
  readonly slope: number;
  readonly start: number;
}
type EdgePoint = readonly [number, number];

/** Maximum distance of a point from its edge, in pixels of the small copy. */
const ON_EDGE = 1.2;
const MOST_OF_SIDE = 0.6;
/** How many points along a side are paired. */
const TRIED = 24;

/** Fits v = slope * u + start through most of the points; undefined if they are not on a line. */
function fitEdge(points: readonly EdgePoint[]): SheetEdge | undefined {
  let line = consensusEdge(points);
  let kept = points;
  for (let round = 0; round < 4 && points.length > 10; round += 1) {
    const off = ([u, v]: EdgePoint) => Math.abs(v - line.slope * u - line.start);
    const sorted = points.map(off).toSorted((a, b) => a - b);
    const allowed = Math.max(ON_EDGE, 2.5 * (sorted[Math.floor(points.length / 2)] ?? 0));
    kept = points.filter((point) => off(point) <= allowed);
    line = leastSquaresEdge(kept);
  }
  return kept.length > points.length * MOST_OF_SIDE ? line : undefined;
}

/** The line through two points that most others are on (consensus), so that a shadow does not bend a side. */
function consensusEdge(points: readonly EdgePoint[]): SheetEdge {
  const step = Math.max(1, Math.floor(points.length / TRIED));
  const ends = points.filter((_, at) => at % step === 0);
  let best = { line: leastSquaresEdge(points), count: 0 };
  for (const [at, [u, v]] of ends.entries())
    for (const [farU, farV] of ends.slice(at + 1)) {
      const slope = (farV - v) / (farU - u || 1);
      const line = { slope, start: v - slope * u };
      const count = points.filter(([x, y]) => Math.abs(y - line.slope * x - line.start) <= ON_EDGE).length;
      if (count > best.count) best = { line, count };
    }
  return best.line;
}

/** Least squares fit. */
function leastSquaresEdge(points: readonly EdgePoint[]): SheetEdge {
  const n = points.length || 1;
  const meanU = points.reduce((sum, [u]) => sum + u, 0) / n;
  const meanV = points.reduce((sum, [, v]) => sum + v, 0) / n;
  const uv = points.reduce((sum, [u, v]) => sum + (u - meanU) * (v - meanV), 0);
  const uu = points.reduce((sum, [u]) => sum + (u - meanU) ** 2, 0);
  const slope = uv / (uu || 1);
  return { slope, start: meanV - slope * meanU };
}

type FittedEdge = ReturnType<typeof fitEdge>;
const horizontalLine = (line: FittedEdge): LineEquation | undefined => line && [-line.slope, 1, line.start];
const verticalLine = (line: FittedEdge): LineEquation | undefined => line && [1, -line.slope, line.start];

function intersection([a, b, c]: LineEquation, [d, e, f]: LineEquation): ImagePoint {
  const det = a * e - b * d;
  return { x: (c * e - b * f) / det, y: (a * f - c * d) / det };
}

const cornersOf = ([left, top, right, bottom]: readonly [
  LineEquation,
  LineEquation,
  LineEquation,
  LineEquation,
]): Quad => [
  intersection(left, top),
  intersection(right, top),
  intersection(right, bottom),
  intersection(left, bottom),
];

function areaOf(quad: Quad): number {
  let sum = 0;
  quad.forEach((point, index) => {
    const next = quad[(index + 1) % 4] ?? point;
    sum += point.x * next.y - next.x * point.y;
  });
  return Math.abs(sum) / 2;
}

/** Whether the corners are in or near the image and opposite sides have similar lengths. */
function isPlausible(quad: Quad, { width, height }: { width: number; height: number }): boolean {
  const inside = quad.every(
    ({ x, y }) => x > -0.06 * width && x < 1.06 * width && y > -0.06 * height && y < 1.06 * height,
  );
  const [top, right, bottom, left] = sideLengths(quad);
  const alike = (a: number, b: number) => Math.min(a, b) / Math.max(a, b) > 0.6;
  return inside && alike(top, bottom) && alike(left, right);
}

export function sideLengths([p, q, r, s]: Quad): readonly [number, number, number, number] {
  const length = (a: ImagePoint, b: ImagePoint) => Math.hypot(a.x - b.x, a.y - b.y);
  return [length(p, q), length(q, r), length(r, s), length(s, p)];
}

/** Whether the image gets clearly darker just outside of at least three sides. */
function isDarkerAround(image: GrayImage, quad: Quad): boolean {
  const centre = {
    x: quad.reduce((sum, { x }) => sum + x, 0) / 4,
    y: quad.reduce((sum, { y }) => sum + y, 0) / 4,
  };
  const sides = quad.map((point, index) => {
    const next = quad[(index + 1) % 4] ?? point;
    let inner = 0;
    let outer = 0;
    let count = 0;
    for (let share = 0.1; share < 0.91; share += 0.05) {
      const on = { x: point.x + (next.x - point.x) * share, y: point.y + (next.y - point.y) * share };
      const far = Math.hypot(centre.x - on.x, centre.y - on.y);
      const step = { x: ((centre.x - on.x) / far) * 6, y: ((centre.y - on.y) / far) * 6 };
      const outside = grayAt(image, on.x - step.x, on.y - step.y);
      if (outside === undefined) continue;
      inner += grayAt(image, on.x + step.x, on.y + step.y) ?? 0;
      outer += outside;
      count += 1;
    }
    return { isSeen: count > 4, drop: (inner - outer) / (count || 1) };
  });
  const seen = sides.filter(({ isSeen }) => isSeen);
  return seen.length >= 3 && seen.every(({ drop }) => drop > MIN_CONTRAST * 0.7);
}

function grayAt({ width, height, data }: GrayImage, x: number, y: number): number | undefined {
  const [column, row] = [Math.round(x), Math.round(y)];
  if (column < 0 || row < 0 || column >= width || row >= height) return undefined;
  return data[row * width + column];
}
