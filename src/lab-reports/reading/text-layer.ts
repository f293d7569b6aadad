import type { Paint } from './pdf-paint.ts';
import type { Word } from './word.ts';

/** A page with fewer words may be a picture of a page. */
export const FEW_WORDS = 20;
/** As may one of which images cover more. */
const MUCH_IMAGE = 0.8;
/** Of few words: a logo is smaller. */
const SOME_IMAGE = 0.02;
/** So many letters on an image that covers the page are no stamp on a scan: the image is the paper. */
const LETTERS_OF_A_PAGE = 400;
/** Two hundred letters that are drawn as their outlines. */
const OUTLINES = 20_000;
const STRANGE_SHARE = 0.02;

/**
 * Whether the words of a page have to come from its picture: it is a scan, with or without what its scanner believes to
 * have read; its letters are drawn as shapes; or its text layer says something else than what can be seen.
 */
export function isPictureOfText(words: readonly Word[], paint: Paint): boolean {
  if (!isLegible(words)) return true;
  if (words.length < FEW_WORDS) return paint.imageShare > SOME_IMAGE || paint.outlineNumbers >= OUTLINES;
  return paint.imageShare > MUCH_IMAGE && paint.lettersOnTop < LETTERS_OF_A_PAGE;
}

/**
 * A font that comes without a table of its letters says at which place it keeps each of them: controls and signs of
 * nobody take the place of the text.
 */
export function isLegible(words: readonly Word[]): boolean {
  let [strange, all] = [0, 0];
  for (const { text } of words) {
    strange += text.match(/[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
    all += text.length;
  }
  return strange <= STRANGE_SHARE * all;
}
