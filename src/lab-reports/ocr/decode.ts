import { type Matrix, type Size, compose, lengthOf, turnedSize, unturn } from './geometry.ts';
import { type GrayImage, resize, warp } from './image.ts';
import { BadPicture, headOf } from './picture-head.ts';
import { decodePng } from './png.ts';

interface JpegDecoder {
  readonly width: number;
  readonly height: number;
  parse(data: Uint8Array): void;
  getData(options: { width: number; height: number; forceRGB: boolean }): Uint8ClampedArray;
}
interface Decoders {
  readonly JpegImage: new () => JpegDecoder;
  setVerbosityLevel(level: number): void;
}

/** The longest side that is worked with: a page of 11 inches at 260 dpi, with some table around it. */
const LONGEST_WORKED = 3_000;

/**
 * The picture in a JPEG or PNG file, upright as its EXIF says, and no larger than is useful. Decoded in script, so
 * a hostile file can be slow at worst. Throws BadPicture.
 */
export async function decodePicture(bytes: Uint8Array): Promise<{ image: GrayImage; original: Size }> {
  const head = headOf(bytes);
  const stored = head.kind === 'png' ? decodePng(bytes) : await decodeJpeg(bytes);
  const scale = Math.min(1, LONGEST_WORKED / lengthOf(stored));
  const small = resize(stored, {
    width: Math.max(1, Math.round(stored.width * scale)),
    height: Math.max(1, Math.round(stored.height * scale)),
  });
  const image = upright(small, head.orientation);
  const isTurned = image.width !== small.width || (head.orientation >= 5 && head.orientation <= 8);
  return { image, original: isTurned ? { width: stored.height, height: stored.width } : sizeOf(stored) };
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

async function decodeJpeg(bytes: Uint8Array): Promise<GrayImage> {
  // @ts-expect-error this part of the library comes without types
  const library = (await import('pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs')) as Decoders;
  library.setVerbosityLevel(0);
  try {
    const jpeg = new library.JpegImage();
    jpeg.parse(Uint8Array.from(bytes));
    const { width, height } = jpeg;
    const pixels = jpeg.getData({ width, height, forceRGB: true });
    const data = new Uint8Array(width * height);
    for (let i = 0, j = 0; i < data.length; i += 1, j += 3) {
      data[i] = (77 * (pixels[j] ?? 0) + 150 * (pixels[j + 1] ?? 0) + 29 * (pixels[j + 2] ?? 0) + 128) >> 8;
    }
    return { width, height, data };
  } catch (error) {
    throw new BadPicture('broken', `The JPEG does not decode: ${String(error)}`);
  }
}

/** By EXIF orientation: mirrored or not, and by how many quarters it is to be turned clockwise. */
const ORIENTATIONS: Readonly<Record<number, readonly [boolean, number]>> = {
  1: [false, 0],
  2: [true, 0],
  3: [false, 2],
  4: [true, 2],
  5: [true, 3],
  6: [false, 1],
  7: [true, 1],
  8: [false, 3],
};

function upright(image: GrayImage, orientation: number): GrayImage {
  const [isMirrored, quarters] = ORIENTATIONS[orientation] ?? [false, 0];
  if (!isMirrored) return turn(image, quarters);
  const mirror: Matrix = [-1, 0, image.width, 0, 1, 0, 0, 0, 1];
  return warp(image, compose(mirror, unturn(quarters, image)), turnedSize(quarters, image));
}

/** Turned clockwise by so many quarters, pixel by pixel. */
export function turn(image: GrayImage, quarters: number): GrayImage {
  return quarters % 4 === 0 ? image : warp(image, unturn(quarters, image), turnedSize(quarters, image));
}
