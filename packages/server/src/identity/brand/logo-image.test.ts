import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { jpegLogo, pngLogo, webpLogo } from '../../../test/logos.ts';
import { InvalidLogoError, parseLogo } from './logo-image.ts';

it.each([
  ['a PNG', pngLogo(), { mediaType: 'image/png', width: 120, height: 40 }],
  ['a PNG with transparency', pngLogo({ color: [1, 2, 3, 128] }), { mediaType: 'image/png', width: 120 }],
  ['a JPEG', jpegLogo(), { mediaType: 'image/jpeg', width: 64, height: 32 }],
  ['a WebP', webpLogo(), { mediaType: 'image/webp', width: 64, height: 32 }],
])('reads the type and the size of %s', (_what, bytes, found) => {
  expect(parseLogo(bytes)).toMatchObject(found);
});

/** A PNG whose header says another size than its pixels have. */
function pngOfSize(width: number, height: number): Buffer {
  const bytes = pngLogo();
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** A PNG with these bytes in place of its compressed pixels. */
function pngWithPixels(pixels: Buffer): Buffer {
  const bytes = pngLogo();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(pixels.length);
  const head = bytes.subarray(0, 33);
  return Buffer.concat([head, length, Buffer.from('IDAT'), pixels, Buffer.alloc(4), bytes.subarray(-12)]);
}

it.each([
  ['nothing', Buffer.alloc(0)],
  ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000')],
  ['an SVG with a byte order mark', Buffer.from('\ufeff<svg/>')],
  ['a PNG signature alone', pngLogo().subarray(0, 8)],
  ['a PNG with fewer pixels than it says', pngOfSize(120, 41)],
  ['a PNG with more pixels than it says', pngOfSize(120, 39)],
  ['a PNG with a billion pixels', pngOfSize(40_000, 40_000)],
  ['a PNG of no width', pngOfSize(0, 40)],
  ['a PNG with pixels that are no zlib stream', pngWithPixels(Buffer.from('not compressed'))],
  ['a PNG that expands a thousandfold', pngWithPixels(deflateSync(Buffer.alloc(50_000_000)))],
  ['a JPEG without an end', jpegLogo().subarray(0, 200)],
  ['a WebP without its pixels', webpLogo().subarray(0, 24)],
])('refuses %s', (_what, bytes) => {
  expect(() => parseLogo(bytes)).toThrow(InvalidLogoError);
});

const sizeOf = (bytes: Buffer): [number, number] | undefined => {
  try {
    const { width, height } = parseLogo(bytes);
    return [width, height];
  } catch (error) {
    if (error instanceof InvalidLogoError) return undefined;
    throw error;
  }
};

it('refuses every cut of an image, or reads the same size', () => {
  for (const whole of [pngLogo(), jpegLogo(), webpLogo()]) {
    const found = Array.from({ length: whole.length }, (_, length) => sizeOf(whole.subarray(0, length)));
    const sizes = new Set(found.filter((size) => size !== undefined).map(String));
    sizes.delete(String(sizeOf(whole)));
    expect([...sizes]).toEqual([]);
  }
});
