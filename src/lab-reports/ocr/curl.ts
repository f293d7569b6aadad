import type { SeenLine } from './engine.ts';
import type { Point, Size } from './geometry.ts';

/** Paper that is not flat: how far its print stands too low, at a place of the page. */
interface Curl {
  at(point: Point): number;
  /** How far a line falls there for each pixel to the right. */
  slopeAt(point: Point): number;
}

export interface Flattened {
  readonly lines: readonly SeenLine[];
  /** From where the lines stand now to where they stood. */
  readonly toGiven: (point: Point) => Point;
}

/** Of fewer lines one cannot tell. */
const LEAST_LINES = 24;
const ROUNDS = 4;
/** What is off by more than so many times what is usual does not count. */
const CLEARLY = 2.5;
const NEAR = 0.003;
/** So much of how the lines lean has to be explained. */
const EXPLAINED = 0.6;
/** Print that is moved by less than such a share of its size stands well as it is. */
const NOTICED = 0.25;
/** No sheet on which print can be read leans as far as this anywhere. */
const TOO_FAR = 0.3;

/**
 * Puts the lines of a curled sheet level, as far as one bend from left to right explains how its lines lean: what is
 * printed in a row stands in a row again, with its name at one end and its value at the other.
 */
export function flattened(lines: readonly SeenLine[], size: Size): Flattened {
  const same: Flattened = { lines, toGiven: (point) => point };
  const leaning = lines.flatMap(leaningOf);
  const curl = leaning.length < LEAST_LINES ? undefined : curlOf(leaning, size);
  if (!curl || !isNoticed(curl, lines, size)) return same;
  return {
    lines: lines.map((line) => moved(line, curl)),
    toGiven: ({ x, y }) => {
      const near = y + curl.at({ x, y });
      return { x, y: y + curl.at({ x, y: near }) };
    },
  };
}

interface Leaning extends Point {
  readonly slope: number;
  readonly weight: number;
}

function leaningOf({ words, slope }: SeenLine): Leaning[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || slope === undefined) return [];
  const [from, to] = [first.box.x0, last.box.x1];
  return [{ x: (from + to) / 2, y: (first.baseline + last.baseline) / 2, slope, weight: to - from }];
}

function curlOf(lines: readonly Leaning[], size: Size): Curl | undefined {
  let kept = lines;
  let curl: Curl | undefined;
  for (let round = 0; round < ROUNDS && kept.length >= LEAST_LINES; round += 1) {
    const found = fitted(kept, size);
    if (!found) return undefined;
    curl = found;
    const offs = lines.map((line) => offOf(line, found)).toSorted((a, b) => a - b);
    const allowed = Math.max(NEAR, CLEARLY * (offs[Math.floor(offs.length / 2)] ?? 0));
    kept = lines.filter((line) => offOf(line, found) <= allowed);
  }
  if (!curl || kept.length < Math.max(LEAST_LINES, EXPLAINED * lines.length)) return undefined;
  const bend = curl;
  const sum = (of: (line: Leaning) => number) =>
    lines.reduce((total, line) => total + line.weight * Math.min(of(line), TOO_FAR), 0);
  const isExplained = sum((line) => offOf(line, bend)) < EXPLAINED * sum(({ slope }) => Math.abs(slope));
  return isExplained && lines.every((line) => Math.abs(bend.slopeAt(line)) < TOO_FAR) ? bend : undefined;
}

const offOf = (line: Leaning, curl: Curl): number => Math.abs(line.slope - curl.slopeAt(line));

/** How a line leans by where it stands, in halves of the page from its middle: the terms, each with what it sums up to. */
const TERMS: readonly { lean: (x: number, y: number) => number; fall: (x: number, y: number) => number }[] = [
  { lean: () => 1, fall: (x) => x },
  { lean: (_, y) => y, fall: (x, y) => x * y },
  { lean: (x) => x, fall: (x) => x ** 2 / 2 },
  { lean: (x, y) => x * y, fall: (x, y) => (x ** 2 * y) / 2 },
  { lean: (x) => x ** 2, fall: (x) => x ** 3 / 3 },
];

/** By least squares; longer lines say more. */
function fitted(lines: readonly Leaning[], { width, height }: Size): Curl | undefined {
  const [halfWide, halfHigh] = [width / 2, height / 2];
  const share = ({ x, y }: Point) => [x / halfWide - 1, y / halfHigh - 1] as const;
  const rows = TERMS.map(() => [...TERMS.map(() => 0), 0]);
  for (const line of lines) {
    const terms = TERMS.map(({ lean }) => lean(...share(line)));
    rows.forEach((row, at) => {
      const weighted = line.weight * (terms[at] ?? 0);
      [...terms, line.slope].forEach((term, column) => (row[column] = (row[column] ?? 0) + weighted * term));
    });
  }
  const factors = solved(rows);
  if (!factors) return undefined;
  const all = (of: (term: (typeof TERMS)[number]) => number): number =>
    TERMS.reduce((sum, term, at) => sum + (factors[at] ?? 0) * of(term), 0);
  return {
    at: (point) => halfWide * all(({ fall }) => fall(...share(point))),
    slopeAt: (point) => all(({ lean }) => lean(...share(point))),
  };
}

/** What makes each row of factors come to its last number; undefined where that is not one thing. */
function solved(given: readonly (readonly number[])[]): number[] | undefined {
  const rows = given.map((row) => [...row]);
  for (let at = 0; at < rows.length; at += 1) {
    const best = rows.slice(at).toSorted((a, b) => Math.abs(b[at] ?? 0) - Math.abs(a[at] ?? 0))[0];
    const most = best?.[at] ?? 0;
    if (!best || Math.abs(most) < 1e-9) return undefined;
    rows.splice(rows.indexOf(best), 1);
    rows.splice(at, 0, best);
    for (const row of rows) {
      if (row === best) continue;
      const share = (row[at] ?? 0) / most;
      best.forEach((number, column) => (row[column] = (row[column] ?? 0) - share * number));
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1));
}

/** Whether the ends of the print of the page are moved far enough against each other. */
function isNoticed(curl: Curl, lines: readonly SeenLine[], { height }: Size): boolean {
  const words = lines.flatMap((line) => line.words);
  const sizes = words.map(({ fontSize }) => fontSize).toSorted((a, b) => a - b);
  const falls = words.map(({ box }) => curl.at({ x: (box.x0 + box.x1) / 2, y: height / 2 }));
  const [least, most] = falls.reduce(
    ([low, high], fall) => [Math.min(low, fall), Math.max(high, fall)],
    [0, 0],
  );
  return most - least > NOTICED * (sizes[Math.floor(sizes.length / 2)] ?? 0);
}

function moved({ words, slope }: SeenLine, curl: Curl): SeenLine {
  const [first, last] = [words[0], words.at(-1)];
  const put = words.map((word) => {
    const { x0, x1, y0, y1 } = word.box;
    const by = curl.at({ x: (x0 + x1) / 2, y: word.baseline });
    return { ...word, box: { x0, x1, y0: y0 - by, y1: y1 - by }, baseline: word.baseline - by };
  });
  if (slope === undefined || !first || !last) return { words: put };
  const middle = { x: (first.box.x0 + last.box.x1) / 2, y: first.baseline };
  return { words: put, slope: slope - curl.slopeAt(middle) };
}
