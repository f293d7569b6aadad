import { crc32, inflateSync } from 'node:zlib';
import { type GrayImage, WHITE } from './image.ts';
import { rethrowMemoryFailure } from '../memory-failure.ts';
import { InvalidImageError } from './image-header.ts';

/*
 * A grayscale PNG decoder in JavaScript. The available native decoder crashes the process on a truncated file, and OCR
 * needs grays only.
 */

interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly color: number;
  readonly isInterlaced: boolean;
}

interface PngChunks {
  readonly head: PngHeader;
  readonly packed: Buffer;
  readonly palette: Buffer;
  readonly opacity: Buffer;
}

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** The seven Adam7 passes: x and y of the first pixel, and the horizontal and vertical step. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Decodes a PNG. Throws InvalidImageError if it is incomplete or damaged. The caller must have checked the size. */
export function decodePng(bytes: Uint8Array): GrayImage {
  const parts = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const { head } = parts;
  const passes = (head.isInterlaced ? PASSES : ([[0, 0, 1, 1]] as const)).map(([x, y, dx, dy]) => ({
    x,
    y,
    dx,
    dy,
    width: Math.ceil((head.width - x) / dx),
    height: Math.ceil((head.height - y) / dy),
  }));
  const bits = head.depth * (SAMPLES[head.color] ?? 1);
  const strideOf = (width: number) => Math.ceil((width * bits) / 8);
  const drawn = passes.filter(({ width, height }) => width > 0 && height > 0);
  const total = drawn.reduce((sum, { width, height }) => sum + height * (strideOf(width) + 1), 0);
  const raw = inflateExactly(parts.packed, total);
  const data = new Uint8Array(head.width * head.height);
  const grayAt = createGrayReader(parts);
  let at = 0;
  for (const pass of drawn) {
    const stride = strideOf(pass.width);
    const rows = raw.subarray(at, at + pass.height * (stride + 1));
    unfilter(rows, stride, Math.max(1, bits >> 3));
    for (let y = 0; y < pass.height; y += 1) {
      const row = rows.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
      const to = (pass.y + y * pass.dy) * head.width + pass.x;
      for (let x = 0; x < pass.width; x += 1) data[to + x * pass.dx] = grayAt(row, x);
    }
    at += rows.length;
  }
  return { width: head.width, height: head.height, data };
}

function inflateExactly(packed: Buffer, total: number): Buffer {
  try {
    const raw = inflateSync(packed, { maxOutputLength: total + 64 });
    if (raw.length < total) throw new Error('too short');
    return raw;
  } catch (error) {
    rethrowMemoryFailure(error);
    throw new InvalidImageError('broken', 'The PNG data does not match the size of the image');
  }
}

function readChunks(view: Buffer): PngChunks {
  const packed: Buffer[] = [];
  let head: PngHeader | undefined;
  let palette = Buffer.alloc(0);
  let opacity = Buffer.alloc(0);
  let isWhole = false;
  let at = 8;
  while (at + 12 <= view.length && !isWhole) {
    const length = view.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > view.length) break;
    const type = view.toString('latin1', at + 4, at + 8);
    const body = view.subarray(at + 8, end);
    if (crc32(view.subarray(at + 4, end)) !== view.readUInt32BE(end)) {
      throw new InvalidImageError('broken', 'The PNG is damaged');
    }
    if (type === 'IHDR') head = readHeader(body);
    else if (type === 'PLTE') palette = Buffer.from(body);
    else if (type === 'tRNS') opacity = Buffer.from(body);
    else if (type === 'IDAT') packed.push(body);
    isWhole = type === 'IEND';
    at = end + 4;
  }
  if (!head || !isWhole) throw new InvalidImageError('broken', 'The PNG is incomplete');
  return { head, packed: Buffer.concat(packed), palette, opacity };
}

function readHeader(body: Buffer): PngHeader {
  const head = {
    width: body.readUInt32BE(0),
    height: body.readUInt32BE(4),
    depth: body[8] ?? 0,
    color: body[9] ?? 0,
    isInterlaced: body[12] === 1,
  };
  if (!DEPTHS[head.color]?.includes(head.depth))
    throw new InvalidImageError('broken', 'The PNG has an invalid color type or bit depth');
  return head;
}

/** Reverses the row filters in place. */
function unfilter(rows: Buffer, stride: number, step: number): void {
  for (let start = 0; start < rows.length; start += stride + 1) {
    const filter = rows[start] ?? 0;
    if (filter > 4) throw new InvalidImageError('broken', 'The PNG is damaged');
    if (filter === 0) continue;
    const isFirst = start === 0;
    for (let i = 1; i <= stride; i += 1) {
      const at = start + i;
      const left = i > step ? (rows[at - step] ?? 0) : 0;
      const up = isFirst ? 0 : (rows[at - stride - 1] ?? 0);
      const corner = isFirst || i <= step ? 0 : (rows[at - stride - 1 - step] ?? 0);
      rows[at] = (rows[at] ?? 0) + predict(filter, { left, up, corner });
    }
  }
}

function predict(filter: number, { left, up, corner }: { left: number; up: number; corner: number }): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Returns a function that reads the gray of pixel x from a row. Transparent pixels are blended with white. */
function createGrayReader({ head, palette, opacity }: PngChunks): (row: Buffer, x: number) => number {
  const { depth, color } = head;
  const bytes = depth >> 3;
  const over = (gray: number, alpha: number) => WHITE - ((WHITE - gray) * alpha) / WHITE;
  const mix = (r: number, g: number, b: number) => (77 * r + 150 * g + 29 * b + 128) >> 8;
  if (color === 6 || color === 2) {
    const step = (color === 6 ? 4 : 3) * bytes;
    return (row, x) => {
      const at = x * step;
      const gray = mix(row[at] ?? 0, row[at + bytes] ?? 0, row[at + 2 * bytes] ?? 0);
      return color === 2 ? gray : over(gray, row[at + 3 * bytes] ?? WHITE);
    };
  }
  if (color === 4) return (row, x) => over(row[x * 2 * bytes] ?? 0, row[x * 2 * bytes + bytes] ?? WHITE);
  const value = (row: Buffer, x: number): number => {
    if (depth >= 8) return row[x * bytes] ?? 0;
    const perByte = 8 / depth;
    const shift = 8 - depth * ((x % perByte) + 1);
    return ((row[Math.floor(x / perByte)] ?? 0) >> shift) & ((1 << depth) - 1);
  };
  if (color === 0) {
    const most = depth >= 8 ? WHITE : (1 << depth) - 1;
    return (row, x) => (value(row, x) * WHITE) / most;
  }
  return (row, x) => {
    const entry = value(row, x);
    const gray = mix(palette[entry * 3] ?? 0, palette[entry * 3 + 1] ?? 0, palette[entry * 3 + 2] ?? 0);
    return over(gray, opacity[entry] ?? WHITE);
  };
}
