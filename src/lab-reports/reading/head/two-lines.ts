import { DEPARTMENT, GENERIC, OF_HEADINGS, OF_HOUSES } from '../lexicon/lab-names.ts';
import { bare, plain } from '../plain.ts';
import { textOf } from '../rows.ts';
import type { Word } from '../word.ts';
import { type HeadLine, type HeadSegment, segmentsOf } from './labels.ts';

/** Whether a text says no more than what kind of house it is. */
export const isGeneric = (text: string): boolean =>
  bare(text)
    .split(' ')
    .every((word) => GENERIC.test(word));

/** How many lines may stand beside the two lines of a letterhead, in other columns of the head. */
const LINES_BESIDE = 4;
/** More words than this had no room for another one in their line. */
const FULL = 5;

/** "Ottawa Lakes" and right below it, in the same print, "Medical Laboratories": the half that one line has no room for. */
export function secondLine(
  lines: readonly HeadLine[],
  at: number,
  segment: HeadSegment,
): readonly Word[] | undefined {
  const [first] = segment.words;
  if (!first) return undefined;
  const below = lines
    .slice(at + 1, at + 1 + LINES_BESIDE)
    .flatMap((line) =>
      segmentsOf(line).filter(({ from, to }) =>
        line.spots.every(({ begin, end }) => end <= from || begin >= to),
      ),
    )
    .find(
      ({ words: [word], box }) => word !== undefined && isSamePrint(first, word) && box.y0 > segment.box.y0,
    );
  if (!below || Math.abs(below.box.x0 - segment.box.x0) > 2) return undefined;
  if (below.box.y0 - segment.box.y1 > 0.4 * first.fontSize || below.box.y0 < segment.box.y1 - 1)
    return undefined;
  const [text, own] = [textOf(below.words), textOf(segment.words)];
  if (/[\d:,@]/.test(text + own) || OF_HEADINGS.test(plain(text)) || OF_HEADINGS.test(plain(own)))
    return undefined;
  // A department below its hospital is no half of that.
  if (OF_HOUSES.test(plain(own)) && DEPARTMENT.test(plain(text))) return undefined;
  const isHalf = isGeneric(own) !== isGeneric(text);
  const isLast = segment.words.length > FULL && below.words.length === 1;
  return isHalf || isLast ? below.words : undefined;
}

/** In points: in print of this size only letterheads are, whose halves may be of two faces. */
const LARGE = 14;

const isSamePrint = (one: Word, other: Word): boolean =>
  (one.font === other.font && Math.abs(one.fontSize - other.fontSize) < 0.3) ||
  (one.fontSize >= LARGE && Math.abs(one.fontSize - other.fontSize) < 0.05);
