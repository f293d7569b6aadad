import type { Harm } from './degrade.ts';

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

const FLAT = { tilt: 0, shadow: 0.2, table: 0 };

/** Harms that the reader was not made with, and was only measured with. */
// prettier-ignore
export const HELD_OUT_HARMS: Readonly<Record<string, Harm>> = {
  lamp:       { seed: 21, photo: { tilt: 0.01, shadow: 0.1, table: 0.04 }, wear: { lamp: 0.6 }, grain: 5, jpegQuality: 75 },
  folded:     { seed: 22, photo: FLAT, wear: { folds: 0.35 }, skewDegrees: -1.1, grain: 4, jpegQuality: 75 },
  cluttered:  { seed: 23, photo: { tilt: 0.015, shadow: 0.25, table: 0.06, isCluttered: true }, grain: 4, jpegQuality: 75 },
  moved:      { seed: 24, photo: FLAT, wear: { movedPixels: 3.5 }, skewDegrees: 0.9, grain: 4, jpegQuality: 75 },
  fineFax:    { seed: 25, skewDegrees: -0.7, grain: 3, specks: 60, isFax: true, jpegQuality: 90 },
  coarseFax:  { seed: 26, skewDegrees: 0.5, wear: { faxLinesPerInch: 98 }, isFax: true, jpegQuality: 90 },
  fax130:     { seed: 27, dpi: 130, skewDegrees: 0.6, isFax: true, jpegQuality: 90 },
  blueLight:  { seed: 28, photo: { tilt: 0.01, shadow: 0.35, table: 0.03 }, light: '#7fa4ff', grain: 6, jpegQuality: 70 },
  yellowed:   { seed: 29, photo: FLAT, light: '#ffcf60', wear: { contrast: 0.6 }, grain: 5, jpegQuality: 70 },
  screen:     { seed: 30, photo: { tilt: 0.012, shadow: 0.15, table: 0 }, wear: { screen: 0.35 }, grain: 4, jpegQuality: 80 },
  curled:     { seed: 31, photo: { tilt: 0.01, shadow: 0.3, table: 0.04 }, wear: { curl: 0.006 }, grain: 4, jpegQuality: 75 },
  faint:      { seed: 32, wear: { contrast: 0.3 }, skewDegrees: 1.4, grain: 4, jpegQuality: 65 },
  skewed8:    { seed: 33, skewDegrees: 8, grain: 6, jpegQuality: 70 },
  skewedBack: { seed: 34, dpi: 150, skewDegrees: -7.5, grain: 5, quarters: 2, jpegQuality: 70 },
  turned270:  { seed: 35, photo: { tilt: 0.02, shadow: 0.3, table: 0.05 }, wear: { lamp: 0.35 }, grain: 4, quarters: 3, jpegQuality: 70 },
  rough100:   { seed: 36, dpi: 100, skewDegrees: -1.6, grain: 6, jpegQuality: 55 },
};
