import type { GrayImage } from '../image.ts';

/** Columns and rows of a strip. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** How far the ink of one row reaches, as shares of the width of the shape; `solid` is how much of that is ink. */
interface Reach {
  readonly wide: number;
  readonly middle: number;
  readonly solid: number;
  /** Whether there is ink in the middle of the shape. */
  readonly hasAxis: boolean;
}

const OFF_MIDDLE = 0.16;
/** The stem of an arrow runs through these columns from end to end, and the hole of a 9 lies there. */
const AXIS = { from: 0.35, to: 0.65 };
/** The middle of most rows stays within so much of the width: both sides of an arrow are alike, those of a 4 are not. */
const LEAN = 0.14;
const STEM = 0.58;

/**
 * The arrow or triangle that the ink in an area has the shape of. A recogniser takes the arrow that flags a value
 * for a digit of it, so shapes are looked at before letters. Strict: a 1, a 4, a T or a plus is none.
 */
export function arrowIn(strip: GrayImage, level: number, area: Area): '↑' | '↓' | '▲' | '▼' | undefined {
  const width = area.right - area.left;
  const height = area.bottom - area.top;
  if (height < 12 || width < 0.28 * height || width > 1.35 * height) return undefined;
  const rows = reachOf(strip, level, area);
  if (rows.some(({ wide }) => wide === 0)) return undefined;
  if (rows.some(({ middle }) => Math.abs(middle - 0.5) > OFF_MIDDLE) || leanOf(rows) > LEAN) return undefined;
  const turned = rows.toReversed();
  if (isAlike(rows, turned)) return undefined;
  if (isTriangle(rows)) return '▲';
  if (isTriangle(turned)) return '▼';
  if (isArrow(rows)) return '↑';
  return isArrow(turned) ? '↓' : undefined;
}

function reachOf({ width, data }: GrayImage, level: number, { left, right, top, bottom }: Area): Reach[] {
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

/** How far the middles of the rows lie apart, but for the outermost. */
function leanOf(rows: readonly Reach[]): number {
  const middles = rows.map(({ middle }) => middle).toSorted((a, b) => a - b);
  const cut = Math.floor(rows.length / 10);
  return (middles.at(-1 - cut) ?? 0) - (middles[cut] ?? 0);
}

const ALIKE = 0.1;

/** A plus whose corners are blurred narrows to both ends, as no arrow does. */
function isAlike(rows: readonly Reach[], turned: readonly Reach[]): boolean {
  const apart = rows.reduce((sum, { wide }, row) => sum + Math.abs(wide - (turned[row]?.wide ?? 0)), 0);
  return apart < ALIKE * rows.length;
}

const at = (rows: readonly Reach[], share: number): number =>
  rows[Math.min(rows.length - 1, Math.floor(share * rows.length))]?.wide ?? 0;

/** A star stands on two legs, which small print runs together: they are wide from the first row. */
const POINTED = 0.6;
const ONE_STROKE = 0.85;

/** Pointed above, then ever wider to the point of the barbs, then a stem to the end. */
function isArrow(rows: readonly Reach[]): boolean {
  const widest = rows.reduce(
    (best, { wide }, row) => (wide > (rows[best]?.wide ?? 0) + 0.01 ? row : best),
    0,
  );
  const barbs = widest / rows.length;
  if (barbs < 0.15 || barbs > 0.62 || at(rows, 0) > POINTED || at(rows, barbs / 4) > POINTED) return false;
  if ((rows[0]?.solid ?? 0) < ONE_STROKE || rows.some(({ hasAxis }) => !hasAxis)) return false;
  const halfway = at(rows, barbs / 2);
  const below = rows.slice(Math.ceil(rows.length * Math.max(0.66, barbs + 0.15)));
  return (
    halfway > 0.36 &&
    halfway < 0.9 &&
    halfway > at(rows, 0) + 0.08 &&
    below.length > 2 &&
    below.every(({ wide }) => wide < STEM)
  );
}

/** Pointed above, as wide as can be below, and ink all through. */
function isTriangle(rows: readonly Reach[]): boolean {
  return (
    rows.every(({ solid }) => solid > 0.88) &&
    at(rows, 0) < 0.4 &&
    at(rows, 0.93) > 0.8 &&
    Math.abs(at(rows, 0.5) - 0.55) < 0.2 &&
    at(rows, 0.25) < at(rows, 0.5) &&
    at(rows, 0.5) < at(rows, 0.75)
  );
}
