import { createJpegTableChecker } from './jpeg-tables.ts';

/** Why a file is rejected as the image of a page. */
type InvalidImageReason = 'not_a_picture' | 'broken' | 'too_many_pixels';

/** Thrown for a file that is not a JPEG or PNG, is damaged, or has too many pixels. */
export class InvalidImageError extends Error {
  readonly reason: InvalidImageReason;
  constructor(reason: InvalidImageReason, message: string) {
    super(message);
    this.name = 'InvalidImageError';
    this.reason = reason;
  }
}

/** More than any phone takes by default; an image of 50 megapixels is accepted. */
const MOST_PIXELS = 51_000_000;
const LONGEST_SIDE = 16_000;
/** A normal progressive JPEG has about ten scans. */
const MOST_SCANS = 60;

interface ImageHeader {
  readonly kind: 'jpeg' | 'png';
  /** As stored, before EXIF rotation. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1 to 8; 1 is upright. */
  readonly orientation: number;
}

/**
 * Reads the header of a JPEG or PNG, and validates the structure of the file without decompressing it. Throws
 * InvalidImageError, so an image with too many pixels never reaches a decoder.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = isJpeg(view) ? readJpegHeader(view) : isPng(view) ? readPngHeader(view) : undefined;
  if (!head) throw new InvalidImageError('not_a_picture', 'The file is neither a JPEG nor a PNG');
  const { width, height } = head;
  if (width < 1 || height < 1) throw new InvalidImageError('broken', 'The image has no size');
  if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height > MOST_PIXELS) {
    throw new InvalidImageError(
      'too_many_pixels',
      `The image has ${width} x ${height} pixels, which is too many`,
    );
  }
  return head;
}

const isJpeg = (view: Buffer): boolean => view.length > 3 && view.readUIntBE(0, 3) === 0xffd8ff;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const isPng = (view: Buffer): boolean => view.length > 8 && view.subarray(0, 8).equals(PNG);

function readPngHeader(view: Buffer): ImageHeader {
  if (view.length < 57 || view.toString('latin1', 12, 16) !== 'IHDR') {
    throw new InvalidImageError('broken', 'The PNG has no header');
  }
  return { kind: 'png', width: view.readUInt32BE(16), height: view.readUInt32BE(20), orientation: 1 };
}

/** Walks the segments of a JPEG from its first byte to its end mark. */
function readJpegHeader(view: Buffer): ImageHeader {
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let scans = 0;
  const tables = createJpegTableChecker();
  let at = 2;
  while (at < view.length) {
    if (view[at] !== 0xff) throw new InvalidImageError('broken', 'The JPEG is damaged between its segments');
    const marker = view[at + 1] ?? 0xff;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) break;
    if (isStandaloneMarker(marker)) {
      at += 2;
      continue;
    }
    if (at + 4 > view.length) break;
    const length = view.readUInt16BE(at + 2);
    if (length < 2) throw new InvalidImageError('broken', 'The JPEG is damaged between its segments');
    const body = view.subarray(at + 4, at + 2 + length);
    const fault = tables.findFault(marker, body);
    if (fault !== undefined) throw new InvalidImageError('broken', `The JPEG is damaged: ${fault}`);
    if (isFrameMarker(marker) && body.length >= 6) {
      size = { height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
    }
    if (marker === 0xe1) orientation = readOrientation(body) ?? orientation;
    at += 2 + length;
    if (marker !== 0xda) continue;
    scans += 1;
    if (scans > MOST_SCANS) throw new InvalidImageError('broken', 'The JPEG has too many scans');
    at = findEndOfScan(view, at);
  }
  if (view[at + 1] !== 0xd9 || !size || scans === 0)
    throw new InvalidImageError('broken', 'The JPEG is incomplete');
  return { kind: 'jpeg', ...size, orientation };
}

/** Markers without a body: RSTn and TEM. */
const isStandaloneMarker = (marker: number): boolean => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;

/** The SOFn markers, which contain the size: 0xc0 to 0xcf except DHT (c4), JPG (c8) and DAC (cc). */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** The position of the marker that ends the entropy-coded data of a scan. */
function findEndOfScan(view: Buffer, from: number): number {
  let at = view.indexOf(0xff, from);
  while (at >= 0 && at + 1 < view.length) {
    const next = view[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = view.indexOf(0xff, next === 0xff ? at + 1 : at + 2);
  }
  throw new InvalidImageError('broken', 'The JPEG is truncated');
}

/** The orientation tag of an EXIF segment; undefined if there is none. */
function readOrientation(body: Buffer): number | undefined {
  if (body.toString('latin1', 0, 6) !== 'Exif\0\0' || body.length < 14) return undefined;
  const tiff = body.subarray(6);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return undefined;
  const entries = short(start);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = start + 2 + 12 * entry;
    if (at + 12 > tiff.length) return undefined;
    if (short(at) !== 0x0112) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}
