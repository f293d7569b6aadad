import { createCanvas, loadImage } from '@napi-rs/canvas';
import { boxBlur, type GrayImage, resize, warp } from '../../src/lab-reports/ocr/image.ts';
import {
  type Quad,
  invert,
  rectangleToQuad,
  rotation,
  turnedSize,
  unturn,
} from '../../src/lab-reports/ocr/geometry.ts';
import { openPdfPictures } from '../../src/lab-reports/ocr/pdf-picture.ts';
import { pngOf } from '../../src/lab-reports/ocr/encode-png.ts';
import { dice } from './made.ts';

/**
 * How a page gets worse on its way to us, the same for the same seed: on a scanner (dots an inch, skew, grain,
 * specks, a fax's two colours) or before a telephone (perspective, shadow, warm light, a table around the sheet).
 */
export interface Harm {
  readonly seed: number;
  /** The page is drawn at 200 dpi; less makes it coarser. */
  readonly dpi?: number;
  readonly skewDegrees?: number;
  /** Standard deviation of the grain, in grays. */
  readonly grain?: number;
  /** Dark specks on each million pixels. */
  readonly specks?: number;
  readonly isBlurred?: boolean;
  /** Black or white and nothing between. */
  readonly isFax?: boolean;
  readonly photo?: {
    /** How far corners are moved, as a share of the page. */
    readonly tilt: number;
    /** How much darker the darkest corner is, 0 to 1. */
    readonly shadow: number;
    /** How wide the table around the sheet is, as a share of the page; without it the sheet fills the picture. */
    readonly table: number;
  };
  /** Quarters clockwise. */
  readonly quarters?: number;
  /** 1 to 100. */
  readonly jpegQuality?: number;
}

/** Every page of a PDF as somebody would send a picture of it: JPEG files. */
export async function harmed(pdf: Uint8Array, harm: Harm): Promise<Buffer[]> {
  const pictures = await openPdfPictures(pdf);
  try {
    const files: Buffer[] = [];
    for (let number = 1; number <= pictures.count; number += 1) {
      const { image } = await pictures.picture(number);
      files.push(await harmedImage(image, { ...harm, seed: harm.seed * 31 + number }));
    }
    return files;
  } finally {
    await pictures.close();
  }
}

export async function harmedImage(page: GrayImage, harm: Harm): Promise<Buffer> {
  const roll = dice(harm.seed);
  const scale = (harm.dpi ?? 200) / 200;
  let image = resize(page, {
    width: Math.round(page.width * scale),
    height: Math.round(page.height * scale),
  });
  if (harm.photo) image = photographed(image, harm.photo, roll);
  if (harm.skewDegrees) image = warp(image, rotation(-harm.skewDegrees, image), image);
  if (harm.isBlurred) image = boxBlur(image, 1);
  image = grainy(image, harm, roll);
  if (harm.isFax) image = { ...image, data: image.data.map((gray) => (gray > 140 ? 255 : 0)) };
  if (harm.quarters) {
    image = warp(image, unturn(harm.quarters, image), turnedSize(harm.quarters, image));
  }
  return jpegOf(image, harm);
}

function photographed(
  page: GrayImage,
  { tilt, shadow, table }: NonNullable<Harm['photo']>,
  roll: () => number,
): GrayImage {
  const size = {
    width: Math.round(page.width * (1 + 2 * table)),
    height: Math.round(page.height * (1 + 2 * table)),
  };
  const off = (length: number) => (roll() - 0.5) * 2 * tilt * length;
  const [left, top] = [page.width * table, page.height * table];
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
      // Where the second picture is white there is no page, but a table of dark wood.
      const gray =
        (inside.data[at] ?? 0) > 127
          ? 70 + 8 * Math.sin(x / 7 + Math.sin(y / 90) * 3)
          : 0.92 * (seen.data[at] ?? 0);
      data[at] = gray * light;
    }
  }
  return { ...size, data };
}

function grainy(image: GrayImage, { grain = 0, specks = 0 }: Harm, roll: () => number): GrayImage {
  if (grain === 0 && specks === 0) return image;
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    // The sum of three dice is near enough to a bell.
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

async function jpegOf(image: GrayImage, { jpegQuality = 75, photo }: Harm): Promise<Buffer> {
  const drawn = await loadImage(pngOf(image));
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(drawn, 0, 0);
  if (photo) {
    context.globalCompositeOperation = 'multiply';
    context.fillStyle = '#fff0d2';
    context.fillRect(0, 0, image.width, image.height);
  }
  return canvas.toBuffer('image/jpeg', jpegQuality);
}

/** What is measured: by name, from a good scan to a hand-held photo. */
export const HARMS: Readonly<Record<string, Harm>> = {
  scan200: { seed: 1, skewDegrees: 1.3, grain: 8, jpegQuality: 70 },
  scan150: { seed: 2, dpi: 150, skewDegrees: -2.4, grain: 10, specks: 40, jpegQuality: 60 },
  scan100: { seed: 3, dpi: 100, skewDegrees: 0.8, grain: 4, jpegQuality: 80 },
  blurred: { seed: 4, skewDegrees: -0.6, isBlurred: true, grain: 6, jpegQuality: 40 },
  fax: { seed: 5, skewDegrees: 0.4, grain: 6, specks: 120, isFax: true, jpegQuality: 80 },
  flatPhoto: {
    seed: 6,
    photo: { tilt: 0, shadow: 0.35, table: 0 },
    skewDegrees: 1.8,
    grain: 5,
    jpegQuality: 75,
  },
  photo: {
    seed: 7,
    photo: { tilt: 0.025, shadow: 0.4, table: 0.08 },
    grain: 5,
    isBlurred: true,
    jpegQuality: 70,
  },
  turned: {
    seed: 8,
    photo: { tilt: 0.015, shadow: 0.25, table: 0.05 },
    grain: 4,
    quarters: 1,
    jpegQuality: 75,
  },
};
