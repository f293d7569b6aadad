import { isNegation, isTurnable, qualityOf } from './lexicon/qualities.ts';
import type { Box, Page, ReadLine, Word } from './word.ts';

/**
 * The lines, those marked whose finding may have lost what turns it round: a "not" that stands before it in its line,
 * above it in its cell or at the end of its name and was taken for something else. "Detected" for "not detected" is the
 * worst that a reader can say, so what is near is enough to ask a person.
 */
export function withLostNegations(lines: readonly ReadLine[], pages: readonly Page[]): ReadLine[] {
  const words = pages.flatMap((page) => page.words).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const loose = words.filter((word) => isLoose(word, words));
  return lines.map((line) =>
    line.reviewReasons.includes('unclear_columns') || !losesNegation(line, { words, loose, lines })
      ? line
      : { ...line, reviewReasons: [...line.reviewReasons, 'unclear_columns'] },
  );
}

interface Around {
  readonly words: readonly Word[];
  /** What ends with a negation, or with half of a word. */
  readonly loose: readonly Word[];
  readonly lines: readonly ReadLine[];
}

function losesNegation(line: ReadLine, around: Around): boolean {
  const { printedValue, referenceRange, boxes } = line;
  const isFinding = line.value === null && /\p{L}{2}/u.test(printedValue);
  const isRangeInWords = referenceRange !== null && !/\d/.test(referenceRange);
  if (isFinding && saysThat(printedValue) && (isElsewhere(line) || isTurned(line, boxes.value, around)))
    return true;
  // "No" with what it turns round in the next column.
  const isHalf = isNegation(wordsOf(printedValue).at(-1) ?? '');
  if (isHalf && (!isAnswer(printedValue) || isTurnable(referenceRange ?? '') || goesOn(line, around.words)))
    return true;
  return isRangeInWords && saysThat(referenceRange) && isTurned(line, boxes.range, around);
}

/** "No" answers a question; "not" and "nicht" are no finding and no range by themselves. */
const isAnswer = (text: string): boolean => /^(?:no|non|n[ãa]o)$/iu.test(text);

const wordsOf = (text: string): string[] => text.split(/\s+/);
const saysThat = (text: string): boolean => !wordsOf(text).some(isNegation) && qualityOf(text) !== 'absent';

/** The name ends with a negation, or the flag or the range is one. */
function isElsewhere({ testName, flag, referenceRange, printedValue }: ReadLine): boolean {
  const last = wordsOf(referenceRange ?? '').at(-1) ?? '';
  return (
    isNegation(wordsOf(testName).at(-1) ?? '') ||
    wordsOf(flag ?? '').some(isNegation) ||
    (isNegation(last) && (!isAnswer(last) || isTurnable(printedValue)))
  );
}

function isTurned(line: ReadLine, box: Box | undefined, { words, loose, lines }: Around): boolean {
  if (!box) return false;
  return loose.some((word) => {
    if (word.page !== line.page || !stands(word, { box, words })) return false;
    const isRight = sharesLine(word.box, box) && box.x0 - word.box.x1 < CLOSE * word.fontSize;
    return isRight || !lines.some((other) => isOf(other, word));
  });
}

/** Whether a word is what another line found, or its range, in the row of its name. */
const isOf = ({ page, boxes }: ReadLine, word: Word): boolean =>
  page === word.page &&
  boxes.name !== undefined &&
  sharesLine(word.box, boxes.name) &&
  [boxes.value, boxes.range].some((box) => box && contains(box, word.box));

const contains = (box: Box, inner: Box): boolean => {
  const [x, y] = [(inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2];
  return box.x0 <= x && x <= box.x1 && box.y0 <= y && y <= box.y1;
};

/** In font sizes: as far as words of a line stand apart that are of one cell. */
const CLOSE = 0.8;
/** In font sizes: the line of the name may stand between two lines of its finding. */
const OVER = 2.2;

/** A negation, or a word that is cut in two, with nothing behind it that it may be of. */
function isLoose(word: Word, words: readonly Word[]): boolean {
  if (!isNegation(word.text) && !/^\p{L}{2,}-$/u.test(word.text)) return false;
  return !words.some((other) => other !== word && isBeside(word, other) && gapBeside(word, other) < CLOSE);
}

const isBeside = (word: Word, { box, page }: Word): boolean =>
  word.page === page && box.x0 >= word.box.x1 - 1 && sharesLine(word.box, box);

const sharesLine = (one: Box, other: Box): boolean =>
  Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0) > 0.5 * (one.y1 - one.y0);

const gapBeside = ({ box, fontSize }: Word, other: Word): number => (other.box.x0 - box.x1) / (fontSize || 1);

interface Finding {
  readonly box: Box;
  readonly words: readonly Word[];
}

/** Before a finding in its line or, as the line above it in its cell does, over it with nothing between. */
function stands({ box, fontSize, page }: Word, { box: finding, words }: Finding): boolean {
  if (sharesLine(box, finding)) return box.x1 <= finding.x0 + 1;
  const isOver = box.x0 < finding.x1 + fontSize && finding.x0 < box.x1 + fontSize;
  const gap = finding.y0 - box.y1;
  if (!isOver || box.y1 >= finding.y1 || gap > OVER * fontSize) return false;
  return !words.some(
    ({ box: other, page: own }) =>
      own === page &&
      other.x0 < finding.x1 &&
      finding.x0 < other.x1 &&
      other.y0 >= box.y1 - 1 &&
      other.y1 <= finding.y0 + 1,
  );
}

/** In font sizes: further behind a finding than this, words are of another column. */
const BEHIND = 3;

/** "No" with more words right behind it that were left out. */
function goesOn({ boxes: { value, unit, flag }, page }: ReadLine, words: readonly Word[]): boolean {
  if (!value) return false;
  return words.some(
    ({ text, box, fontSize, page: own }) =>
      own === page &&
      /\p{L}{2}/u.test(text) &&
      sharesLine(value, box) &&
      box.x0 >= value.x1 - 1 &&
      box.x0 - value.x1 < BEHIND * fontSize &&
      ![unit, flag].some((other) => other && contains(other, box)),
  );
}
