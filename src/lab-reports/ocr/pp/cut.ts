import type { Matrix } from '../geometry.ts';
import { type GrayImage, WHITE, resize, softened, warp } from '../image.ts';
import type { Strip } from './detect.ts';
import { STRIP_HEIGHT } from './recognise.ts';

/** A strip of print cut out of a picture, 48 pixels high, dark on light. */
export interface Cut {
  readonly image: GrayImage;
  /** Pixels of the picture for each pixel of the cut, up and down. */
  readonly scale: number;
  /** The same from left to right. */
  readonly across: number;
  readonly strip: Strip;
}

const isTall = ({ width, height }: Strip): boolean => height > 1.5 * width;

/** Whether most of the print, by length, runs up and down. */
export function runsUpright(strips: readonly Strip[]): boolean {
  const long = strips.filter(({ width, height }) => Math.max(width, height) > 2.2 * Math.min(width, height));
  const lengthOf = (some: readonly Strip[]) =>
    some.reduce((sum, { width, height }) => sum + Math.max(width, height), 0);
  return long.length >= 4 && lengthOf(long.filter(isTall)) > 0.7 * lengthOf(long);
}

/** Cuts a strip out; one that runs from top to bottom is turned to the left, so that it reads across. */
export function cut(image: GrayImage, strip: Strip): Cut {
  const isUpright = isTall(strip);
  const [long, short] = isUpright ? [strip.height, strip.width] : [strip.width, strip.height];
  const scale = short / STRIP_HEIGHT;
  const width = Math.max(8, Math.round(long / scale));
  // Letters much larger than the strip are taken as they are and then made smaller.
  const fine = scale > 1.5 ? 1 / scale : 1;
  const size = { width: Math.max(8, Math.round(width / fine)), height: Math.round(STRIP_HEIGHT / fine) };
  const step = long / size.width;
  const down = short / size.height;
  const toImage: Matrix = isUpright
    ? [0, -down, strip.x + short / 2, step, 0, strip.y - long / 2, 0, 0, 1]
    : [step, 0, strip.x - long / 2, strip.slope * step, down, levelOf(strip, short), 0, 0, 1];
  const cutOut = resize(warp(image, toImage, size), { width, height: STRIP_HEIGHT });
  return { image: darkOnLight(softened(cutOut)), scale, across: long / width, strip };
}

/** Where the top left corner of a strip stands, that climbs or falls. */
const levelOf = ({ y, slope, width }: Strip, short: number): number => y - short / 2 - (slope * width) / 2;

function darkOnLight(image: GrayImage): GrayImage {
  let sum = 0;
  for (const gray of image.data) sum += gray;
  return sum / image.data.length > 115 ? image : { ...image, data: image.data.map((gray) => WHITE - gray) };
}

/** A place on the cut, on the picture. */
export const onPicture = (
  { strip, scale, across, image }: Cut,
  { x, y }: { x: number; y: number },
): { x: number; y: number } => {
  const aside = (x - image.width / 2) * across;
  return { x: strip.x + aside, y: strip.y + strip.slope * aside + (y - image.height / 2) * scale };
};
