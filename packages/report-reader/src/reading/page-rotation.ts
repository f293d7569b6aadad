import type { BoundingBox } from './report-model.ts';

/** Clockwise degrees that a page must be rotated for its text to be upright. */
type PageRotation = 0 | 90 | 180 | 270;

interface OrientedRun {
  readonly str: string;
  /** On the displayed page, with y pointing down. */
  readonly transform: readonly number[];
}

/** A page with a smaller upright share is rotated. */
const UPRIGHT_SHARE = 0.3;

/** The direction of most of the text of a page. A stamp or margin note changes nothing. */
export function detectRotation(runs: readonly OrientedRun[]): PageRotation {
  const letters = new Map<PageRotation, number>();
  for (const { str, transform } of runs) {
    const turn = detectRunRotation(transform);
    if (turn !== undefined) letters.set(turn, (letters.get(turn) ?? 0) + str.length);
  }
  const all = [...letters.values()].reduce((sum, some) => sum + some, 0);
  if (all === 0 || (letters.get(0) ?? 0) >= UPRIGHT_SHARE * all) return 0;
  const [most] = [...letters].toSorted(([, one], [, other]) => other - one);
  return most?.[0] ?? 0;
}

const SLANT = 0.1;

/** Undefined for diagonal text, such as a watermark. */
function detectRunRotation([a = 0, b = 0]: readonly number[]): PageRotation | undefined {
  if (Math.abs(b) <= SLANT * Math.abs(a)) return a > 0 ? 0 : 180;
  if (Math.abs(a) <= SLANT * Math.abs(b)) return b > 0 ? 270 : 90;
  return undefined;
}

/** Maps a box of the upright page to the displayed page, which has this size. */
export function createDisplayMapping(
  turn: PageRotation,
  { width, height }: { readonly width: number; readonly height: number },
): (box: BoundingBox) => BoundingBox {
  switch (turn) {
    case 0:
      return (box) => box;
    case 90:
      return ({ x0, y0, x1, y1 }) => ({ x0: y0, x1: y1, y0: height - x1, y1: height - x0 });
    case 180:
      return ({ x0, y0, x1, y1 }) => ({ x0: width - x1, x1: width - x0, y0: height - y1, y1: height - y0 });
    case 270:
      return ({ x0, y0, x1, y1 }) => ({ x0: width - y1, x1: width - y0, y0: x0, y1: x1 });
  }
}
