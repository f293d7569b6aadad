import type { PagePaint } from './pdf-paint.ts';
import type { ReportWord } from './report-model.ts';

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
