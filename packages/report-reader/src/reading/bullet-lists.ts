import { isListBullet } from './lexicon/flags.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';

/** Lists next to each other: their vertical extent, split at the left edge of the second. */
interface BulletListSplit {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
}

/** In points: alignment tolerance of list items, and how far to the left of them headings may begin. */
const ALIGNED = 3;
const OUTDENT = 30;
/** Fewer items are not a list. */
const LEAST_POINTS = 3;

/** Finds two bulleted lists of results next to each other, as letters have them; undefined if there are none. */
export function findAdjacentLists(rows: readonly TextRow[]): BulletListSplit | undefined {
  const points = rows.flatMap((row) => row.segments.filter(isPoint).map(({ box }) => ({ row, x: box.x0 })));
  if (points.length < 2 * LEAST_POINTS) return undefined;
  const [left, right, ...others] = findEdges(points.map(({ x }) => x));
  if (left === undefined || right === undefined || others.length > 0) return undefined;
  const heights = points.map(({ row }) => row.box);
  const top = Math.min(...heights.map(({ y0 }) => y0)) - 1;
  const bottom = findListEnd(rows, { edges: [left, right], from: Math.max(...heights.map(({ y1 }) => y1)) });
  const segments = rows.filter(({ box }) => box.y0 >= top && box.y1 <= bottom).flatMap((row) => row.segments);
  const starts = segments.map(({ box }) => box.x0).filter((x) => x > right - OUTDENT && x < right + ALIGNED);
  const cut = Math.min(...starts) - ALIGNED;
  const isCrossed = segments.some(({ box }) => box.x0 < cut && box.x1 > cut);
  return isCrossed ? undefined : { top, bottom, cuts: [cut] };
}

/** Findings in words may end a list too: "• direct antiglobulin test positive". */
function findListEnd(
  rows: readonly TextRow[],
  { edges, from }: { edges: readonly number[]; from: number },
): number {
  let end = from;
  for (const { segments, box, fontSize } of rows) {
    const isOfList = segments.some(
      ({ words, box: { x0 } }) =>
        isListBullet(words[0]?.text ?? '') && edges.some((edge) => Math.abs(edge - x0) <= ALIGNED),
    );
    if (isOfList && box.y1 > end && box.y0 - end < 1.5 * fontSize) end = box.y1;
  }
  return end + 0.5;
}

/** "• haemoglobin 96 g/L" */
const isPoint = ({ words }: RowSegment): boolean =>
  isListBullet(words[0]?.text ?? '') &&
  /^\p{L}/u.test(words[1]?.text ?? '') &&
  /\s[<>]?\d/.test(joinWords(words.slice(1)));

/** The x positions where enough items are aligned. */
function findEdges(all: readonly number[]): number[] {
  const edges: number[] = [];
  for (const x of all.toSorted((a, b) => a - b)) {
    const isNew = edges.every((edge) => Math.abs(edge - x) > ALIGNED);
    if (isNew && all.filter((other) => Math.abs(other - x) <= ALIGNED).length >= LEAST_POINTS) edges.push(x);
  }
  return edges;
}
