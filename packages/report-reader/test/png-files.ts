import { deflateSync } from 'node:zlib';
import { encodePngChunk } from '../src/ocr/encode-png.ts';

/** A kind of PNG. `color` is the color type of the format; a palette is gray, 0 to 255 backwards. */
export interface PngKind {
  readonly color: 0 | 2 | 3 | 4 | 6;
  readonly depth: 1 | 2 | 4 | 8 | 16;
  readonly isInterlaced: boolean;
}

/** What is wrong with a PNG. */
export interface PngDefects {
  /** Changes the rows, with their filters, before they are compressed. */
  readonly rows?: (rows: Buffer) => Buffer;
  /** Changes the compressed rows. */
  readonly packed?: (packed: Buffer) => Buffer;
  /** Chunks before the image data. */
  readonly chunks?: readonly Buffer[];
}

export const PNG_SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** x and y of the first pixel of each Adam7 pass, and the horizontal and vertical step. */
// prettier-ignore
const ADAM7 = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]] as const;

/** Writes a PNG whose rows use the five filters in turn. `sampleAt` returns a sample, 0 to 2^depth - 1. */
export function writePng(
  { width, height }: { width: number; height: number },
  { color, depth, isInterlaced }: PngKind,
  sampleAt: (x: number, y: number, channel: number) => number,
  defects: PngDefects = {},
): Buffer {
  const samples = PNG_SAMPLES[color];
  const distance = Math.max(1, (depth * samples) >> 3);
  const rows: Buffer[] = [];
  for (const [left, top, stepX, stepY] of isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const)) {
    const columns = Math.ceil((width - left) / stepX);
    let above = Buffer.alloc(Math.ceil((columns * samples * depth) / 8));
    for (let y = top; columns > 0 && y < height; y += stepY) {
      const row = Buffer.alloc(above.length);
      for (let at = 0; at < columns * samples; at += 1) {
        const value = sampleAt(left + Math.floor(at / samples) * stepX, y, at % samples);
        if (depth === 16) row.writeUInt16BE(value, 2 * at);
        else
          row[(at * depth) >> 3] =
            (row[(at * depth) >> 3] ?? 0) | (value << (8 - depth - ((at * depth) & 7)));
      }
      rows.push(filterRow(row, above, { filter: rows.length % 5, distance }));
      above = row;
    }
  }
  const { rows: spoil = same, packed = same, chunks = [] } = defects;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, color, 0, 0, isInterlaced ? 1 : 0], 8);
  const palette = Buffer.from(Array.from({ length: 768 }, (_, at) => 255 - Math.floor(at / 3)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    encodePngChunk('IHDR', head),
    ...(color === 3 ? [encodePngChunk('PLTE', palette)] : []),
    ...chunks,
    encodePngChunk('IDAT', packed(deflateSync(spoil(Buffer.concat(rows))))),
    encodePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const same = (bytes: Buffer): Buffer => bytes;

function filterRow(
  row: Buffer,
  above: Buffer,
  { filter, distance }: { filter: number; distance: number },
): Buffer {
  const out = Buffer.alloc(row.length + 1, filter);
  for (let at = 0; at < row.length; at += 1) {
    const [left, up] = [row[at - distance] ?? 0, above[at] ?? 0];
    const corner = above[at - distance] ?? 0;
    const [byLeft, byUp] = [Math.abs(up - corner), Math.abs(left - corner)];
    const byCorner = Math.abs(left + up - 2 * corner);
    const paeth = byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
    out[at + 1] = (row[at] ?? 0) - ([0, left, up, (left + up) >> 1, paeth][filter] ?? 0);
  }
  return out;
}
