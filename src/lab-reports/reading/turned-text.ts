import type { Box } from './word.ts';

/** By how many degrees a page has to be turned clockwise for its text to stand upright. */
export type Turn = 0 | 90 | 180 | 270;

interface Run {
  readonly str: string;
  /** On the page as it is shown, downward. */
  readonly transform: readonly number[];
}

/** A page of which less is written upright is held the wrong way. */
const UPRIGHT_SHARE = 0.3;

/** How most of the text of a page runs. A stamp or a note along the margin turns nothing. */
export function turnOf(runs: readonly Run[]): Turn {
  const letters = new Map<Turn, number>();
  for (const { str, transform } of runs) {
    const turn = turnOfRun(transform);
    if (turn !== undefined) letters.set(turn, (letters.get(turn) ?? 0) + str.length);
  }
  const all = [...letters.values()].reduce((sum, some) => sum + some, 0);
  if (all === 0 || (letters.get(0) ?? 0) >= UPRIGHT_SHARE * all) return 0;
  const [most] = [...letters].toSorted(([, one], [, other]) => other - one);
  return most?.[0] ?? 0;
}

const SLANT = 0.1;

/** Undefined for what runs across the page, such as a watermark. */
function turnOfRun([a = 0, b = 0]: readonly number[]): Turn | undefined {
  if (Math.abs(b) <= SLANT * Math.abs(a)) return a > 0 ? 0 : 180;
  if (Math.abs(a) <= SLANT * Math.abs(b)) return b > 0 ? 270 : 90;
  return undefined;
}

/** From the page held upright back to the page as it is shown, which is so wide and so high. */
export function turnedBack(
  turn: Turn,
  { width, height }: { readonly width: number; readonly height: number },
): (box: Box) => Box {
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
