import { createCanvas, loadImage } from '@napi-rs/canvas';
import { boxBlur, type GrayImage, resize, warp } from '../src/ocr/image.ts';
import {
  type Quad,
  compose,
  invert,
  rectangleToQuad,
  rotation,
  translation,
  turnedSize,
  undoTurn,
} from '../src/ocr/geometry.ts';
import { openPdfRenderer } from '../src/ocr/pdf-renderer.ts';
import { encodePng } from '../src/ocr/encode-png.ts';
import { placeSideBySide, cropMargins, shrinkTo } from './everyday.ts';
import { seededNumbers } from './generated-report.ts';
import { type PageMarks, markPage } from './marks.ts';
import { type PageWear, applyWear } from './wear.ts';

/**
 * How a page image is degraded, deterministic per seed: by a scanner (dpi, skew, grain, specks, black and white of a
 * fax) or a phone camera (perspective, shadow, warm light, a table around the sheet).
 */
export interface Degradation {
  readonly seed: number;
  /** Default 200; lower values are coarser. */
  readonly dpi?: number;
  readonly skewDegrees?: number;
  /** Standard deviation of the grain, in grays. */
  readonly grain?: number;
  /** Dark specks on each million pixels. */
  readonly specks?: number;
  readonly isBlurred?: boolean;
  /** Only black and white. */
  readonly isFax?: boolean;
  readonly photo?: {
    /** Maximum shift of the corners, as a share of the page. */
    readonly tilt: number;
    /** Darkness of the shadow, 0 to 1. */
    readonly shadow: number;
    /** Width of the table around the sheet, as a share of the page; 0 if the sheet fills the image. */
    readonly table: number;
    /** A light table with a dark stripe and another sheet, and one side of the page outside the image. */
    readonly isCluttered?: boolean;
  };
  readonly wear?: PageWear;
  readonly marks?: PageMarks;
  /** Two pages per image. */
  readonly isPaired?: boolean;
  /** Margin that is left around the print, as a share of the width. */
  readonly margin?: number;
  /** Pixels of the longer side, as messengers resize images. */
  readonly longest?: number;
  /** CSS color of the light. */
  readonly light?: string;
  /** Quarter turns clockwise. */
  readonly quarters?: number;
  /** 1 to 100. */
  readonly jpegQuality?: number;
}

/** Every page of a PDF as a degraded JPEG image. */
export async function degradePdf(pdf: Uint8Array, harm: Degradation): Promise<Buffer[]> {
  const pictures = await openPdfRenderer(pdf);
  try {
    const files: Buffer[] = [];
    for (let number = 1; number <= pictures.count; number += 1) {
      const { image } = await pictures.renderPage(number);
      const isAlone = !harm.isPaired || number === pictures.count;
      const other = isAlone ? undefined : (await pictures.renderPage((number += 1))).image;
      const seen = other ? placeSideBySide(image, other) : image;
      files.push(await degradeImage(seen, { ...harm, seed: harm.seed * 31 + number }));
    }
    return files;
  } finally {
    await pictures.close();
  }
}

export async function degradeImage(page: GrayImage, harm: Degradation): Promise<Buffer> {
  const roll = seededNumbers(harm.seed);
  const scale = (harm.dpi ?? 200) / 200;
  const print = harm.marks ? await markPage(page, harm.marks, roll) : page;
  let image = resize(print, {
    width: Math.round(page.width * scale),
    height: Math.round(page.height * scale),
  });
  if (harm.margin !== undefined) image = cropMargins(image, harm.margin);
  if (harm.wear) image = applyWear(image, harm.wear, roll);
  if (harm.photo) image = photographPage(image, harm.photo, roll);
  if (harm.skewDegrees) image = skewOnScanner(image, harm.skewDegrees);
  if (harm.isBlurred) image = boxBlur(image, 1);
  image = addGrain(image, harm, roll);
  if (harm.isFax) image = { ...image, data: image.data.map((gray) => (gray > 140 ? 255 : 0)) };
  if (harm.quarters) {
    image = warp(image, undoTurn(harm.quarters, image), turnedSize(harm.quarters, image));
  }
  return encodeJpeg(harm.longest ? shrinkTo(image, harm.longest) : image, harm);
}

/** Rotates on a glass of the page's size; large angles get a margin, so that no print is cut off. */
function skewOnScanner(page: GrayImage, degrees: number): GrayImage {
  const rim = Math.abs(degrees) > 3 ? Math.round(0.08 * page.width) : 0;
  const size = { width: page.width + 2 * rim, height: page.height + 2 * rim };
  return warp(page, compose(translation(-rim, -rim), rotation(-degrees, size)), size);
}

function photographPage(
  page: GrayImage,
  { tilt, shadow, table, isCluttered = false }: NonNullable<Degradation['photo']>,
  roll: () => number,
): GrayImage {
  const size = {
    width: Math.round(page.width * (1 + 2 * table)),
    height: Math.round(page.height * (1 + 2 * table)),
  };
  const off = (length: number) => (roll() - 0.5) * 2 * tilt * length;
  const [left, top] = [page.width * (isCluttered ? -0.01 : table), page.height * table];
  const corner = (x: number, y: number) => ({
    x: left + x * page.width + off(page.width),
    y: top + y * page.height + off(page.height),
  });
  const quad: Quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
  const toPage = invert(rectangleToQuad(page, quad));
  const seen = warp(page, toPage, size);
  const inside = warp({ ...page, data: new Uint8Array(page.data.length) }, toPage, size);
  const direction = roll() * 2 * Math.PI;
  const [dx, dy] = [Math.cos(direction), Math.sin(direction)];
  const data = new Uint8Array(seen.data.length);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const at = y * size.width + x;
      const along = (dx * (x / size.width - 0.5) + dy * (y / size.height - 0.5)) / 1.42 + 0.5;
      const light = 1 - shadow * along * along;
      // Where the second image is white, there is the table and not the page.
      const gray =
        (inside.data[at] ?? 0) > 127
          ? isCluttered
            ? deskGray(x / size.width, y / size.height)
            : 70 + 8 * Math.sin(x / 7 + Math.sin(y / 90) * 3)
          : 0.92 * (seen.data[at] ?? 0);
      data[at] = gray * light;
    }
  }
  return { ...size, data };
}

/** Gray value of a desk: light wood, a dark stripe, and the corner of another sheet. */
function deskGray(x: number, y: number): number {
  if (x > 0.9 && y > 0.55) return 215;
  if (y > 0.965 - 0.02 * x) return 60;
  return 150 + 20 * Math.sin(y * 160 + Math.sin(x * 9) * 4);
}

function addGrain(image: GrayImage, { grain = 0, specks = 0 }: Degradation, roll: () => number): GrayImage {
  if (grain === 0 && specks === 0) return image;
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    // The sum of three uniform values approximates a normal distribution.
    const noise = grain * 2 * (roll() + roll() + roll() - 1.5);
    data[at] = Math.min(255, Math.max(0, (image.data[at] ?? 0) + noise));
  }
  for (let count = (specks * data.length) / 1_000_000; count > 0; count -= 1) {
    const at = Math.floor(roll() * data.length);
    data[at] = 40;
    if (roll() < 0.3 && at + 1 < data.length) data[at + 1] = 60;
  }
  return { ...image, data };
}

async function encodeJpeg(
  image: GrayImage,
  { jpegQuality = 75, photo, light }: Degradation,
): Promise<Buffer> {
  const drawn = await loadImage(encodePng(image));
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(drawn, 0, 0);
  if (photo || light) {
    context.globalCompositeOperation = 'multiply';
    context.fillStyle = light ?? '#fff0d2';
    context.fillRect(0, 0, image.width, image.height);
  }
  return canvas.toBuffer('image/jpeg', jpegQuality);
}
