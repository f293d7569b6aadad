import type { PagePaint } from './pdf-paint.ts';
import type { BoundingBox, ReportWord } from './report-model.ts';

/** A page with fewer words may be an image of a page. */
export const FEW_WORDS = 20;
/** So may a page that images cover by more than this. */
const MUCH_IMAGE = 0.8;
/** For pages with few words: a logo is smaller. */
const SOME_IMAGE = 0.02;
/** With this many letters on a page-sized image, the text is not a stamp on a scan: the image is the background. */
const LETTERS_OF_A_PAGE = 400;
/** About two hundred letters drawn as outlines. */
const OUTLINES = 20_000;
const STRANGE_SHARE = 0.02;

/**
 * Whether the words of a page must come from OCR: it is a scan, with or without an OCR layer; its letters are drawn as
 * shapes; or its text layer differs from what is visible.
 */
export function isOcrNeeded(words: readonly ReportWord[], paint: PagePaint): boolean {
  if (!isLegible(words)) return true;
  if (words.length < FEW_WORDS) return paint.imageShare > SOME_IMAGE || paint.outlineNumbers >= OUTLINES;
  return paint.imageShare > MUCH_IMAGE && paint.lettersOnTop < LETTERS_OF_A_PAGE;
}

/** A font without a Unicode map yields glyph positions: control and private-use characters instead of text. */
function isLegible(words: readonly ReportWord[]): boolean {
  let [strange, all] = [0, 0];
  for (const { text } of words) {
    strange += text.match(/[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
    all += text.length;
  }
  return strange <= STRANGE_SHARE * all;
}

/** Invisible words on a page must be fewer than this: what a scanner read does not replace its image. */
const UNSEEN_SHARE = 0.1;
const GRID = { columns: 8, rows: 40 };
/** Text covers the cells around it, too: the gaps between its lines and columns show no other text. */
const AROUND = { columns: 1, rows: 2 };

/**
 * The share of the page on which an image may show text of its own: where no visible text of a full page is on top of
 * it. Text on a background image leaves little, a scan below a few lines leaves the whole scan.
 */
export function measureBareImages(
  words: readonly BoundingBox[],
  letters: number,
  { paint, width, height }: { paint: PagePaint; width: number; height: number },
): number {
  const { imageShare, imageBoxes, lettersOnTop } = paint;
  if (lettersOnTop < Math.max(LETTERS_OF_A_PAGE, (1 - UNSEEN_SHARE) * letters)) return imageShare;
  const size = { width: width / GRID.columns, height: height / GRID.rows };
  const bare = new Set<number>();
  for (const { x0, y0, x1, y1 } of imageBoxes)
    for (const cell of cellsBetween(
      { x: Math.round(x0 / size.width), y: Math.round(y0 / size.height) },
      { x: Math.round(x1 / size.width) - 1, y: Math.round(y1 / size.height) - 1 },
    ))
      bare.add(cell);
  for (const { x0, y0, x1, y1 } of words)
    for (const cell of cellsBetween(
      { x: Math.floor(x0 / size.width) - AROUND.columns, y: Math.floor(y0 / size.height) - AROUND.rows },
      { x: Math.floor(x1 / size.width) + AROUND.columns, y: Math.floor(y1 / size.height) + AROUND.rows },
    ))
      bare.delete(cell);
  return bare.size / (GRID.columns * GRID.rows);
}

interface GridCell {
  readonly x: number;
  readonly y: number;
}

function* cellsBetween(from: GridCell, to: GridCell): Generator<number> {
  for (let y = Math.max(0, from.y); y <= Math.min(GRID.rows - 1, to.y); y += 1)
    for (let x = Math.max(0, from.x); x <= Math.min(GRID.columns - 1, to.x); x += 1)
      yield y * GRID.columns + x;
}
