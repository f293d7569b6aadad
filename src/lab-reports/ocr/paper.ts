import { type Point, type Quad } from './geometry.ts';
import { type Bright, LEAST_CONTRAST, largestBright, parting } from './bright.ts';
import { type GrayImage, boxBlur, resize } from './image.ts';

/** Longer side of the small copy on which the sheet is looked for. */
const SMALL = 320;
const LEAST_SHARE = 0.25;
const MOST_SHARE = 0.96;
/** A sheet without what lies in the shadow has the corners of the light side where the whole one has them, or so near. */
const SAME_CORNER = SMALL / 40;
const LIT_AT_LEAST = 0.55;
const LIT_AT_MOST = 0.94;
const MARGIN = SMALL / 100;

/**
 * The four corners of each sheet of paper that lies on something darker, clockwise from its top left: one, or two
 * beside each other. None unless all of them stand out all around and their sides are straight.
 */
export function sheetsOf(image: GrayImage): Quad[] {
  const scale = Math.min(1, SMALL / Math.max(image.width, image.height));
  const small = boxBlur(
    resize(image, { width: Math.round(image.width * scale), height: Math.round(image.height * scale) }),
    2,
  );
  const back = (point: Point): Point => ({ x: (point.x + 0.5) / scale, y: (point.y + 0.5) / scale });
  return wholeSheets(small).map(([p, q, r, t]): Quad => [back(p), back(q), back(r), back(t)]);
}

/**
 * A shadow with a straight edge parts a sheet as a side of it does. So the darker part is looked at once more, at several
 * levels, since what the sheet lies on may have bright spots that touch it.
 */
function wholeSheets(small: GrayImage): Quad[] {
  const level = parting(small.data);
  const sheets = brighterThan(small, level);
  const [lit] = sheets;
  if (!lit || sheets.length > 1 || level === undefined) return sheets;
  const darkest = parting(small.data.filter((gray) => gray <= level));
  if (darkest === undefined) return sheets;
  const step = (level - darkest) / SHADES;
  const wholes = Array.from({ length: SHADES }, (_, at) => brighterThan(small, darkest + at * step)).flatMap(
    ([whole, more]) => (whole && !more && isLitPartOf(whole, lit, small) ? [whole] : []),
  );
  const [widest] = wholes.toSorted((a, b) => areaOf(b) - areaOf(a));
  return [widest ?? lit];
}

/** So many levels are tried. */
const SHADES = 10;

/** Both have the corners on the light side, and the whole one ends within the picture; a blurred edge makes less difference. */
function isLitPartOf(whole: Quad, lit: Quad, { width, height }: GrayImage): boolean {
  const share = areaOf(lit) / areaOf(whole);
  const shared = whole.filter(
    ({ x, y }, at) => Math.hypot(x - (lit[at]?.x ?? 0), y - (lit[at]?.y ?? 0)) < SAME_CORNER,
  );
  const ends = whole.every(
    ({ x, y }) => x > MARGIN && y > MARGIN && x < width - MARGIN && y < height - MARGIN,
  );
  return ends && share < LIT_AT_MOST && share > LIT_AT_LEAST && shared.length >= 2;
}

function brighterThan(small: GrayImage, level: number | undefined): Quad[] {
  if (level === undefined) return [];
  const sheets = largestBright(small, level);
  const share = sheets.reduce((sum, { count }) => sum + count, 0) / small.data.length;
  if (share < LEAST_SHARE || share > MOST_SHARE) return [];
  const quads = sheets.map((sheet) => quadOf(sheet, small));
  return quads.every((quad) => quad !== undefined) ? quads : [];
}

function quadOf({ mask, count }: Bright, small: GrayImage): Quad | undefined {
  const sides = sidesOf(mask, small);
  const quad = sides && cornersOf(sides);
  if (!quad || !isPlausible(quad, small) || !standsOut(small, quad)) return undefined;
  const covered = count / areaOf(quad);
  return covered < 0.88 || covered > 1.06 ? undefined : quad;
}

/** A straight line as a x + b y = c. */
type Line = readonly [number, number, number];

function sidesOf(
  mask: Uint8Array,
  { width, height }: { width: number; height: number },
): readonly [Line, Line, Line, Line] | undefined {
  const at = (x: number, y: number) => mask[y * width + x] === 1;
  const left: Point[] = [];
  const right: Point[] = [];
  const top: Point[] = [];
  const bottom: Point[] = [];
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
    upright(fit(middle(left).map(({ x, y }) => [y, x]))),
    level(fit(middle(top).map(({ x, y }) => [x, y]))),
    upright(fit(middle(right).map(({ x, y }) => [y, x]))),
    level(fit(middle(bottom).map(({ x, y }) => [x, y]))),
  ];
  const [a, b, c, d] = lines;
  return a && b && c && d ? [a, b, c, d] : undefined;
}

const middle = (points: readonly Point[]): readonly Point[] =>
  points.slice(Math.floor(points.length * 0.12), Math.ceil(points.length * 0.88));

interface Edge {
  readonly slope: number;
  readonly start: number;
}
type OnEdge = readonly [number, number];

/** So far off a point may be and still be on the edge, in pixels of the small copy. */
const ON_EDGE = 1.2;
const MOST_OF_SIDE = 0.6;
/** Of so many places along a side any two are tried. */
const TRIED = 24;

/** v = slope u + start, through most of the points; undefined where they are not on a line. */
function fit(points: readonly OnEdge[]): Edge | undefined {
  let line = likeliest(points);
  let kept = points;
  for (let round = 0; round < 4 && points.length > 10; round += 1) {
    const off = ([u, v]: OnEdge) => Math.abs(v - line.slope * u - line.start);
    const sorted = points.map(off).toSorted((a, b) => a - b);
    const allowed = Math.max(ON_EDGE, 2.5 * (sorted[Math.floor(points.length / 2)] ?? 0));
    kept = points.filter((point) => off(point) <= allowed);
    line = through(kept);
  }
  return kept.length > points.length * MOST_OF_SIDE ? line : undefined;
}

/** The line through two of the points that most others are on: a shadow on the sheet bends no side of it. */
function likeliest(points: readonly OnEdge[]): Edge {
  const step = Math.max(1, Math.floor(points.length / TRIED));
  const ends = points.filter((_, at) => at % step === 0);
  let best = { line: through(points), count: 0 };
  for (const [at, [u, v]] of ends.entries())
    for (const [farU, farV] of ends.slice(at + 1)) {
      const slope = (farV - v) / (farU - u || 1);
      const line = { slope, start: v - slope * u };
      const count = points.filter(([x, y]) => Math.abs(y - line.slope * x - line.start) <= ON_EDGE).length;
      if (count > best.count) best = { line, count };
    }
  return best.line;
}

/** By least squares. */
function through(points: readonly OnEdge[]): Edge {
  const n = points.length || 1;
  const meanU = points.reduce((sum, [u]) => sum + u, 0) / n;
  const meanV = points.reduce((sum, [, v]) => sum + v, 0) / n;
  const uv = points.reduce((sum, [u, v]) => sum + (u - meanU) * (v - meanV), 0);
  const uu = points.reduce((sum, [u]) => sum + (u - meanU) ** 2, 0);
  const slope = uv / (uu || 1);
  return { slope, start: meanV - slope * meanU };
}

type Fit = ReturnType<typeof fit>;
const level = (line: Fit): Line | undefined => line && [-line.slope, 1, line.start];
const upright = (line: Fit): Line | undefined => line && [1, -line.slope, line.start];

function crossing([a, b, c]: Line, [d, e, f]: Line): Point {
  const det = a * e - b * d;
  return { x: (c * e - b * f) / det, y: (a * f - c * d) / det };
}

const cornersOf = ([left, top, right, bottom]: readonly [Line, Line, Line, Line]): Quad => [
  crossing(left, top),
  crossing(right, top),
  crossing(right, bottom),
  crossing(left, bottom),
];

export function areaOf(quad: Quad): number {
  let sum = 0;
  quad.forEach((point, index) => {
    const next = quad[(index + 1) % 4] ?? point;
    sum += point.x * next.y - next.x * point.y;
  });
  return Math.abs(sum) / 2;
}

/** Corners not far outside the picture, opposite sides of like length. */
function isPlausible(quad: Quad, { width, height }: { width: number; height: number }): boolean {
  const inside = quad.every(
    ({ x, y }) => x > -0.06 * width && x < 1.06 * width && y > -0.06 * height && y < 1.06 * height,
  );
  const [top, right, bottom, left] = sideLengths(quad);
  const alike = (a: number, b: number) => Math.min(a, b) / Math.max(a, b) > 0.6;
  return inside && alike(top, bottom) && alike(left, right);
}

export function sideLengths([p, q, r, s]: Quad): readonly [number, number, number, number] {
  const length = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);
  return [length(p, q), length(q, r), length(r, s), length(s, p)];
}

/** Whether the picture gets clearly darker within a few steps over at least three of the sides. */
function standsOut(image: GrayImage, quad: Quad): boolean {
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
  return seen.length >= 3 && seen.every(({ drop }) => drop > LEAST_CONTRAST * 0.7);
}

function grayAt({ width, height, data }: GrayImage, x: number, y: number): number | undefined {
  const [column, row] = [Math.round(x), Math.round(y)];
  if (column < 0 || row < 0 || column >= width || row >= height) return undefined;
  return data[row * width + column];
}
