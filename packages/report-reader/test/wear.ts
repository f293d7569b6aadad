import { type GrayImage, resize, sampleBilinear } from '../src/ocr/image.ts';
import {
  bendIntoSpine,
  thresholdLikeScannerApp,
  addThumbs,
  invertColors,
  addReflection,
  fadeThermalPrint,
} from './everyday.ts';

/**
 * Effects of paper, light and cameras on a page. Written after the reader was finished, to measure it with images that
 * it was not developed with.
 */
export interface PageWear {
  /** Faint print on gray paper: remaining contrast, 0 to 1. */
  readonly contrast?: number;
  /** A letter folded in thirds and once across: darkness of the folds, 0 to 1. */
  readonly folds?: number;
  /** A curled page: amplitude of the lines of print, as a share of the height. */
  readonly curl?: number;
  /** A lamp at one side and the sharp shadow of a hand: darkness, 0 to 1. */
  readonly lamp?: number;
  /** Motion blur in pixels. */
  readonly movedPixels?: number;
  /** A photographed screen: strength of its pixel pattern, 0 to 1. */
  readonly screen?: number;
  /** A coarse fax: lines per inch, which the printer repeats. */
  readonly faxLinesPerInch?: number;
  /** Thermal print: how much has faded, 0 to 1. */
  readonly thermal?: number;
  /** Bound at the left: depth in the spine, 0 to 1. */
  readonly binding?: number;
  /** A lamp reflected in a plastic sleeve: brightness, 0 to 1. */
  readonly mirrored?: number;
  /** Thumbs that hold the page: width, as a share of the page. */
  readonly held?: number;
  /** A scanner app's threshold: its strength. */
  readonly cutByApp?: number;
  /** Light print on a dark screen: gray value of its black. */
  readonly inverted?: number;
}

type Roll = () => number;
type WearChange = (image: GrayImage, strength: number, roll: Roll) => GrayImage;

/** In the order in which they affect a page. */
const CHANGES: readonly (readonly [keyof PageWear, WearChange])[] = [
  ['contrast', fadeContrast],
  ['thermal', fadeThermalPrint],
  ['folds', addFolds],
  ['curl', curlPage],
  ['binding', bendIntoSpine],
  ['inverted', invertColors],
  ['screen', showOnScreen],
  ['lamp', lightFromLamp],
  ['mirrored', addReflection],
  ['held', addThumbs],
  ['movedPixels', blurByMotion],
  ['cutByApp', thresholdLikeScannerApp],
  ['faxLinesPerInch', coarsenFax],
];

export const applyWear = (page: GrayImage, wear: PageWear, roll: Roll): GrayImage =>
  CHANGES.reduce((image, [name, change]) => {
    const strength = wear[name];
    return strength === undefined ? image : change(image, strength, roll);
  }, page);

function fadeContrast(image: GrayImage, contrast: number): GrayImage {
  return { ...image, data: image.data.map((gray) => 225 - (255 - gray) * contrast) };
}

/** Multiplies every pixel by a light that depends on its position. */
function shadePixels(image: GrayImage, light: (x: number, y: number) => number): GrayImage {
  const { width, height, data } = image;
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 1) {
    const y = Math.floor(at / width);
    out[at] = Math.min(255, Math.max(0, (data[at] ?? 0) * light((at % width) / width, y / height)));
  }
  return { width, height, data: out };
}

/** Behind each fold the paper is slightly darker; the fold itself is a worn line. */
function addFolds(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const [upper, lower, across] = [0.33, 0.66, 0.5].map((at) => at + (roll() - 0.5) * 0.03);
  const crease = (off: number) => 1 - strength * Math.exp(-((off / 0.0012) ** 2));
  const lean = (off: number) => (off > 0 ? 1 - 0.45 * strength * Math.exp(-off / 0.06) : 1);
  return shadePixels(image, (x, y) => {
    const off = [y - (upper ?? 0) + 0.004 * x, y - (lower ?? 0) - 0.003 * x, x - (across ?? 0)];
    return off.reduce((light, one) => light * crease(one) * lean(one), 1);
  });
}

function curlPage(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const phase = roll() * 2;
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % image.width;
    const y = Math.floor(at / image.width);
    const swing = Math.sin((x / image.width) * 2.6 + phase) * strength * image.height;
    data[at] = sampleBilinear(image, x, y + swing * (0.4 + (0.6 * y) / image.height));
  }
  return { ...image, data };
}

/** Moire pattern of screen pixels and camera pixels. */
function showOnScreen(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const tilt = 0.02 + roll() * 0.05;
  const pitch = 2.1 + roll() * 0.5;
  return shadePixels(image, (u, v) => {
    const [x, y] = [u * image.width, v * image.height];
    const columns = Math.sin(((x + tilt * y) * 2 * Math.PI) / pitch);
    const rows = Math.sin(((y - tilt * x) * 2 * Math.PI) / (pitch * 1.02));
    return 1 - strength * (0.5 + 0.3 * columns + 0.2 * rows);
  });
}

function lightFromLamp(image: GrayImage, strength: number, roll: Roll): GrayImage {
  const side = roll() < 0.5 ? 0 : 1;
  const edge = 0.35 + roll() * 0.3;
  return shadePixels(image, (x, y) => {
    const away = Math.hypot(x - side, y - 0.2) / 1.3;
    const hand = 1 / (1 + Math.exp(-(0.8 * x + y - edge - 0.6) / 0.012));
    return (1 - 0.6 * strength * away) * (1 - 0.55 * strength * hand);
  });
}

function blurByMotion(image: GrayImage, pixels: number, roll: Roll): GrayImage {
  const direction = roll() * Math.PI;
  const steps = Math.max(2, Math.ceil(pixels * 2));
  const data = new Uint8Array(image.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % image.width;
    const y = Math.floor(at / image.width);
    let sum = 0;
    for (let step = 0; step < steps; step += 1) {
      const off = (step / (steps - 1) - 0.5) * pixels;
      sum += sampleBilinear(image, x + off * Math.cos(direction), y + off * Math.sin(direction));
    }
    data[at] = sum / steps;
  }
  return { ...image, data };
}

const DRAWN_DPI = 200;

function coarsenFax(image: GrayImage, linesPerInch: number): GrayImage {
  const lines = Math.round((image.height * linesPerInch) / DRAWN_DPI);
  const sent = resize(image, { width: image.width, height: lines });
  const data = new Uint8Array(image.data.length);
  for (let y = 0; y < image.height; y += 1) {
    const line = Math.min(lines - 1, Math.floor((y * lines) / image.height));
    data.set(sent.data.subarray(line * image.width, (line + 1) * image.width), y * image.width);
  }
  return { ...image, data };
}
