import { darkOnLight, evenOut, stretch } from './background.ts';
import { skewOf } from './deskew.ts';
import {
  type Matrix,
  SAME,
  type Size,
  compose,
  lengthOf,
  rectangleToQuad,
  rotation,
  scaling,
  turnedSize,
  unturn,
} from './geometry.ts';
import { type GrayImage, warp } from './image.ts';
import { sheetsOf, sideLengths } from './paper.ts';

/** A page shorter than this, in pixels, was scanned at less than about 150 dpi. */
const COARSE_SIDE = 1_650;
const UPSCALE = 1.5;
/** More than this of a page shows nothing new. */
const LONGEST_SIDE = 2_500;
/** Of a smaller picture more pixels make no page. */
const LEAST_SIDE = 500;

/** What was done to a picture before it was read. */
export interface Preparation {
  /** Whether the sheet was cut out of its surroundings and pulled straight. */
  readonly isSheetCut: boolean;
  /** Whether shadows and the colour of the light were taken away. */
  readonly isEvened: boolean;
  readonly quarters: number;
  readonly skewDegrees: number;
  readonly scale: number;
}

export interface Prepared {
  /** The page, upright and level. */
  readonly image: GrayImage;
  /** From its pixels to those of the picture that was given. */
  readonly toGiven: Matrix;
  readonly done: Preparation;
}

/** A picture of which all is known but which way is up. */
export interface Cleaned {
  readonly image: GrayImage;
  readonly sheet: Matrix;
  readonly size: Size;
  readonly isSheetCut: boolean;
  readonly isEvened: boolean;
}

/** Takes away background and finds the sheets, of which there are two where two pages lie beside each other. */
export function clean(given: GrayImage): readonly Cleaned[] {
  const printed = darkOnLight(given);
  const quads = sheetsOf(printed);
  const evened = evenOut(printed);
  const rest = { image: stretch(evened), isEvened: evened !== printed };
  if (quads.length === 0) {
    const size = { width: given.width, height: given.height };
    return [{ ...rest, sheet: SAME, size, isSheetCut: false }];
  }
  return quads.map((quad) => {
    const [top, right, bottom, left] = sideLengths(quad);
    const size = { width: Math.round(Math.max(top, bottom)), height: Math.round(Math.max(left, right)) };
    return { ...rest, sheet: rectangleToQuad(size, quad), size, isSheetCut: true };
  });
}

/** The page turned clockwise by so many quarters, level, in a size that can be read; all in one sampling. */
export function prepare({ image, sheet, size, isSheetCut, isEvened }: Cleaned, quarters: number): Prepared {
  const turned = turnedSize(quarters, size);
  const upright = compose(sheet, unturn(quarters, size));
  const longest = lengthOf(turned);
  const look = Math.min(1, 1_300 / longest);
  const preview = warp(image, compose(upright, scaling(1 / look, 1 / look)), scaled(turned, look));
  const skewDegrees = skewOf(preview);
  const scale = scaleFor(longest);
  const level = compose(upright, rotation(skewDegrees, turned));
  const toGiven = compose(level, scaling(1 / scale, 1 / scale));
  return {
    image: warp(image, toGiven, scaled(turned, scale)),
    toGiven,
    done: { isSheetCut, isEvened, quarters, skewDegrees, scale },
  };
}

function scaleFor(longest: number): number {
  if (longest > LONGEST_SIDE) return LONGEST_SIDE / longest;
  return longest < COARSE_SIDE && longest > LEAST_SIDE ? UPSCALE : 1;
}

const scaled = ({ width, height }: Size, by: number): Size => ({
  width: Math.max(1, Math.round(width * by)),
  height: Math.max(1, Math.round(height * by)),
});
