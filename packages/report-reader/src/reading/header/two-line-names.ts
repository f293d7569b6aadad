import { DEPARTMENT, GENERIC_WORD, HEADING_WORD, INSTITUTION_WORD } from '../lexicon/lab-names.ts';
import { normalizeWords, normalizeText } from '../text-normalization.ts';
import { joinWords } from '../rows.ts';
import type { ReportWord } from '../report-model.ts';
import { type HeaderLine, type HeaderSegment, splitHeaderLine } from './labels.ts';

/** Whether a text has only generic words for an institution. */
export const isGenericInstitution = (text: string): boolean =>
  normalizeWords(text)
    .split(' ')
    .every((word) => GENERIC_WORD.test(word));

/** How many lines of other header columns may be next to the two lines of a letterhead. */
const LINES_BESIDE = 4;
/** A line with more words had no room for another one. */
const FULL_LINE_WORDS = 5;

/** "Ottawa Lakes" with "Medical Laboratories" right below in the same print: the second half of a name. */
export function findSecondLine(
  lines: readonly HeaderLine[],
  at: number,
  segment: HeaderSegment,
): readonly ReportWord[] | undefined {
  const [first] = segment.words;
  if (!first) return undefined;
  const below = lines
    .slice(at + 1, at + 1 + LINES_BESIDE)
    .flatMap((line) =>
      splitHeaderLine(line).filter(({ from, to }) =>
        line.spots.every(({ begin, end }) => end <= from || begin >= to),
      ),
    )
    .find(
      ({ words: [word], box }) => word !== undefined && isSamePrint(first, word) && box.y0 > segment.box.y0,
    );
  if (!below || Math.abs(below.box.x0 - segment.box.x0) > 2) return undefined;
  if (below.box.y0 - segment.box.y1 > 0.4 * first.fontSize || below.box.y0 < segment.box.y1 - 1)
    return undefined;
  const [text, own] = [joinWords(below.words), joinWords(segment.words)];
  if (
    /[\d:,@]/.test(text + own) ||
    HEADING_WORD.test(normalizeText(text)) ||
    HEADING_WORD.test(normalizeText(own))
  )
    return undefined;
  // A department below its hospital is not the second half.
  if (INSTITUTION_WORD.test(normalizeText(own)) && DEPARTMENT.test(normalizeText(text))) return undefined;
  const isHalf = isGenericInstitution(own) !== isGenericInstitution(text);
  const isLast = segment.words.length > FULL_LINE_WORDS && below.words.length === 1;
  return isHalf || isLast ? below.words : undefined;
}

/** In points: only letterheads have print of this size; their halves may have two fonts. */
const LARGE = 14;

const isSamePrint = (one: ReportWord, other: ReportWord): boolean =>
  (one.font === other.font && Math.abs(one.fontSize - other.fontSize) < 0.3) ||
  (one.fontSize >= LARGE && Math.abs(one.fontSize - other.fontSize) < 0.05);
