import type { OcrTextLine } from './engine.ts';
import type { ImagePoint, ImageSize } from './geometry.ts';

/** Maximum confidence of a word whose row is uncertain. */
const DOUBTED_CONFIDENCE = 0.7;
/**
 * Maximum vertical drift from one column to the next, as a share of the row distance; beyond it the row is uncertain.
 */
const MAX_DRIFT = 0.35;
/** The neighborhood of a point, as shares of the page, and the lines needed in it to measure the local slope. */
const NEIGHBORHOOD = { x: 0.35, y: 0.06 };
const LEAST_LINES = 4;
/** Rows of the same table are at most this many font sizes apart. */
const FAR = 4;
/** Lines whose baselines are closer than this, in font sizes, are in one row. */
const SAME_ROW = 0.6;

interface LinePosition extends ImagePoint {
  readonly line: OcrTextLine;
  readonly x0: number;
  readonly x1: number;
  readonly size: number;
}

/**
 * Lowers the confidence of words on lines that lean so much that their continuation would meet another row, as on a
 * folded or crumpled sheet. Otherwise the value of a neighboring test could be assigned to the wrong name and look
 * right.
 */
export function doubtMisalignedLines(lines: readonly OcrTextLine[], page: ImageSize): OcrTextLine[] {
  const pieces = lines.flatMap(toLinePosition);
  const doubted = new Set<OcrTextLine>();
  for (const piece of pieces) {
    const next = nextInRow(piece, pieces);
    if (!next) continue;
    const middle = { x: (piece.x1 + next.x0) / 2, y: piece.y };
    const drift = Math.abs(slopeAt(middle, pieces, page)) * (next.x0 - piece.x1);
    if (drift < MAX_DRIFT * Math.min(pitchAt(piece, pieces), pitchAt(next, pieces))) continue;
    doubted.add(piece.line).add(next.line);
  }
  return lines.map((line) => (doubted.has(line) ? lowerConfidence(line) : line));
}

const lowerConfidence = (line: OcrTextLine): OcrTextLine => ({
  ...line,
  words: line.words.map((word) => ({ ...word, confidence: Math.min(word.confidence, DOUBTED_CONFIDENCE) })),
});

function toLinePosition(line: OcrTextLine): LinePosition[] {
  const [first, last] = [line.words[0], line.words.at(-1)];
  if (!first || !last) return [];
  const [x0, x1] = [first.box.x0, last.box.x1];
  const y = (first.baseline + last.baseline) / 2;
  return [{ line, x0, x1, x: (x0 + x1) / 2, y, size: first.fontSize }];
}

/** The nearest line to the right that may be in the same row. */
function nextInRow({ x1, y, size }: LinePosition, pieces: readonly LinePosition[]): LinePosition | undefined {
  let nearest: LinePosition | undefined;
  for (const piece of pieces)
    if (piece.x0 > x1 && Math.abs(piece.y - y) < size && piece.x0 < (nearest?.x0 ?? Number.POSITIVE_INFINITY))
      nearest = piece;
  return nearest;
}

/** The median slope of the lines near a point; 0 if too few have one. */
function slopeAt(
  { x, y }: ImagePoint,
  pieces: readonly LinePosition[],
  { width, height }: ImageSize,
): number {
  const slopes = pieces.flatMap((piece) =>
    piece.line.slope !== undefined &&
    Math.abs(piece.x - x) < NEIGHBORHOOD.x * width &&
    Math.abs(piece.y - y) < NEIGHBORHOOD.y * height
      ? [piece.line.slope]
      : [],
  );
  if (slopes.length < LEAST_LINES) return 0;
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}

/** The distance to the nearest row above or below in the same column. */
function pitchAt({ x0, x1, y, size }: LinePosition, pieces: readonly LinePosition[]): number {
  let pitch = FAR * size;
  for (const piece of pieces) {
    const away = Math.abs(piece.y - y);
    if (piece.x0 < x1 && piece.x1 > x0 && away > SAME_ROW * size) pitch = Math.min(pitch, away);
  }
  return pitch;
}
