import type { Degradation } from './degrade.ts';

/** Degradations by name, from a good scan to a handheld photo. */
export const DEGRADATIONS: Readonly<Record<string, Degradation>> = {
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

/** Held-out degradations: the reader was not developed with them. */
// prettier-ignore
export const HELD_OUT_DEGRADATIONS: Readonly<Record<string, Degradation>> = {
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

const HELD_FLAT = { tilt: 0.01, shadow: 0.25, table: 0.05 };
const PENS = ['#fff04a', '#a6ff5c', '#ff8ac4', '#ffb84d'];

/** What patients typically send; measured before the reader was improved for it. */
// prettier-ignore
export const EVERYDAY_DEGRADATIONS: Readonly<Record<string, Degradation>> = {
  stripes:     { seed: 41, marks: { stripes: '#d5e4f3', bands: '#1f4e8c' }, skewDegrees: 0.5, grain: 4, jpegQuality: 75 },
  greyBands:   { seed: 42, marks: { stripes: '#c9c9c9', bands: '#8a8a8a' }, dpi: 150, grain: 6, jpegQuality: 70 },
  bandPhoto:   { seed: 43, marks: { stripes: '#dff0d8', bands: '#2e7d32' }, photo: HELD_FLAT, grain: 4, jpegQuality: 75 },
  highlighter: { seed: 44, marks: { highlighter: PENS }, photo: HELD_FLAT, grain: 4, jpegQuality: 75 },
  penScan:     { seed: 45, marks: { highlighter: ['#ff8ac4', '#7fd6ff'], pen: '#1b3fa0' }, skewDegrees: -0.8, grain: 4, jpegQuality: 75 },
  stamp:       { seed: 46, marks: { stamp: '#c0392b', pen: '#222222' }, skewDegrees: 0.7, grain: 4, jpegQuality: 75 },
  rules:       { seed: 47, marks: { rules: '#555555' }, skewDegrees: 0.4, grain: 4, jpegQuality: 75 },
  palePrint:   { seed: 48, marks: { pale: 0.6 }, skewDegrees: -0.5, grain: 4, jpegQuality: 70 },
  darkMode:    { seed: 49, wear: { inverted: 24 }, dpi: 150, jpegQuality: 90 },
  darkScreen:  { seed: 50, wear: { inverted: 35, screen: 0.25 }, photo: { tilt: 0.01, shadow: 0.1, table: 0.03 }, grain: 4, jpegQuality: 75 },
  scannerApp:  { seed: 51, photo: { tilt: 0.005, shadow: 0.3, table: 0 }, wear: { cutByApp: 2.2 }, jpegQuality: 60 },
  harshApp:    { seed: 52, dpi: 150, wear: { contrast: 0.7, cutByApp: 5 }, skewDegrees: 0.6, jpegQuality: 60 },
  binding:     { seed: 53, photo: HELD_FLAT, wear: { binding: 0.5 }, grain: 4, jpegQuality: 75 },
  thermal:     { seed: 54, photo: { tilt: 0.005, shadow: 0.2, table: 0 }, wear: { thermal: 0.65 }, grain: 4, jpegQuality: 75 },
  sleeve:      { seed: 55, photo: HELD_FLAT, wear: { mirrored: 0.85 }, grain: 4, jpegQuality: 75 },
  held:        { seed: 56, photo: { tilt: 0.02, shadow: 0.3, table: 0.04 }, wear: { held: 0.06 }, grain: 4, jpegQuality: 75 },
  cropped:     { seed: 57, margin: 0.006, photo: { tilt: 0, shadow: 0.3, table: 0 }, skewDegrees: 1.2, grain: 4, jpegQuality: 75 },
  messenger:   { seed: 58, photo: HELD_FLAT, longest: 1600, grain: 5, jpegQuality: 60 },
  twoPages:    { seed: 59, isPaired: true, photo: { tilt: 0.005, shadow: 0.25, table: 0 }, grain: 4, jpegQuality: 75 },
};
