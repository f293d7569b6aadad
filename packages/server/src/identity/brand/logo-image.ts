import { constants, inflateSync } from 'node:zlib';

export const LOGO_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoMediaType = (typeof LOGO_MEDIA_TYPES)[number];

export const LOGO_BYTES_MAX = 512 * 1024;
/** Every document that is rendered decodes the logo, so that it must be small. */
const LOGO_PIXELS_MAX = 1_000_000;

interface LogoSize {
  readonly width: number;
  readonly height: number;
}

/** An image that browsers, mail readers and the PDF library can show. */
export interface LogoImage extends LogoSize {
  readonly mediaType: LogoMediaType;
  readonly bytes: Buffer;
}

/** The bytes are not a logo that can be shown. The message is for the person who set it. */
export class InvalidLogoError extends Error {}

const RULE = 'expected a PNG, JPEG or WebP image';

/** Reads the type and the size from the bytes themselves, whatever they are declared as. */
export function parseLogo(bytes: Buffer): LogoImage {
  if (bytes.length > LOGO_BYTES_MAX) {
    throw new InvalidLogoError(`The image is larger than ${LOGO_BYTES_MAX / 1024} KB`);
  }
  const mediaType = detectType(bytes);
  if (!mediaType) throw new InvalidLogoError(`The file is of another type: ${RULE}`);
  const size = READERS[mediaType](bytes);
  if (!size || size.width < 1 || size.height < 1) {
    throw new InvalidLogoError(`The image is damaged: ${RULE}`);
  }
  requireFewPixels(size);
  return { mediaType, bytes, ...size };
}

function requireFewPixels({ width, height }: LogoSize): void {
  if (width * height <= LOGO_PIXELS_MAX) return;
  throw new InvalidLogoError(
    `The image has ${width} × ${height} pixels: at most ${LOGO_PIXELS_MAX.toLocaleString('en-US')} in total are allowed`,
  );
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function detectType(bytes: Buffer): LogoMediaType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return 'image/png';
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isRiff ? 'image/webp' : undefined;
}

const READERS: Readonly<Record<LogoMediaType, (bytes: Buffer) => LogoSize | undefined>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
};

/** Samples of a pixel by the color type of a PNG. */
const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PNG_BIT_DEPTHS = new Set([1, 2, 4, 8, 16]);

/** Undefined unless its compressed pixels are complete: the PDF library copies or decodes them without a check. */
function readPng(bytes: Buffer): LogoSize | undefined {
  const chunks = listPngChunks(bytes);
  const [header] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND')
    return undefined;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [bits = 0, color = -1, , , interlace = -1] = header.data.subarray(8);
  const channels = PNG_CHANNELS[color];
  if (channels === undefined || !PNG_BIT_DEPTHS.has(bits) || interlace > 1) return undefined;
  if (color === 3 && !chunks.some(({ type }) => type === 'PLTE')) return undefined;
  requireFewPixels({ width, height });
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  // With a filter byte for each row; the passes of an interlaced image have up to twice as many rows.
  const atLeast = height * (Math.ceil((width * bits * channels) / 8) + 1);
  const inflated = inflateAtMost(pixels, atLeast + (interlace === 1 ? height + width + 64 + atLeast : 0));
  const isComplete =
    interlace === 1 ? inflated >= (width * height * bits * channels) / 8 : inflated === atLeast;
  return isComplete ? { width, height } : undefined;
}

interface PngChunk {
  readonly type: string;
  readonly data: Buffer;
}

function listPngChunks(bytes: Buffer): PngChunk[] {
  const chunks: PngChunk[] = [];
  let at = PNG_SIGNATURE.length;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (at + 12 + length > bytes.length) break;
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length) });
    if (type === 'IEND') break;
    at += 12 + length;
  }
  return chunks;
}

/** The number of bytes in a zlib stream; -1 for a broken one and for more than the limit. */
function inflateAtMost(compressed: Buffer, limit: number): number {
  try {
    return inflateSync(compressed, { maxOutputLength: limit, finishFlush: constants.Z_FINISH }).length;
  } catch {
    return -1;
  }
}

/** The size is in the frame header; markers before it are skipped by their length. */
function readJpeg(bytes: Buffer): LogoSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (isFrameHeader(marker)) {
      const isReadable = bytes[at + 4] === 8 && [1, 3, 4].includes(bytes[at + 9] ?? 0);
      if (!isReadable || !endsAsJpeg(bytes)) return undefined;
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + length;
  }
  return undefined;
}

/** Baseline, extended and progressive images; lossless and arithmetic ones are shown by no browser. */
const isFrameHeader = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc2;

/** Cameras append bytes after the end marker. */
const endsAsJpeg = (bytes: Buffer): boolean => bytes.lastIndexOf(Buffer.from('ffd9', 'hex')) > 0;

function readWebp(bytes: Buffer): LogoSize | undefined {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length + 1) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
