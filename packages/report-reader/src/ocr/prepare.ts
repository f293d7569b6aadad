import { invertIfLightOnDark, normalizeIllumination, stretchContrast } from './background.ts';
import { measureSkew } from './deskew.ts';
import {
  type Homography,
  IDENTITY,
  type ImageSize,
  compose,
  readableLength,
  rectangleToQuad,
  rotation,
  scaling,
  turnedSize,
  undoTurn,
} from './geometry.ts';
import { type GrayImage, warp } from './image.ts';
import { findSheets, sideLengths } from './find-sheets.ts';

/** A page shorter than this, in pixels, was scanned below about 150 dpi. */
const COARSE_SIDE = 1_650;
const UPSCALE = 1.5;
/** More pixels do not improve recognition. */
const LONGEST_SIDE = 2_500;
/** Smaller images are not enlarged, because no page can be read from them. */
const MIN_SIDE = 500;

/** How an image was prepared for OCR. */
export interface ImagePreparation {
  /** Whether the sheet was cropped and its perspective corrected. */
  readonly isSheetCut: boolean;
  /** Whether the illumination was normalized. */
  readonly isEvened: boolean;
  readonly quarters: number;
  readonly skewDegrees: number;
  readonly scale: number;
}

interface PreparedPage {
  /** The page, upright and level. */
  readonly image: GrayImage;
  /** Maps its pixels to those of the input image. */
  readonly toSource: Homography;
  readonly preparation: ImagePreparation;
}

/** A sheet whose outline is known, but not its orientation. */
export interface CleanedSheet {
  readonly image: GrayImage;
  readonly sheetToSource: Homography;
  readonly size: ImageSize;
  readonly isSheetCut: boolean;
  readonly isEvened: boolean;
}

/** Normalizes the background and finds the sheets: one, or two next to each other. */
export function cleanImage(given: GrayImage): readonly CleanedSheet[] {
  const printed = invertIfLightOnDark(given);
  const quads = findSheets(printed);
  const evened = normalizeIllumination(printed);
  const rest = { image: stretchContrast(evened), isEvened: evened !== printed };
  if (quads.length === 0) {
    const size = { width: given.width, height: given.height };
    return [{ ...rest, sheetToSource: IDENTITY, size, isSheetCut: false }];
  }
  return quads.map((quad) => {
    const [top, right, bottom, left] = sideLengths(quad);
    const size = { width: Math.round(Math.max(top, bottom)), height: Math.round(Math.max(left, right)) };
    return { ...rest, sheetToSource: rectangleToQuad(size, quad), size, isSheetCut: true };
  });
}

/** Turns a page clockwise by quarter turns, deskews it and scales it for OCR, with a single resampling. */
export function preparePage(
  { image, sheetToSource, size, isSheetCut, isEvened }: CleanedSheet,
  quarters: number,
): PreparedPage {
  const turned = turnedSize(quarters, size);
  const upright = compose(sheetToSource, undoTurn(quarters, size));
  const longest = readableLength(turned);
  const look = Math.min(1, 1_300 / longest);
  const preview = warp(image, compose(upright, scaling(1 / look, 1 / look)), scaleSize(turned, look));
  const skewDegrees = measureSkew(preview);
  const scale = scaleFor(longest);
  const level = compose(upright, rotation(skewDegrees, turned));
  const toGiven = compose(level, scaling(1 / scale, 1 / scale));
  return {
    image: warp(image, toGiven, scaleSize(turned, scale)),
    toSource: toGiven,
    preparation: { isSheetCut, isEvened, quarters, skewDegrees, scale },
  };
}

function scaleFor(longest: number): number {
  if (longest > LONGEST_SIDE) return LONGEST_SIDE / longest;
  return longest < COARSE_SIDE && longest > MIN_SIDE ? UPSCALE : 1;
}

const scaleSize = ({ width, height }: ImageSize, by: number): ImageSize => ({
  width: Math.max(1, Math.round(width * by)),
  height: Math.max(1, Math.round(height * by)),
});
