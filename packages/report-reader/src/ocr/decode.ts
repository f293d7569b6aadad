import {
  type Homography,
  type ImageSize,
  compose,
  readableLength,
  turnedSize,
  undoTurn,
} from './geometry.ts';
import { type GrayImage, resize, warp } from './image.ts';
import { rethrowMemoryFailure } from '../memory-failure.ts';
import { InvalidImageError, readImageHeader } from './image-header.ts';
import { decodePng } from './png.ts';

interface JpegDecoder {
  readonly width: number;
  readonly height: number;
  parse(data: Uint8Array): void;
  getData(options: { width: number; height: number; forceRGB: boolean }): Uint8ClampedArray;
}
interface PdfjsImageDecoders {
  readonly JpegImage: new () => JpegDecoder;
  setVerbosityLevel(level: number): void;
}

/** The longest side that is processed: a page of 11 inches at 260 dpi, with some of the table around it. */
const LONGEST_SIDE = 3_000;

/**
 * Decodes a JPEG or PNG file to an upright gray image (by EXIF), no larger than is useful. The decoders are JavaScript,
 * so a malicious file can be slow at worst. Throws InvalidImageError.
 */
export async function decodeImage(bytes: Uint8Array): Promise<{ image: GrayImage; original: ImageSize }> {
  const head = readImageHeader(bytes);
  const stored = head.kind === 'png' ? decodePng(bytes) : await decodeJpeg(bytes);
  const scale = Math.min(1, LONGEST_SIDE / readableLength(stored));
  const small = resize(stored, {
    width: Math.max(1, Math.round(stored.width * scale)),
    height: Math.max(1, Math.round(stored.height * scale)),
  });
  const image = applyOrientation(small, head.orientation);
  const isTurned = image.width !== small.width || (head.orientation >= 5 && head.orientation <= 8);
  return { image, original: isTurned ? { width: stored.height, height: stored.width } : sizeOf(stored) };
}

const sizeOf = ({ width, height }: ImageSize): ImageSize => ({ width, height });

async function decodeJpeg(bytes: Uint8Array): Promise<GrayImage> {
  const library = (await import(
    // @ts-expect-error this part of the library comes without types
    'pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs'
  )) as PdfjsImageDecoders;
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
    rethrowMemoryFailure(error);
    throw new InvalidImageError('broken', `The JPEG does not decode: ${String(error)}`);
  }
}

/** By EXIF orientation: whether the image is mirrored, and the clockwise quarter turns that put it upright. */
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

function applyOrientation(image: GrayImage, orientation: number): GrayImage {
  const [isMirrored, quarters] = ORIENTATIONS[orientation] ?? [false, 0];
  if (!isMirrored) return turnImage(image, quarters);
  const mirror: Homography = [-1, 0, image.width, 0, 1, 0, 0, 0, 1];
  return warp(image, compose(mirror, undoTurn(quarters, image)), turnedSize(quarters, image));
}

/** Turns an image clockwise by quarter turns. */
export function turnImage(image: GrayImage, quarters: number): GrayImage {
  return quarters % 4 === 0 ? image : warp(image, undoTurn(quarters, image), turnedSize(quarters, image));
}
