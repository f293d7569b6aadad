import { type GrayImage, resize, sample } from '../../src/lab-reports/ocr/image.ts';
import { bound, cutByApp, held, inverted, mirrored, thermal } from './everyday.ts';

/**
 * What paper, light and cameras do to a page besides the plain harms: written when the reader was done, to measure
 * it with what it was not made for.
 */
export interface Wear {
  /** Faint print on gray paper: how much of the contrast is left, 0 to 1. */
  readonly contrast?: number;
  /** A letter folded in three and once across: how much darker the folds are, 0 to 1. */
  readonly folds?: number;
  /** A page that does not lie flat: how far lines of print swing, as a share of the height. */
  readonly curl?: number;
  /** A lamp at one side and the shadow of a hand with an edge: how much darker the darkest is, 0 to 1. */
  readonly lamp?: number;
  /** The camera moved: how far, in pixels. */
  readonly movedPixels?: number;
  /** The page is shown on a screen and photographed: how strong its dots are, 0 to 1. */
  readonly screen?: number;
  /** A fax of the coarse kind sends so many lines an inch, and the printer repeats them. */
  readonly faxLinesPerInch?: number;
  /** The print of a till: how much of it has gone, 0 to 1. */
  readonly thermal?: number;
  /** Bound at the left: how deep it goes into the spine, 0 to 1. */
  readonly binding?: number;
  /** A lamp mirrored in a sleeve of plastic: how bright, 0 to 1. */
  readonly mirrored?: number;
  /** Fingers that hold the page: how wide, as a share of it. */
  readonly held?: number;
  /** An app has cut away everything but black print: how hard. */
  readonly cutByApp?: number;
  /** Light print on a dark screen, whose black is so bright. */
  readonly inverted?: number;
}

type Roll = () => number;
type Change = (image: GrayImage, strength: number, roll: Roll) => GrayImage;

/** In the order in which they happen to a page. */
const CHANGES: readonly (readonly [keyof Wear, Change])[] = [
  ['contrast', faded],
  ['thermal', thermal],
  ['folds', folded],
  ['curl', curled],
  ['binding', bound],
  ['inverted', inverted],
  ['screen', onScreen],
  ['lamp', lit],
  ['mirrored', mirrored],
  ['held', held],
  ['movedPixels', moved],
  ['cutByApp', cutByApp],
  ['faxLinesPerInch', coarse],
];

export const worn = (page: GrayImage, wear: Wear, roll: Roll): GrayImage =>
  CHANGES.reduce((image, [name, change]) => {
    const strength = wear[name];
    return strength === undefined ? image : change(image, strength, roll);
  }, page);

function faded(image: GrayImage, contrast: number): GrayImage {
  return { ...image, data: image.data.map((gray) => 225 - (255 - gray) * contrast) };
}

/** Every pixel times a light that depends on where it is. */
function shaded(image: GrayImage, light: (x: number, y: number) => number): GrayImage {
  const { width, height, data } = image;
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 1) {
    const y = Math.floor(at / width);
    out[at] = Math.min(255, Math.max(0, (data[at] ?? 0) * light((at % width) / width, y / height)));
  }
  return { width, height, data: out };
}

/** Beyond each fold the paper leans a little away from the light; the fold itself is a worn line. */
function folded(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const [upper, lower, across] = [0.33, 0.66, 0.5].map((at) => at + (roll() - 0.5) * 0.03);
  const crease = (off: number) => 1 - strength * Math.exp(-((off / 0.0012) ** 2));
  const lean = (off: number) => (off > 0 ? 1 - 0.45 * strength * Math.exp(-off / 0.06) : 1);
  return shaded(image, (x, y) => {
    const off = [y - (upper ?? 0) + 0.004 * x, y - (lower ?? 0) - 0.003 * x, x - (across ?? 0)];
    return off.reduce((light, one) => light * crease(one) * lean(one), 1);
  });
}

function curled(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const phase = roll() * 2;
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % image.width;
    const y = Math.floor(at / image.width);
    const swing = Math.sin((x / image.width) * 2.6 + phase) * strength * image.height;
    data[at] = sample(image, x, y + swing * (0.4 + (0.6 * y) / image.height));
  }
  return { ...image, data };
}

/** Red, green and blue dots of a screen beside each other, looked at by a camera whose dots do not fit them. */
function onScreen(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const tilt = 0.02 + roll() * 0.05;
  const pitch = 2.1 + roll() * 0.5;
  return shaded(image, (u, v) => {
    const [x, y] = [u * image.width, v * image.height];
    const columns = Math.sin(((x + tilt * y) * 2 * Math.PI) / pitch);
    const rows = Math.sin(((y - tilt * x) * 2 * Math.PI) / (pitch * 1.02));
    return 1 - strength * (0.5 + 0.3 * columns + 0.2 * rows);
  });
}

function lit(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const side = roll() < 0.5 ? 0 : 1;
  const edge = 0.35 + roll() * 0.3;
  return shaded(image, (x, y) => {
    const away = Math.hypot(x - side, y - 0.2) / 1.3;
    const hand = 1 / (1 + Math.exp(-(0.8 * x + y - edge - 0.6) / 0.012));
    return (1 - 0.6 * strength * away) * (1 - 0.55 * strength * hand);
  });
}

function moved(image: GrayImage, pixels: number, roll: Roll): GrayImage {
  const direction = roll() * Math.PI;
  const steps = Math.max(2, Math.ceil(pixels * 2));
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % image.width;
    const y = Math.floor(at / image.width);
    let sum = 0;
    for (let step = 0; step < steps; step += 1) {
      const off = (step / (steps - 1) - 0.5) * pixels;
      sum += sample(image, x + off * Math.cos(direction), y + off * Math.sin(direction));
    }
    data[at] = sum / steps;
  }
  return { ...image, data };
}

const DRAWN_DPI = 200;

function coarse(image: GrayImage, linesPerInch: number): GrayImage {
  const lines = Math.round((image.height * linesPerInch) / DRAWN_DPI);
  const sent = resize(image, { width: image.width, height: lines });
  const data = new Uint8Array(image.data.length);
  for (let y = 0; y < image.height; y += 1) {
    const line = Math.min(lines - 1, Math.floor((y * lines) / image.height));
    data.set(sent.data.subarray(line * image.width, (line + 1) * image.width), y * image.width);
  }
  return { ...image, data };
}
