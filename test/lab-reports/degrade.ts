import { createCanvas, loadImage } from '@napi-rs/canvas';
import { boxBlur, type GrayImage, resize, warp } from '../../src/lab-reports/ocr/image.ts';
import {
  type Quad,
  compose,
  invert,
  rectangleToQuad,
  rotation,
  shift,
  turnedSize,
  unturn,
} from '../../src/lab-reports/ocr/geometry.ts';
import { openPdfPictures } from '../../src/lab-reports/ocr/pdf-picture.ts';
import { pngOf } from '../../src/lab-reports/ocr/encode-png.ts';
import { beside, cropped, shrunk } from './everyday.ts';
import { dice } from './made.ts';
import { type Marks, marked } from './marks.ts';
import { type Wear, worn } from './wear.ts';

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
    /** A light table with a stripe of dark and another sheet on it, and a side of the page out of the picture. */
    readonly isCluttered?: boolean;
  };
  readonly wear?: Wear;
  readonly marks?: Marks;
  /** Two pages are in each picture. */
  readonly isPaired?: boolean;
  /** All that is left about the print, as a share of the width. */
  readonly margin?: number;
  /** Pixels along the longer side, as a messenger sends it. */
  readonly longest?: number;
  /** The colour of the light, as CSS names it. */
  readonly light?: string;
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
      const isAlone = !harm.isPaired || number === pictures.count;
      const other = isAlone ? undefined : (await pictures.picture((number += 1))).image;
      const seen = other ? beside(image, other) : image;
      files.push(await harmedImage(seen, { ...harm, seed: harm.seed * 31 + number }));
    }
    return files;
  } finally {
    await pictures.close();
  }
}

export async function harmedImage(page: GrayImage, harm: Harm): Promise<Buffer> {
  const roll = dice(harm.seed);
  const scale = (harm.dpi ?? 200) / 200;
  const print = harm.marks ? await marked(page, harm.marks, roll) : page;
  let image = resize(print, {
    width: Math.round(page.width * scale),
    height: Math.round(page.height * scale),
  });
  if (harm.margin !== undefined) image = cropped(image, harm.margin);
  if (harm.wear) image = worn(image, harm.wear, roll);
  if (harm.photo) image = photographed(image, harm.photo, roll);
  if (harm.skewDegrees) image = askew(image, harm.skewDegrees);
  if (harm.isBlurred) image = boxBlur(image, 1);
  image = grainy(image, harm, roll);
  if (harm.isFax) image = { ...image, data: image.data.map((gray) => (gray > 140 ? 255 : 0)) };
  if (harm.quarters) {
    image = warp(image, unturn(harm.quarters, image), turnedSize(harm.quarters, image));
  }
  return jpegOf(harm.longest ? shrunk(image, harm.longest) : image, harm);
}

/** On a glass that is as large as the page, unless it lies so askew that print would be cut off. */
function askew(page: GrayImage, degrees: number): GrayImage {
  const rim = Math.abs(degrees) > 3 ? Math.round(0.08 * page.width) : 0;
  const size = { width: page.width + 2 * rim, height: page.height + 2 * rim };
  return warp(page, compose(shift(-rim, -rim), rotation(-degrees, size)), size);
}

function photographed(
  page: GrayImage,
  { tilt, shadow, table, isCluttered = false }: NonNullable<Harm['photo']>,
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
      // Where the second picture is white there is no page, but a table of dark wood.
      const gray =
        (inside.data[at] ?? 0) > 127
          ? isCluttered
            ? clutter(x / size.width, y / size.height)
            : 70 + 8 * Math.sin(x / 7 + Math.sin(y / 90) * 3)
          : 0.92 * (seen.data[at] ?? 0);
      data[at] = gray * light;
    }
  }
  return { ...size, data };
}

/** The gray of a desk: light wood, a dark stripe, and the corner of another sheet. */
function clutter(x: number, y: number): number {
  if (x > 0.9 && y > 0.55) return 215;
  if (y > 0.965 - 0.02 * x) return 60;
  return 150 + 20 * Math.sin(y * 160 + Math.sin(x * 9) * 4);
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

async function jpegOf(image: GrayImage, { jpegQuality = 75, photo, light }: Harm): Promise<Buffer> {
  const drawn = await loadImage(pngOf(image));
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
