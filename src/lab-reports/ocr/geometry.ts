/**
 * Where a point of one picture lies in another: a projective map, row by row. Points are in pixels (or points), x to
 * the right and y down, pixel (0, 0) being the square from (0, 0) to (1, 1).
 */
export type Matrix = readonly [number, number, number, number, number, number, number, number, number];

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const SAME: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export const scaling = (x: number, y: number): Matrix => [x, 0, 0, 0, y, 0, 0, 0, 1];
export const shift = (x: number, y: number): Matrix => [1, 0, x, 0, 1, y, 0, 0, 1];

/** First `second`, then `first`, as matrices are multiplied. */
export function compose(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f, g, h, i] = first;
  const [j, k, l, m, n, o, p, q, r] = second;
  return [
    a * j + b * m + c * p,
    a * k + b * n + c * q,
    a * l + b * o + c * r,
    d * j + e * m + f * p,
    d * k + e * n + f * q,
    d * l + e * o + f * r,
    g * j + h * m + i * p,
    g * k + h * n + i * q,
    g * l + h * o + i * r,
  ];
}

export function apply([a, b, c, d, e, f, g, h, i]: Matrix, { x, y }: Point): Point {
  const w = g * x + h * y + i;
  return { x: (a * x + b * y + c) / w, y: (d * x + e * y + f) / w };
}

export function invert([a, b, c, d, e, f, g, h, i]: Matrix): Matrix {
  const A = e * i - f * h;
  const B = f * g - d * i;
  const C = d * h - e * g;
  const det = a * A + b * B + c * C;
  if (Math.abs(det) < 1e-12) throw new Error('A flat map has no inverse');
  return [
    A / det,
    (c * h - b * i) / det,
    (b * f - c * e) / det,
    B / det,
    (a * i - c * g) / det,
    (c * d - a * f) / det,
    C / det,
    (b * g - a * h) / det,
    (a * e - b * d) / det,
  ];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture that is taller than so many times its width is a long screen, whose print is as large as on a short one. */
const SCREEN = 2;

/** The longer side, by which one tells how large print is; of a long screen what one sees of it at once. */
export const lengthOf = ({ width, height }: Size): number =>
  Math.max(width, Math.min(height, SCREEN * width));

/**
 * From a picture that was turned clockwise by so many quarters back to the one before, which has this size.
 */
export function unturn(quarters: number, { width, height }: Size): Matrix {
  switch (((quarters % 4) + 4) % 4) {
    case 1:
      return [0, 1, 0, -1, 0, height, 0, 0, 1];
    case 2:
      return [-1, 0, width, 0, -1, height, 0, 0, 1];
    case 3:
      return [0, -1, width, 1, 0, 0, 0, 0, 1];
    default:
      return SAME;
  }
}

export const turnedSize = (quarters: number, { width, height }: Size): Size =>
  quarters % 2 === 0 ? { width, height } : { width: height, height: width };

/** Rotation about the middle by so many degrees, clockwise as seen. */
export function rotation(degrees: number, { width, height }: Size): Matrix {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const turn: Matrix = [cos, -sin, 0, sin, cos, 0, 0, 0, 1];
  return compose(shift(width / 2, height / 2), compose(turn, shift(-width / 2, -height / 2)));
}

/** Four corners, clockwise from the top left one. */
export type Quad = readonly [Point, Point, Point, Point];

/** From a rectangle of this size to the four corners. */
export function rectangleToQuad({ width, height }: Size, [p, q, r, s]: Quad): Matrix {
  const sumX = p.x - q.x + r.x - s.x;
  const sumY = p.y - q.y + r.y - s.y;
  const [dx1, dy1, dx2, dy2] = [q.x - r.x, q.y - r.y, s.x - r.x, s.y - r.y];
  const det = dx1 * dy2 - dx2 * dy1;
  if (Math.abs(det) < 1e-9) throw new Error('Three of the corners lie on a line');
  const g = (sumX * dy2 - dx2 * sumY) / det;
  const h = (dx1 * sumY - sumX * dy1) / det;
  const unit: Matrix = [
    q.x - p.x + g * q.x,
    s.x - p.x + h * s.x,
    p.x,
    q.y - p.y + g * q.y,
    s.y - p.y + h * s.y,
    p.y,
    g,
    h,
    1,
  ];
  return compose(unit, scaling(1 / width, 1 / height));
}
