import type { SeenLine } from './engine.ts';
import type { Point, Size } from './geometry.ts';

/** As sure as a word is at most of which nobody can say for certain in which row it stands. */
const UNSURE = 0.7;
/** From one column to the next a line may climb or fall by such a share of the distance of rows, or its row is lost. */
const ASTRAY = 0.35;
/** About a place, in shares of the page, so many lines at least tell how print leans there. */
const ABOUT = { x: 0.35, y: 0.06 };
const LEAST_LINES = 4;
/** What stands further above or below than so many times the size of the letters is no row of the same table. */
const FAR = 4;
/** Pieces whose feet are nearer than this are of one row. */
const SAME_ROW = 0.6;

interface Piece extends Point {
  readonly line: SeenLine;
  readonly x0: number;
  readonly x1: number;
  readonly size: number;
}

/**
 * Lowers how sure the words are of every line that leans so much where it stands that, going on, it would come near
 * another row than the one beside it: as where a sheet is folded or crumpled. Else the value of a neighbouring test
 * would be taken for its own, and look right.
 */
export function doubtAstray(lines: readonly SeenLine[], page: Size): SeenLine[] {
  const pieces = lines.flatMap(pieceOf);
  const doubted = new Set<SeenLine>();
  for (const piece of pieces) {
    const next = besideOf(piece, pieces);
    if (!next) continue;
    const middle = { x: (piece.x1 + next.x0) / 2, y: piece.y };
    const drift = Math.abs(slopeAt(middle, pieces, page)) * (next.x0 - piece.x1);
    if (drift < ASTRAY * Math.min(pitchAt(piece, pieces), pitchAt(next, pieces))) continue;
    doubted.add(piece.line).add(next.line);
  }
  return lines.map((line) => (doubted.has(line) ? inDoubt(line) : line));
}

const inDoubt = (line: SeenLine): SeenLine => ({
  ...line,
  words: line.words.map((word) => ({ ...word, confidence: Math.min(word.confidence, UNSURE) })),
});

function pieceOf(line: SeenLine): Piece[] {
  const [first, last] = [line.words[0], line.words.at(-1)];
  if (!first || !last) return [];
  const [x0, x1] = [first.box.x0, last.box.x1];
  const y = (first.baseline + last.baseline) / 2;
  return [{ line, x0, x1, x: (x0 + x1) / 2, y, size: first.fontSize }];
}

/** The nearest piece to the right that may be of the same row. */
function besideOf({ x1, y, size }: Piece, pieces: readonly Piece[]): Piece | undefined {
  let nearest: Piece | undefined;
  for (const piece of pieces)
    if (piece.x0 > x1 && Math.abs(piece.y - y) < size && piece.x0 < (nearest?.x0 ?? Number.POSITIVE_INFINITY))
      nearest = piece;
  return nearest;
}

/** How the lines about a place lean, most of them; 0 where too few are long enough to tell. */
function slopeAt({ x, y }: Point, pieces: readonly Piece[], { width, height }: Size): number {
  const slopes = pieces.flatMap((piece) =>
    piece.line.slope !== undefined &&
    Math.abs(piece.x - x) < ABOUT.x * width &&
    Math.abs(piece.y - y) < ABOUT.y * height
      ? [piece.line.slope]
      : [],
  );
  if (slopes.length < LEAST_LINES) return 0;
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}

/** How far the nearest row above or below stands in the same column. */
function pitchAt({ x0, x1, y, size }: Piece, pieces: readonly Piece[]): number {
  let pitch = FAR * size;
  for (const piece of pieces) {
    const away = Math.abs(piece.y - y);
    if (piece.x0 < x1 && piece.x1 > x0 && away > SAME_ROW * size) pitch = Math.min(pitch, away);
  }
  return pitch;
}
