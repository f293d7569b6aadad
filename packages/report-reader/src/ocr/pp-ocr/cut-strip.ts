import type { Homography } from '../geometry.ts';
import { type GrayImage, WHITE, quantile, resize, soften, warp } from '../image.ts';
import type { TextStrip } from './detect.ts';
import { STRIP_HEIGHT } from './recognize.ts';

/** A text strip cut out of an image, 48 pixels high, dark on light. */
export interface StripImage {
  readonly image: GrayImage;
  /** Image pixels per pixel of the strip, vertically. */
  readonly scale: number;
  /** Image pixels per pixel of the strip, horizontally. */
  readonly across: number;
  readonly strip: TextStrip;
}

const isTall = ({ width, height }: TextStrip): boolean => height > 1.5 * width;

/** Whether most of the text, by length, is vertical. */
export function isMostlyVertical(strips: readonly TextStrip[]): boolean {
  const long = strips.filter(({ width, height }) => Math.max(width, height) > 2.2 * Math.min(width, height));
  const lengthOf = (some: readonly TextStrip[]) =>
    some.reduce((sum, { width, height }) => sum + Math.max(width, height), 0);
  return long.length >= 4 && lengthOf(long.filter(isTall)) > 0.7 * lengthOf(long);
}

/** Cuts out a strip; a vertical one is turned to the left, so that it is horizontal. */
export function cutStrip(image: GrayImage, strip: TextStrip): StripImage {
  const isUpright = isTall(strip);
  const [long, short] = isUpright ? [strip.height, strip.width] : [strip.width, strip.height];
  const scale = short / STRIP_HEIGHT;
  const width = Math.max(8, Math.round(long / scale));
  // Letters much larger than the strip are cut at full size and then reduced.
  const fine = scale > 1.5 ? 1 / scale : 1;
  const size = { width: Math.max(8, Math.round(width / fine)), height: Math.round(STRIP_HEIGHT / fine) };
  const step = long / size.width;
  const down = short / size.height;
  const toImage: Homography = isUpright
    ? [0, -down, strip.x + short / 2, step, 0, strip.y - long / 2, 0, 0, 1]
    : [step, 0, strip.x - long / 2, strip.slope * step, down, topLeftOf(strip, short), 0, 0, 1];
  const cutOut = resize(warp(image, toImage, size), { width, height: STRIP_HEIGHT });
  return { image: makeDarkOnLight(soften(cutOut)), scale, across: long / width, strip };
}

/** The y of the top left corner of a sloping strip. */
const topLeftOf = ({ y, slope, width }: TextStrip, short: number): number =>
  y - short / 2 - (slope * width) / 2;

/** The rows of small letters, as shares of the strip height, and the columns at its ends, which are mostly bare. */
const MIDDLE = { from: 0.3, to: 0.7 };
const ENDS = 6;
/** The rows to use if the ends are not bare: even with bold print, most of the strip is background. */
const WHOLE = { from: 0.06, to: 0.94 };
const CLEARLY = 0.7;
/** How far foreign marks, such as a rule or the edge of a colored row, may reach into a strip. */
const RIM = 0.3;
/** No row of print has this share of ink. */
const ALL_THROUGH = 0.85;

/** Inverts print on a dark background, and fills rim rows with another background with the paper color. */
function makeDarkOnLight(image: GrayImage): GrayImage {
  const { width, height, data } = image;
  const { isTurned, ground, edge } = measureBackground(image);
  const isOther = (row: number): boolean => {
    const line = cropImage(image, { left: 0, right: width, from: row, to: row + 1 });
    return isTurned ? quantile(line, 1 - ALL_THROUGH) > edge : quantile(line, ALL_THROUGH) < edge;
  };
  const fresh = isTurned ? data.map((gray) => WHITE - gray) : data.slice();
  const rim = Math.round(RIM * height);
  const [first, last] = [0, height - 1];
  let [top, bottom] = [first, last];
  for (let off = 0; off < rim; off += 1) {
    // Including the next row, into which it is blurred.
    if (isOther(first + off)) top = first + off + 2;
    if (isOther(last - off)) bottom = last - off - 2;
  }
  const paper = isTurned ? WHITE - ground : ground;
  clearRules({ ...image, data: fresh }, { edge: isTurned ? WHITE - edge : edge, paper });
  fresh.fill(paper, 0, top * width);
  fresh.fill(paper, (bottom + 1) * width);
  return { ...image, data: fresh };
}

/** How far into a strip a vertical table rule may be. */
const RIM_ASIDE = 7;

/** Erases vertical rules at both ends of a strip, because a sign next to one is not recognized. */
function clearRules(
  { width, height, data }: GrayImage,
  { edge, paper }: { edge: number; paper: number },
): void {
  if (width < 4 * RIM_ASIDE) return;
  const isRule = (column: number): boolean => {
    for (let row = 0; row < height; row += 1) if ((data[row * width + column] ?? 0) >= edge) return false;
    return true;
  };
  const rim = Array.from({ length: RIM_ASIDE }, (_, off) => off);
  // Including the adjacent columns, into which it is blurred.
  const left = rim.findLast(isRule);
  const right = rim.findLast((off) => isRule(width - 1 - off));
  for (let row = 0; row < height; row += 1) {
    if (left !== undefined) data.fill(paper, row * width, row * width + left + 3);
    if (right !== undefined) data.fill(paper, (row + 1) * width - right - 3, (row + 1) * width);
  }
}

/** The gray of the background, and the threshold between background and print. */
function measureBackground(image: GrayImage): { isTurned: boolean; ground: number; edge: number } {
  const { width } = image;
  const middle = rowsOf(image, MIDDLE);
  const edge = (quantile(middle, 0.04) + quantile(middle, 0.96)) / 2;
  const lightOf = ({ data }: GrayImage): number =>
    data.reduce((sum, gray) => sum + Number(gray > edge), 0) / Math.max(1, data.length);
  const rows = { from: 0, to: middle.height };
  const ends =
    (lightOf(cropImage(middle, { left: 0, right: Math.min(ENDS, width), ...rows })) +
      lightOf(cropImage(middle, { left: Math.max(0, width - ENDS), right: width, ...rows }))) /
    2;
  const isClear = ends > CLEARLY || ends < 1 - CLEARLY;
  const isTurned = (isClear ? ends : lightOf(rowsOf(image, WHOLE))) < 0.5;
  const light = lightOf(middle);
  // The median of the light part, or of the dark one.
  return { isTurned, ground: quantile(middle, isTurned ? (1 - light) / 2 : 1 - light / 2), edge };
}

const rowsOf = (image: GrayImage, { from, to }: { from: number; to: number }): GrayImage =>
  cropImage(image, {
    left: 0,
    right: image.width,
    from: Math.round(from * image.height),
    to: Math.round(to * image.height),
  });

interface ImageRegion {
  readonly left: number;
  readonly right: number;
  readonly from: number;
  readonly to: number;
}

function cropImage({ width, data }: GrayImage, { left, right, from, to }: ImageRegion): GrayImage {
  const size = { width: right - left, height: to - from };
  const out = new Uint8Array(size.width * size.height);
  for (let row = 0; row < size.height; row += 1) {
    const start = (from + row) * width;
    out.set(data.subarray(start + left, start + right), row * size.width);
  }
  return { ...size, data: out };
}

/** Maps a point of the strip to the image. */
export const toImagePoint = (
  { strip, scale, across, image }: StripImage,
  { x, y }: { x: number; y: number },
): { x: number; y: number } => {
  const aside = (x - image.width / 2) * across;
  return { x: strip.x + aside, y: strip.y + strip.slope * aside + (y - image.height / 2) * scale };
};
