/**
 * A homography between two images: a 3x3 matrix in row-major order. Coordinates are in pixels (or PDF points), x to the
 * right and y down; pixel (0, 0) is the square from (0, 0) to (1, 1).
 */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

export interface ImagePoint {
  readonly x: number;
  readonly y: number;
}

export const IDENTITY: Homography = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export const scaling = (x: number, y: number): Homography => [x, 0, 0, 0, y, 0, 0, 0, 1];
export const translation = (x: number, y: number): Homography => [1, 0, x, 0, 1, y, 0, 0, 1];

/** The matrix product: applies `second` first, then `first`. */
export function compose(first: Homography, second: Homography): Homography {
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

export function transformPoint([a, b, c, d, e, f, g, h, i]: Homography, { x, y }: ImagePoint): ImagePoint {
  const w = g * x + h * y + i;
  return { x: (a * x + b * y + c) / w, y: (d * x + e * y + f) / w };
}

export function invert([a, b, c, d, e, f, g, h, i]: Homography): Homography {
  const A = e * i - f * h;
  const B = f * g - d * i;
  const C = d * h - e * g;
  const det = a * A + b * B + c * C;
  if (Math.abs(det) < 1e-12) throw new Error('The homography has no inverse');
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

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** An image taller than this multiple of its width is a long screenshot, with print as large as on a short one. */
const SCREEN_RATIO = 2;

/** The longer side, from which the print size is estimated; of a long screenshot, one screen of it. */
export const readableLength = ({ width, height }: ImageSize): number =>
  Math.max(width, Math.min(height, SCREEN_RATIO * width));

/** Maps an image that was turned clockwise by quarter turns back to the original, which has this size. */
export function undoTurn(quarters: number, { width, height }: ImageSize): Homography {
  switch (((quarters % 4) + 4) % 4) {
    case 1:
      return [0, 1, 0, -1, 0, height, 0, 0, 1];
    case 2:
      return [-1, 0, width, 0, -1, height, 0, 0, 1];
    case 3:
      return [0, -1, width, 1, 0, 0, 0, 0, 1];
    default:
      return IDENTITY;
  }
}

export const turnedSize = (quarters: number, { width, height }: ImageSize): ImageSize =>
  quarters % 2 === 0 ? { width, height } : { width: height, height: width };

/** Rotation about the center, in degrees clockwise. */
export function rotation(degrees: number, { width, height }: ImageSize): Homography {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const turn: Homography = [cos, -sin, 0, sin, cos, 0, 0, 0, 1];
  return compose(translation(width / 2, height / 2), compose(turn, translation(-width / 2, -height / 2)));
}

/** Four corners, clockwise from the top left one. */
export type Quad = readonly [ImagePoint, ImagePoint, ImagePoint, ImagePoint];

/** Maps a rectangle of this size to the four corners. */
export function rectangleToQuad({ width, height }: ImageSize, [p, q, r, s]: Quad): Homography {
  const sumX = p.x - q.x + r.x - s.x;
  const sumY = p.y - q.y + r.y - s.y;
  const [dx1, dy1, dx2, dy2] = [q.x - r.x, q.y - r.y, s.x - r.x, s.y - r.y];
  const det = dx1 * dy2 - dx2 * dy1;
  if (Math.abs(det) < 1e-9) throw new Error('Three of the corners are collinear');
  const g = (sumX * dy2 - dx2 * sumY) / det;
  const h = (dx1 * sumY - sumX * dy1) / det;
  const unit: Homography = [
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
