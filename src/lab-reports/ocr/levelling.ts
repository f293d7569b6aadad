import { flattened } from './curl.ts';
import type { SeenLine, SeenWord } from './engine.ts';
import { type Matrix, type Point, SAME, type Size, apply, compose, invert, shift } from './geometry.ts';

/**
 * Lines of print that lean more the further down they stand, as on a sheet that was photographed at an angle or whose
 * corners were not found: they meet far beside the page. From the middle of the page a line climbs or falls by
 * `lean`, and by `fan` more for each pixel down.
 */
interface Lean {
  readonly lean: number;
  readonly fan: number;
}

export interface Levelled {
  readonly lines: readonly SeenLine[];
  /** From where the lines stand now to where they stand on the picture that was read. */
  readonly toRead: (point: Point) => Point;
}

/** A line of which it is known how it leans, about the middle of the page. */
interface Leaning extends Point {
  readonly slope: number;
  readonly weight: number;
}

/** Of fewer lines one cannot tell. */
const LEAST_LINES = 8;
/** Most of the print has to agree, within so much or so many times what is usual. */
const MOST = 0.6;
const NEAR = 0.004;
const CLEARLY = 2.5;
const ROUNDS = 6;
/** Lines that lean less than this, all told, are followed from word to word as they are. */
const LEVEL = 0.02;
/** No page fans out as far as this at its edges. */
const TOO_FAR = 0.5;

/** Puts the lines of a page level, so that what is printed in a row stands in a row: of a sheet that leans, then of one that is curled. */
export function levelled(lines: readonly SeenLine[], size: Size): Levelled {
  const straight = straightened(lines, size);
  const flat = flattened(straight.lines, size);
  return { lines: flat.lines, toRead: (point) => apply(straight.toRead, flat.toGiven(point)) };
}

interface Straightened {
  readonly lines: readonly SeenLine[];
  readonly toRead: Matrix;
}

/** All lines by one map. */
function straightened(lines: readonly SeenLine[], { width, height }: Size): Straightened {
  const middle = { x: width / 2, y: height / 2 };
  const found = leanOf(lines.flatMap((line) => leaningOf(line, middle)));
  const isFar = !found || Math.abs(found.fan) * middle.x > TOO_FAR;
  if (isFar || Math.abs(found.lean) + Math.abs(found.fan) * middle.y < LEVEL) return { lines, toRead: SAME };
  const { lean, fan } = found;
  const level: Matrix = [1, 0, 0, -lean, 1, 0, fan, 0, 1];
  const map = compose(shift(middle.x, middle.y), compose(level, shift(-middle.x, -middle.y)));
  return { lines: lines.map((line) => mapped(line, map)), toRead: invert(map) };
}

function leaningOf({ words, slope }: SeenLine, middle: Point): Leaning[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || slope === undefined) return [];
  const x = (first.box.x0 + last.box.x1) / 2 - middle.x;
  const y = (first.baseline + last.baseline) / 2 - middle.y;
  return [{ x, y, slope, weight: last.box.x1 - first.box.x0 }];
}

/** How far a line stands from the middle of the page, followed to there. */
const heightOf = ({ x, y, slope }: Leaning): number => y - slope * x;

const offOf = (line: Leaning, { lean, fan }: Lean): number =>
  Math.abs(line.slope - lean - fan * heightOf(line));

function leanOf(lines: readonly Leaning[]): Lean | undefined {
  let kept = lines;
  let found: Lean | undefined;
  for (let round = 0; round < ROUNDS && kept.length >= LEAST_LINES; round += 1) {
    const lean = fitted(kept);
    found = lean;
    const offs = lines.map((line) => offOf(line, lean)).toSorted((a, b) => a - b);
    const allowed = Math.max(NEAR, CLEARLY * (offs[Math.floor(offs.length / 2)] ?? 0));
    kept = lines.filter((line) => offOf(line, lean) <= allowed);
  }
  return kept.length >= Math.max(LEAST_LINES, MOST * lines.length) ? found : undefined;
}

/** By least squares; longer lines say more. */
function fitted(lines: readonly Leaning[]): Lean {
  const all = lines.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (line: Leaning) => number) =>
    lines.reduce((sum, line) => sum + line.weight * of(line), 0) / all;
  const [height, slope] = [mean(heightOf), mean((line) => line.slope)];
  const spread = mean((line) => (heightOf(line) - height) ** 2);
  const fan = mean((line) => (heightOf(line) - height) * (line.slope - slope)) / (spread || 1);
  return { lean: slope - fan * height, fan };
}

/** A line where the map puts it; its slope is measured anew on it. */
function mapped({ words, slope }: SeenLine, map: Matrix): SeenLine {
  const moved = words.map((word) => mappedWord(word, map));
  const [first, last] = [words[0], words.at(-1)];
  if (slope === undefined || !first || !last) return { words: moved };
  const from = apply(map, { x: first.box.x0, y: first.baseline });
  const far = last.box.x1 - first.box.x0;
  const to = apply(map, { x: last.box.x1, y: first.baseline + slope * far });
  return { words: moved, slope: (to.y - from.y) / (to.x - from.x) };
}

function mappedWord(word: SeenWord, map: Matrix): SeenWord {
  const { x0, y0, x1, y1 } = word.box;
  const x = (x0 + x1) / 2;
  const { y: baseline } = apply(map, { x, y: word.baseline });
  const [top, bottom] = [y0, y1].map((y) => apply(map, { x, y }).y);
  const larger = ((bottom ?? y1) - (top ?? y0)) / (y1 - y0 || 1);
  return {
    ...word,
    box: {
      x0: apply(map, { x: x0, y: word.baseline }).x,
      x1: apply(map, { x: x1, y: word.baseline }).x,
      y0: top ?? y0,
      y1: bottom ?? y1,
    },
    baseline,
    fontSize: word.fontSize * larger,
  };
}
