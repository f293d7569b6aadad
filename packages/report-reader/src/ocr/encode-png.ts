import { crc32, deflateSync } from 'node:zlib';
import type { GrayImage } from './image.ts';

/** Encodes an image as a grayscale PNG. */
export function encodePng({ width, height, data }: GrayImage): Buffer {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    rows.set(data.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    encodePngChunk('IHDR', head),
    encodePngChunk('IDAT', deflateSync(rows, { level: 3 })),
    encodePngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Encodes a chunk with its length and checksum. */
export function encodePngChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), named.length + 4);
  return out;
}
