import type { GrayImage } from '../image.ts';

/** A rectangle of a strip, in columns and rows. */
export interface StripArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The extent of the ink in one row, as shares of the width of the shape; `solid` is the inked share of that extent. */
interface InkExtent {
  readonly wide: number;
  readonly middle: number;
  readonly solid: number;
  /** Whether there is ink in the middle of the shape. */
  readonly hasAxis: boolean;
}

const OFF_MIDDLE = 0.16;
/** The columns, as shares of the width, that the stem of an arrow fills from end to end; a 9 has its hole there. */
const AXIS = { from: 0.35, to: 0.65 };
/** Maximum spread of the row centers: an arrow is symmetric, a 4 is not. */
const LEAN = 0.14;
const STEM = 0.58;

/**
 * Detects an arrow or triangle in an area. The recognizer reads the arrow that flags a value as a digit, so shapes are
 * checked before letters. Strict: rejects 1, 4, T and plus.
 */
export function detectArrow(
  strip: GrayImage,
  level: number,
  area: StripArea,
): '↑' | '↓' | '▲' | '▼' | undefined {
  const width = area.right - area.left;
  const height = area.bottom - area.top;
  if (height < 12 || width < 0.28 * height || width > 1.35 * height) return undefined;
  const rows = measureExtents(strip, level, area);
  if (rows.some(({ wide }) => wide === 0)) return undefined;
  if (rows.some(({ middle }) => Math.abs(middle - 0.5) > OFF_MIDDLE) || spreadOfMiddles(rows) > LEAN)
    return undefined;
  const turned = rows.toReversed();
  if (isSymmetric(rows, turned)) return undefined;
  if (isTriangle(rows)) return '▲';
  if (isTriangle(turned)) return '▼';
  if (isArrow(rows)) return '↑';
  return isArrow(turned) ? '↓' : undefined;
}

function measureExtents(
  { width, data }: GrayImage,
  level: number,
  { left, right, top, bottom }: StripArea,
): InkExtent[] {
  return Array.from({ length: bottom - top }, (_, row) => {
    let [first, last, count] = [right, left, 0];
    let hasAxis = false;
    for (let x = left; x < right; x += 1) {
      if ((data[(top + row) * width + x] ?? 0) >= level) continue;
      first = Math.min(first, x);
      last = Math.max(last, x + 1);
      count += 1;
      const across = (x + 0.5 - left) / (right - left);
      hasAxis ||= across > AXIS.from && across < AXIS.to;
    }
    const wide = Math.max(0, last - first);
    return {
      wide: wide / (right - left),
      middle: ((first + last) / 2 - left) / (right - left),
      solid: count / Math.max(1, wide),
      hasAxis,
    };
  });
}

/** The spread of the row centers, without the outermost 10% on each side. */
function spreadOfMiddles(rows: readonly InkExtent[]): number {
  const middles = rows.map(({ middle }) => middle).toSorted((a, b) => a - b);
  const cut = Math.floor(rows.length / 10);
  return (middles.at(-1 - cut) ?? 0) - (middles[cut] ?? 0);
}

const ALIKE = 0.1;

/** Whether the shape is the same upside down, as a blurred plus; an arrow is not. */
function isSymmetric(rows: readonly InkExtent[], turned: readonly InkExtent[]): boolean {
  const apart = rows.reduce((sum, { wide }, row) => sum + Math.abs(wide - (turned[row]?.wide ?? 0)), 0);
  return apart < ALIKE * rows.length;
}

const widthAt = (rows: readonly InkExtent[], share: number): number =>
  rows[Math.min(rows.length - 1, Math.floor(share * rows.length))]?.wide ?? 0;

/** Limits that reject a star, whose legs run together in small print and are wide from the first row. */
const POINTED = 0.6;
const ONE_STROKE = 0.85;

/** Pointed at the top, wider down to the barbs, then a stem to the end. */
function isArrow(rows: readonly InkExtent[]): boolean {
  const widest = rows.reduce(
    (best, { wide }, row) => (wide > (rows[best]?.wide ?? 0) + 0.01 ? row : best),
    0,
  );
  const barbs = widest / rows.length;
  if (barbs < 0.15 || barbs > 0.62 || widthAt(rows, 0) > POINTED || widthAt(rows, barbs / 4) > POINTED)
    return false;
  if ((rows[0]?.solid ?? 0) < ONE_STROKE || rows.some(({ hasAxis }) => !hasAxis)) return false;
  const halfway = widthAt(rows, barbs / 2);
  const below = rows.slice(Math.ceil(rows.length * Math.max(0.66, barbs + 0.15)));
  return (
    halfway > 0.36 &&
    halfway < 0.9 &&
    halfway > widthAt(rows, 0) + 0.08 &&
    below.length > 2 &&
    below.every(({ wide }) => wide < STEM)
  );
}

/** Pointed at the top, full width at the bottom, and solid. */
function isTriangle(rows: readonly InkExtent[]): boolean {
  return (
    rows.every(({ solid }) => solid > 0.88) &&
    widthAt(rows, 0) < 0.4 &&
    widthAt(rows, 0.93) > 0.8 &&
    Math.abs(widthAt(rows, 0.5) - 0.55) < 0.2 &&
    widthAt(rows, 0.25) < widthAt(rows, 0.5) &&
    widthAt(rows, 0.5) < widthAt(rows, 0.75)
  );
}
