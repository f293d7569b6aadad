import { isNegation, isNegatable, parseQualitative } from './lexicon/qualitative-results.ts';
import type { BoundingBox, ReportPage, ParsedResult, ReportWord } from './report-model.ts';

/**
 * Marks results whose finding may have lost its negation: a "not" before it in its row, above it in its cell or at the
 * end of its name that was read as something else. "Detected" instead of "not detected" is the worst possible
 * misreading, so any negation nearby is reason enough for a review.
 */
export function withLostNegations(
  lines: readonly ParsedResult[],
  pages: readonly ReportPage[],
): ParsedResult[] {
  const words = pages.flatMap((page) => page.words).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const loose = words.filter((word) => isDanglingNegation(word, words));
  return lines.map((line) =>
    line.reviewReasons.includes('unclear_columns') || !hasLostNegation(line, { words, loose, lines })
      ? line
      : { ...line, reviewReasons: [...line.reviewReasons, 'unclear_columns'] },
  );
}

interface NegationContext {
  readonly words: readonly ReportWord[];
  /** Words that are a negation or the first half of a hyphenated word. */
  readonly loose: readonly ReportWord[];
  readonly lines: readonly ParsedResult[];
}

function hasLostNegation(line: ParsedResult, around: NegationContext): boolean {
  const { printedValue, referenceRange, boxes } = line;
  const isFinding = line.value === null && /\p{L}{2}/u.test(printedValue);
  const isRangeInWords = referenceRange !== null && !/\d/.test(referenceRange);
  if (
    isFinding &&
    isAffirmative(printedValue) &&
    (hasNegationElsewhere(line) || hasNegationNearby(line, boxes.value, around))
  )
    return true;
  // "No" with the negated word in the next column.
  const isHalf = isNegation(splitWords(printedValue).at(-1) ?? '');
  if (
    isHalf &&
    (!isAnswer(printedValue) || isNegatable(referenceRange ?? '') || hasWordsAfterFinding(line, around.words))
  )
    return true;
  return isRangeInWords && isAffirmative(referenceRange) && hasNegationNearby(line, boxes.range, around);
}

/** "No" can be an answer; "not" and "nicht" are neither a finding nor a range on their own. */
const isAnswer = (text: string): boolean => /^(?:no|non|n[ãa]o)$/iu.test(text);

const splitWords = (text: string): string[] => text.split(/\s+/);
const isAffirmative = (text: string): boolean =>
  !splitWords(text).some(isNegation) && parseQualitative(text) !== 'absent';

/** The name ends with a negation, or the flag or range contains one. */
function hasNegationElsewhere({ testName, flag, referenceRange, printedValue }: ParsedResult): boolean {
  const last = splitWords(referenceRange ?? '').at(-1) ?? '';
  return (
    isNegation(splitWords(testName).at(-1) ?? '') ||
    splitWords(flag ?? '').some(isNegation) ||
    (isNegation(last) && (!isAnswer(last) || isNegatable(printedValue)))
  );
}

function hasNegationNearby(
  line: ParsedResult,
  box: BoundingBox | undefined,
  { words, loose, lines }: NegationContext,
): boolean {
  if (!box) return false;
  return loose.some((word) => {
    if (word.page !== line.page || !isBeforeFinding(word, { box, words })) return false;
    const isRight = sharesLine(word.box, box) && box.x0 - word.box.x1 < CLOSE * word.fontSize;
    return isRight || !lines.some((other) => isOfLine(other, word));
  });
}

/** Whether a word is the value or range of another result, in the row of its name. */
const isOfLine = ({ page, boxes }: ParsedResult, word: ReportWord): boolean =>
  page === word.page &&
  boxes.name !== undefined &&
  sharesLine(word.box, boxes.name) &&
  [boxes.value, boxes.range].some((box) => box && contains(box, word.box));

const contains = (box: BoundingBox, inner: BoundingBox): boolean => {
  const [x, y] = [(inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2];
  return box.x0 <= x && x <= box.x1 && box.y0 <= y && y <= box.y1;
};

/** In font sizes: the largest gap between words of one cell. */
const CLOSE = 0.8;
/** In font sizes: the row of the name may stand between two lines of its finding. */
const MOST_LINE_GAP = 2.2;

/** A negation or half a hyphenated word, with nothing right after it. */
function isDanglingNegation(word: ReportWord, words: readonly ReportWord[]): boolean {
  if (!isNegation(word.text) && !/^\p{L}{2,}-$/u.test(word.text)) return false;
  return !words.some(
    (other) => other !== word && isAfter(word, other) && measureGapAfter(word, other) < CLOSE,
  );
}

const isAfter = (word: ReportWord, { box, page }: ReportWord): boolean =>
  word.page === page && box.x0 >= word.box.x1 - 1 && sharesLine(word.box, box);

const sharesLine = (one: BoundingBox, other: BoundingBox): boolean =>
  Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0) > 0.5 * (one.y1 - one.y0);

const measureGapAfter = ({ box, fontSize }: ReportWord, other: ReportWord): number =>
  (other.box.x0 - box.x1) / (fontSize || 1);

interface FindingLocation {
  readonly box: BoundingBox;
  readonly words: readonly ReportWord[];
}

/** Before a finding in its row, or above it in its cell with nothing between. */
function isBeforeFinding(
  { box, fontSize, page }: ReportWord,
  { box: finding, words }: FindingLocation,
): boolean {
  if (sharesLine(box, finding)) return box.x1 <= finding.x0 + 1;
  const isOver = box.x0 < finding.x1 + fontSize && finding.x0 < box.x1 + fontSize;
  const gap = finding.y0 - box.y1;
  if (!isOver || box.y1 >= finding.y1 || gap > MOST_LINE_GAP * fontSize) return false;
  return !words.some(
    ({ box: other, page: own }) =>
      own === page &&
      other.x0 < finding.x1 &&
      finding.x0 < other.x1 &&
      other.y0 >= box.y1 - 1 &&
      other.y1 <= finding.y0 + 1,
  );
}

/** In font sizes: words further after a finding belong to another column. */
const BEHIND = 3;

/** "No" directly followed by more words that were left out. */
function hasWordsAfterFinding(
  { boxes: { value, unit, flag }, page }: ParsedResult,
  words: readonly ReportWord[],
): boolean {
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
