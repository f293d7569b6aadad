import { createCanvas, type Canvas } from '@napi-rs/canvas';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';

interface PngOptions {
  readonly width?: number;
  readonly height?: number;
  /** Red, green, blue, and alpha for an image with transparency. */
  readonly color?: readonly number[];
}

/** A PNG of one color. */
export function pngLogo({ width = 120, height = 40, color = [10, 110, 90] }: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, color.length === 4 ? 6 : 2], 8);
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => Buffer.from(color))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A photo of 64 by 32 pixels. */
export const jpegLogo = (): Buffer => drawn().toBuffer('image/jpeg');

export const webpLogo = (): Buffer => drawn().toBuffer('image/webp');

function drawn(): Canvas {
  const canvas = createCanvas(64, 32);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#0a6e5a';
  pen.fillRect(4, 4, 40, 20);
  return canvas;
}

interface ImageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers as the test says. */
export async function openImageServer(answer: RequestListener): Promise<ImageServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
