import type { Homography, ImageSize } from './geometry.ts';

/** A grayscale image: one byte per pixel, rows from the top; 0 is black. */
export interface GrayImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export const WHITE = 255;

export const blankImage = ({ width, height }: ImageSize): GrayImage => ({
  width,
  height,
  data: new Uint8Array(width * height).fill(WHITE),
});

/** Converts RGBA pixels to gray; the alpha channel is ignored. */
export function toGray(pixels: Uint8Array | Uint8ClampedArray, { width, height }: ImageSize): GrayImage {
  const data = new Uint8Array(width * height);
  for (let i = 0, j = 0; i < data.length; i += 1, j += 4) {
    data[i] = (77 * (pixels[j] ?? 0) + 150 * (pixels[j + 1] ?? 0) + 29 * (pixels[j + 2] ?? 0) + 128) >> 8;
  }
  return { width, height, data };
}

interface ResampleTaps {
  readonly from: Int32Array;
  readonly count: number;
  readonly weights: Float32Array;
}

/** The source pixels and weights of each target pixel: a triangle filter as wide as the larger of the two pixels. */
function computeTaps(old: number, fresh: number): ResampleTaps {
  const ratio = old / fresh;
  const reach = Math.max(1, ratio);
  const count = Math.ceil(reach * 2) + 1;
  const from = new Int32Array(fresh);
  const weights = new Float32Array(fresh * count);
  for (let i = 0; i < fresh; i += 1) {
    const middle = (i + 0.5) * ratio - 0.5;
    const first = Math.ceil(middle - reach);
    from[i] = first;
    let sum = 0;
    for (let k = 0; k < count; k += 1) sum += Math.max(0, 1 - Math.abs(first + k - middle) / reach);
    for (let k = 0; k < count; k += 1) {
      weights[i * count + k] = Math.max(0, 1 - Math.abs(first + k - middle) / reach) / sum;
    }
  }
  return { from, count, weights };
}

/** Resizes an image; each target pixel is the weighted mean of the source pixels under it. */
export function resize(image: GrayImage, size: ImageSize): GrayImage {
  if (size.width === image.width && size.height === image.height) return image;
  return resizeDown(resizeAcross(image, size.width), size.height);
}

function resizeAcross({ width: old, height, data }: GrayImage, width: number): GrayImage {
  const { from, count, weights } = computeTaps(old, width);
  const out = new Uint8Array(width * height);
  const row = new Float32Array(old + 2 * count);
  for (let y = 0; y < height; y += 1) {
    // Pad with the edge pixels, so that no tap is out of range.
    row.set(data.subarray(y * old, (y + 1) * old), count);
    row.fill(row[count] ?? 0, 0, count);
    row.fill(row[count + old - 1] ?? 0, count + old);
    for (let x = 0; x < width; x += 1) {
      const first = (from[x] ?? 0) + count;
      const tap = x * count;
      let sum = 0.5;
      for (let k = 0; k < count; k += 1) sum += (weights[tap + k] ?? 0) * (row[first + k] ?? 0);
      out[y * width + x] = sum;
    }
  }
  return { width, height, data: out };
}

function resizeDown({ width, height: old, data }: GrayImage, height: number): GrayImage {
  const { from, count, weights } = computeTaps(old, height);
  const out = new Uint8Array(width * height);
  const sums = new Float32Array(width);
  for (let y = 0; y < height; y += 1) {
    sums.fill(0.5);
    for (let k = 0; k < count; k += 1) {
      const weight = weights[y * count + k] ?? 0;
      if (weight === 0) continue;
      const row = Math.min(old - 1, Math.max(0, (from[y] ?? 0) + k)) * width;
      for (let x = 0; x < width; x += 1) sums[x] = (sums[x] ?? 0) + weight * (data[row + x] ?? 0);
    }
    for (let x = 0; x < width; x += 1) out[y * width + x] = sums[x] ?? 0;
  }
  return { width, height, data: out };
}

/** Warps an image by a homography from target to source, with bilinear sampling. White outside the source. */
export function warp(image: GrayImage, toOld: Homography, size: ImageSize): GrayImage {
  const out = blankImage(size);
  const { width, height, data } = image;
  const [a, b, c, d, e, f, g, h, i] = toOld;
  for (let y = 0; y < size.height; y += 1) {
    const v = y + 0.5;
    const [fromU, fromV, fromW] = [b * v + c, e * v + f, h * v + i];
    for (let x = 0; x < size.width; x += 1) {
      const u = x + 0.5;
      const w = 1 / (g * u + fromW);
      const atX = (a * u + fromU) * w - 0.5;
      const atY = (d * u + fromV) * w - 0.5;
      const to = y * size.width + x;
      if (!(atX >= 0 && atY >= 0 && atX < width - 1 && atY < height - 1)) {
        out.data[to] = sampleBilinear(image, atX, atY);
        continue;
      }
      // Inlined bilinear sampling for pixels that are not at the edge, which are almost all.
      const left = atX | 0;
      const up = atY | 0;
      const at = up * width + left;
      const fx = atX - left;
      const top = (data[at] ?? 0) + ((data[at + 1] ?? 0) - (data[at] ?? 0)) * fx;
      const low = data[at + width] ?? 0;
      const bottom = low + ((data[at + width + 1] ?? 0) - low) * fx;
      out.data[to] = top + (bottom - top) * (atY - up) + 0.5;
    }
  }
  return out;
}

/** The bilinear gray at a point, relative to the pixel centers. */
export function sampleBilinear({ width, height, data }: GrayImage, x: number, y: number): number {
  if (!(x > -1 && y > -1 && x < width && y < height)) return WHITE;
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const left = x0 < 0 ? 0 : x0;
  const right = x0 + 1 < width ? x0 + 1 : width - 1;
  const upper = (y0 < 0 ? 0 : y0) * width;
  const lower = (y0 + 1 < height ? y0 + 1 : height - 1) * width;
  const fx = x - x0;
  const fy = y - y0;
  const top = (data[upper + left] ?? 0) * (1 - fx) + (data[upper + right] ?? 0) * fx;
  const bottom = (data[lower + left] ?? 0) * (1 - fx) + (data[lower + right] ?? 0) * fx;
  return top * (1 - fy) + bottom * fy + 0.5;
}

/** Box blur with a square of 2 * radius + 1 pixels; cost is independent of the radius. */
export function boxBlur({ width, height, data }: GrayImage, radius: number): GrayImage {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x] ?? 0;
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + row;
    }
  }
  const out = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const top = Math.max(0, y - radius) * (width + 1);
    const bottom = Math.min(height, y + radius + 1) * (width + 1);
    const tall = (bottom - top) / (width + 1);
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - radius);
      const right = Math.min(width, x + radius + 1);
      const sum =
        (sums[bottom + right] ?? 0) -
        (sums[top + right] ?? 0) -
        (sums[bottom + left] ?? 0) +
        (sums[top + left] ?? 0);
      out[y * width + x] = sum / (tall * (right - left));
    }
  }
  return { width, height, data: out };
}

/** Larger images are sampled. */
const ENOUGH = 300_000;

/** The gray below which this share of the pixels is. */
export function quantile({ data }: GrayImage, share: number): number {
  const counts = new Uint32Array(256);
  // An odd step, so that the samples do not fall into a few columns.
  const step = Math.ceil(data.length / ENOUGH) | 1;
  for (let at = 0; at < data.length; at += step) counts[data[at] ?? 0] = (counts[data[at] ?? 0] ?? 0) + 1;
  let left = (share * data.length) / step;
  for (let gray = 0; gray < 256; gray += 1) {
    left -= counts[gray] ?? 0;
    if (left < 0) return gray;
  }
  return WHITE;
}

/** A 3x3 Gaussian blur, which removes the grain of a scan but no letter. */
export function soften(image: GrayImage): GrayImage {
  const { width, height, data } = image;
  const across = new Uint16Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    for (let x = 0; x < width; x += 1) {
      const left = data[row + Math.max(0, x - 1)] ?? 0;
      const right = data[row + Math.min(width - 1, x + 1)] ?? 0;
      across[row + x] = left + 2 * (data[row + x] ?? 0) + right;
    }
  }
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const up = Math.max(0, y - 1) * width;
    const down = Math.min(height - 1, y + 1) * width;
    for (let x = 0; x < width; x += 1) {
      const sum = (across[up + x] ?? 0) + 2 * (across[y * width + x] ?? 0) + (across[down + x] ?? 0);
      out[y * width + x] = (sum + 8) >> 4;
    }
  }
  return { width, height, data: out };
}
