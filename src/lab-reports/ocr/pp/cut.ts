import type { Matrix } from '../geometry.ts';
import { type GrayImage, WHITE, quantile, resize, softened, warp } from '../image.ts';
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

/** The rows of small letters, as shares of the height of a strip, and the columns at its ends, which mostly are bare. */
const MIDDLE = { from: 0.3, to: 0.7 };
const ENDS = 6;
/** Where the ends are not, more of the whole strip is ground than print, be it heavy. */
const WHOLE = { from: 0.06, to: 0.94 };
const CLEARLY = 0.7;
/** So far into a strip what lies beside it may reach: a rule, the edge of a coloured row. */
const RIM = 0.3;
/** No row of print is inked as far as this. */
const ALL_THROUGH = 0.85;

/** Print on a dark ground turned round; rows at the rim that are of another ground than the print made as it. */
function darkOnLight(image: GrayImage): GrayImage {
  const { width, height, data } = image;
  const { isTurned, ground, edge } = groundOf(image);
  const isOther = (row: number): boolean => {
    const line = part(image, { left: 0, right: width, from: row, to: row + 1 });
    return isTurned ? quantile(line, 1 - ALL_THROUGH) > edge : quantile(line, ALL_THROUGH) < edge;
  };
  const fresh = isTurned ? data.map((gray) => WHITE - gray) : data.slice();
  const rim = Math.round(RIM * height);
  const [first, last] = [0, height - 1];
  let [top, bottom] = [first, last];
  for (let off = 0; off < rim; off += 1) {
    // With the row beside it, into which it is blurred.
    if (isOther(first + off)) top = first + off + 2;
    if (isOther(last - off)) bottom = last - off - 2;
  }
  const paper = isTurned ? WHITE - ground : ground;
  clearRules({ ...image, data: fresh }, { edge: isTurned ? WHITE - edge : edge, paper });
  fresh.fill(paper, 0, top * width);
  fresh.fill(paper, (bottom + 1) * width);
  return { ...image, data: fresh };
}

/** So far into a strip the rule between two columns of a table may stand; it goes through from top to bottom. */
const RIM_ASIDE = 7;

/** Makes upright rules at both ends of a strip paper: a sign beside one is not read. */
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
  // With the columns beside it, into which it is blurred.
  const left = rim.findLast(isRule);
  const right = rim.findLast((off) => isRule(width - 1 - off));
  for (let row = 0; row < height; row += 1) {
    if (left !== undefined) data.fill(paper, row * width, row * width + left + 3);
    if (right !== undefined) data.fill(paper, (row + 1) * width - right - 3, (row + 1) * width);
  }
}

/** What print stands on, and the gray between the two. */
function groundOf(image: GrayImage): { isTurned: boolean; ground: number; edge: number } {
  const { width } = image;
  const middle = rowsOf(image, MIDDLE);
  const edge = (quantile(middle, 0.04) + quantile(middle, 0.96)) / 2;
  const lightOf = ({ data }: GrayImage): number =>
    data.reduce((sum, gray) => sum + Number(gray > edge), 0) / Math.max(1, data.length);
  const rows = { from: 0, to: middle.height };
  const ends =
    (lightOf(part(middle, { left: 0, right: Math.min(ENDS, width), ...rows })) +
      lightOf(part(middle, { left: Math.max(0, width - ENDS), right: width, ...rows }))) /
    2;
  const isClear = ends > CLEARLY || ends < 1 - CLEARLY;
  const isTurned = (isClear ? ends : lightOf(rowsOf(image, WHOLE))) < 0.5;
  const light = lightOf(middle);
  // The middle of the light part, or of the dark one.
  return { isTurned, ground: quantile(middle, isTurned ? (1 - light) / 2 : 1 - light / 2), edge };
}

const rowsOf = (image: GrayImage, { from, to }: { from: number; to: number }): GrayImage =>
  part(image, {
    left: 0,
    right: image.width,
    from: Math.round(from * image.height),
    to: Math.round(to * image.height),
  });

interface Part {
  readonly left: number;
  readonly right: number;
  readonly from: number;
  readonly to: number;
}

function part({ width, data }: GrayImage, { left, right, from, to }: Part): GrayImage {
  const size = { width: right - left, height: to - from };
  const out = new Uint8Array(size.width * size.height);
  for (let row = 0; row < size.height; row += 1) {
    const start = (from + row) * width;
    out.set(data.subarray(start + left, start + right), row * size.width);
  }
  return { ...size, data: out };
}

/** A place on the cut, on the picture. */
export const onPicture = (
  { strip, scale, across, image }: Cut,
  { x, y }: { x: number; y: number },
): { x: number; y: number } => {
  const aside = (x - image.width / 2) * across;
  return { x: strip.x + aside, y: strip.y + strip.slope * aside + (y - image.height / 2) * scale };
};
