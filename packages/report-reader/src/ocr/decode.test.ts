import { describe, expect, it } from 'vitest';
import { decodeImage } from './decode.ts';
import { encodePng } from './encode-png.ts';
import { type GrayImage, blankImage } from './image.ts';
import { InvalidImageError, readImageHeader } from './image-header.ts';
import { type Degradation, degradeImage } from '../../test/degrade.ts';

const PLAIN: Degradation = { seed: 1, jpegQuality: 90 };

/** A wide page with a black corner at the top left. */
function marked(): GrayImage {
  const image = blankImage({ width: 80, height: 40 });
  for (let y = 0; y < 16; y += 1) image.data.fill(0, y * 80, y * 80 + 16);
  return image;
}

const cornerOf = ({ width, height, data }: GrayImage): string => {
  const isDark = (x: number, y: number) => (data[y * width + x] ?? 0) < 100;
  const [right, bottom] = [width - 4, height - 4];
  return [
    isDark(4, 4) && 'top left',
    isDark(right, 4) && 'top right',
    isDark(4, bottom) && 'bottom left',
    isDark(right, bottom) && 'bottom right',
  ]
    .filter(Boolean)
    .join(', ');
};

/** A JPEG with an EXIF segment that says how it is to be turned. */
function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0MM\0\x2a\0\0\0\x08\0\x01', 'latin1'),
    Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  ]);
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}

const refusal = async (bytes: Uint8Array): Promise<string> =>
  decodeImage(bytes).then(
    () => 'taken',
    (error: unknown) => (error instanceof InvalidImageError ? error.reason : String(error)),
  );

describe('an image of a page', () => {
  it.each([
    [1, 'top left', 80],
    [2, 'top right', 80],
    [3, 'bottom right', 80],
    [4, 'bottom left', 80],
    [5, 'top left', 40],
    [6, 'top right', 40],
    [7, 'bottom right', 40],
    [8, 'bottom left', 40],
  ])('is put upright by EXIF orientation %i', async (orientation, corner, width) => {
    const jpeg = withOrientation(await degradeImage(marked(), PLAIN), orientation);
    const { image, original } = await decodeImage(jpeg);
    expect([image.width, original.width, cornerOf(image)]).toEqual([width, width, corner]);
  });

  it('survives a PNG round trip', async () => {
    const { image } = await decodeImage(encodePng(marked()));
    expect(Buffer.from(image.data).equals(Buffer.from(marked().data))).toBe(true);
  });

  it('is rejected before decoding if it has too many pixels', async () => {
    const jpeg = await degradeImage(marked(), PLAIN);
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(10_000, frame + 5);
    jpeg.writeUInt16BE(10_000, frame + 7);
    const png = encodePng(marked());
    png.writeUInt32BE(10_000, 16);
    png.writeUInt32BE(10_000, 20);
    expect([await refusal(jpeg), await refusal(png)]).toEqual(['too_many_pixels', 'too_many_pixels']);
  });

  it('is rejected if its file is truncated or damaged, without crashing the process', async () => {
    const jpeg = await degradeImage(marked(), PLAIN);
    const png = encodePng(marked());
    const damaged = Buffer.from(png);
    damaged[60] = (damaged[60] ?? 0) ^ 0xff;
    const cuts = [3, 10, 100, 300, jpeg.length - 20, jpeg.length - 2].map((end) => jpeg.subarray(0, end));
    const answers = await Promise.all(
      [...cuts, png.subarray(0, 70), png.subarray(0, 40), damaged].map(refusal),
    );
    expect(new Set(answers)).toEqual(new Set(['not_a_picture', 'broken']));
    expect(answers.slice(1).every((answer) => answer === 'broken')).toBe(true);
  });

  it.each<[string, number, (body: Buffer) => void]>([
    ['a Huffman table with more codes than there is room for', 0xc4, (body) => body.writeUInt8(5, 1)],
    ['a Huffman table of a kind that there is not', 0xc4, (body) => body.writeUInt8(0x90, 0)],
    ['a Huffman table that goes on behind its segment', 0xc4, (body) => body.writeUInt8(250, 12)],
    ['a quantization table that is not whole', 0xdb, (body) => body.writeUInt8(0x10, 0)],
    ['a frame of no components', 0xc0, (body) => body.writeUInt8(0, 5)],
    ['a frame with blocks of no size', 0xc0, (body) => body.writeUInt8(0, 7)],
    ['a scan of a component that is not in the frame', 0xda, (body) => body.writeUInt8(77, 1)],
    ['a scan by a Huffman table that is not there', 0xda, (body) => body.writeUInt8(0x33, 2)],
    ['a scan of more components than it names', 0xda, (body) => body.writeUInt8(4, 0)],
  ])('is refused before a decoder sees it for %s', async (_what, marker, spoil) => {
    const jpeg = await degradeImage(marked(), PLAIN);
    expect(readImageHeader(jpeg).kind).toBe('jpeg');
    spoil(jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, marker])) + 4));
    expect(() => readImageHeader(jpeg)).toThrow(/The JPEG is damaged/);
  });

  it('is distinguished from other files by its bytes', () => {
    for (const text of ['', 'x', '%PDF-1.7', 'GIF89a......................', 'RIFF....WEBP']) {
      expect(() => readImageHeader(Buffer.from(text))).toThrow(/neither a JPEG nor a PNG/);
    }
  });

  it('never crashes the process, whichever bytes are changed', async () => {
    const files = [await degradeImage(marked(), PLAIN), encodePng(marked())];
    let roll = 12_345;
    const next = () => (roll = (roll * 1_103_515_245 + 12_345) & 0x7fff_ffff);
    for (let round = 0; round < 200; round += 1) {
      const bytes = Buffer.from(files[round % 2] ?? '');
      for (let changes = 1 + (next() % 6); changes > 0; changes -= 1)
        bytes[next() % bytes.length] = next() & 0xff;
      expect(['taken', 'not_a_picture', 'broken', 'too_many_pixels']).toContain(await refusal(bytes));
    }
  });
});
