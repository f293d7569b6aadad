import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PNG_SAMPLES, type PngDefects, type PngKind, writePng } from '../../test/png-files.ts';
import { encodePngChunk } from './encode-png.ts';
import { decodePng } from './png.ts';

const SIZES = [
  { width: 1, height: 1 },
  { width: 5, height: 3 },
  { width: 13, height: 17 },
  { width: 64, height: 31 },
];

const KINDS: readonly PngKind[] = (
  [
    [0, [1, 2, 4, 8, 16]],
    [2, [8, 16]],
    [3, [1, 2, 4, 8]],
    [4, [8, 16]],
    [6, [8, 16]],
  ] as const
).flatMap(([color, depths]) =>
  depths.flatMap((depth) => [false, true].map((isInterlaced) => ({ color, depth, isInterlaced }))),
);

/** Samples that fill their whole range without a pattern that a filter could hide. */
const noise = (depth: number) => (x: number, y: number, channel: number) =>
  (Math.imul(x * 7 + y * 131 + channel * 29 + 1, 2_654_435_761) >>> 13) & ((1 << depth) - 1);

/** The gray of a pixel, by the format's own terms: eight bits, luminance, blended with white. */
function grayOf({ color, depth }: PngKind, x: number, y: number): number {
  const sampleAt = noise(depth);
  const samples = Array.from({ length: PNG_SAMPLES[color] }, (_, channel) => sampleAt(x, y, channel));
  if (color === 3) return 255 - (samples[0] ?? 0);
  const [first = 0, second = 0, third = 0, fourth = 0] = samples.map((value) =>
    depth === 16 ? value >> 8 : Math.floor((value * 255) / ((1 << depth) - 1)),
  );
  const luminance = (77 * first + 150 * second + 29 * third + 128) >> 8;
  if (color === 0) return first;
  if (color === 2) return luminance;
  const [gray, alpha] = color === 4 ? [first, second] : [luminance, fourth];
  return Math.floor(255 - ((255 - gray) * alpha) / 255);
}

const GRAY: PngKind = { color: 0, depth: 8, isInterlaced: false };
const spoiled = (defects: PngDefects, kind = GRAY): Buffer =>
  writePng({ width: 64, height: 31 }, kind, noise(kind.depth), defects);

describe('a PNG', () => {
  it.each(KINDS)('of color type $color with $depth bits is read, interlaced: $isInterlaced', (kind) => {
    for (const size of SIZES) {
      const { data } = decodePng(writePng(size, kind, noise(kind.depth)));
      const expected = Array.from({ length: size.width * size.height }, (_, at) =>
        grayOf(kind, at % size.width, Math.floor(at / size.width)),
      );
      expect([...data]).toEqual(expected);
    }
  });

  // prettier-ignore
  it.each<[string, Buffer]>([
    ['whose last row lacks a byte',      spoiled({ rows: (rows) => rows.subarray(0, -1) })],
    ['without its last row',             spoiled({ rows: (rows) => rows.subarray(0, -65) })],
    ['whose image data are cut',         spoiled({ packed: (packed) => packed.subarray(0, -20) })],
    ['with a wrong checksum of rows',    spoiled({ packed: withWrongChecksum })],
    ['with a filter that there is not',  spoiled({ rows: (rows) => Buffer.concat([Buffer.from([5]), rows.subarray(1)]) })],
    ['that inflates to 256 MiB',         spoiled({ packed: () => deflateSync(Buffer.alloc(2 ** 28), { level: 1 }) })],
    ['with a wrong checksum of a chunk', spoiled({ chunks: [withWrongChecksum(encodePngChunk('tEXt', Buffer.from('a\0b')))] })],
    ['without an end',                   spoiled({}).subarray(0, -12)],
    ['of colors with two bits',          withDepth(spoiled({}, { ...GRAY, color: 2 }), 2)],
  ])('%s is refused', (_what, file) => {
    expect(() => decodePng(file)).toThrow(/^The PNG/);
  });

  it('is read without its color profile, which could inflate to any size', () => {
    const profile = encodePngChunk('iCCP', Buffer.from('a\0\0 this does not inflate'));
    expect(decodePng(spoiled({ chunks: [profile] })).height).toBe(31);
  });
});

/** Flips a bit of the last byte. */
function withWrongChecksum(bytes: Buffer): Buffer {
  bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
  return bytes;
}

function withDepth(file: Buffer, depth: number): Buffer {
  file.writeUInt8(depth, 24);
  file.writeUInt32BE(crc32(file.subarray(12, 29)), 29);
  return file;
}
