import { isAmountLine } from './card-lines.ts';
import { type RowSegment, groupIntoRows, joinWords } from './rows.ts';
import type { BoundingBox, ReportPage, ReportWord } from './report-model.ts';

/** The words by which a portal says on which side of its range a value is. */
const STATUS = /^(?:in|above|below|out of|outside|within) range$/i;
const COUNTED_STATUS = /^(?:\d+ (?:in|above|below|out of|outside|within) range[ ,;·|]*)+$/i;
/** In some tables "In Range" and "Out Of Range" are columns of values. */
const TABLE_HEADING = /\bout of range\b.*\breference|\bin range\b.*\bout of range\b/i;
const BADGE = /^(?:NEW|New!|NEW!)$/;
/** Findings that are one letter, which elsewhere would be a flag. */
const BLOOD_GROUP = /^(?:A|B|AB|O)(?: ?[+-]| (?:pos|neg)\w*)?$/i;
const LEAST_STATUSES = 2;
/** In points: alignment tolerance of the lines of a card. */
const ALIGNED = 4;

/**
 * Portals print the status before the amount: "Above Range 301 nmol/L", in one line or above it. Moves it behind the
 * amount, where a flag is expected, and leaves out counts of a section ("3 Above Range") and badges ("NEW").
 */
export function withStatusBehindValue(page: ReportPage): ReportPage {
  const segments = groupIntoRows(page.words)
    .filter(({ words }) => !TABLE_HEADING.test(joinWords(words)))
    .flatMap((row) => row.segments);
  const statuses = segments.filter((segment) => startsWithStatus(segment) > 0);
  if (statuses.length < LEAST_STATUSES) return page;
  const moved = new Map<ReportWord, ReportWord | undefined>();
  for (const segment of segments) {
    const { words } = segment;
    if (COUNTED_STATUS.test(joinWords(words))) for (const word of words) moved.set(word, undefined);
    const last = words.at(-1);
    if (last && BADGE.test(last.text) && !words.some(({ text }) => /^\d/.test(text)))
      moved.set(last, undefined);
  }
  for (const segment of statuses) moveStatus(segment, segments, moved);
  return { ...page, words: page.words.flatMap((word) => (moved.has(word) ? (moved.get(word) ?? []) : word)) };
}

/** How many words of a segment are a status at its start. */
function startsWithStatus({ words }: RowSegment): number {
  return [2, 3].find((count) => STATUS.test(joinWords(words.slice(0, count)))) ?? 0;
}

function moveStatus(
  segment: RowSegment,
  segments: readonly RowSegment[],
  moved: Map<ReportWord, ReportWord | undefined>,
): void {
  const count = startsWithStatus(segment);
  const [status, rest] = [segment.words.slice(0, count), segment.words.slice(count)];
  if (rest.length > 0) {
    if (isFinding(rest)) placeInRow([...rest, ...status], segment.box, moved);
    return;
  }
  const { box } = segment;
  const near = (other: RowSegment) =>
    Math.abs(other.box.x0 - box.x0) < ALIGNED && other !== segment && startsWithStatus(other) === 0;
  const height = box.y1 - box.y0;
  const above = segments.find(
    (other) => near(other) && other.box.y1 <= box.y0 && other.box.y1 > box.y0 - 2 * height,
  );
  const below = segments.find(
    (other) => near(other) && other.box.y0 >= box.y1 && other.box.y0 < box.y1 + 2 * height,
  );
  if (below && isFinding(below.words) && !(above && isFinding(above.words)))
    placeInRow([...below.words, ...status], below.box, moved);
}

const isFinding = (words: readonly ReportWord[]): boolean =>
  isAmountLine({ words }) || BLOOD_GROUP.test(joinWords(words));

/** Places words one after the other in the line of a box. */
function placeInRow(
  words: readonly ReportWord[],
  { x0, y0, y1 }: BoundingBox,
  moved: Map<ReportWord, ReportWord | undefined>,
): void {
  let left = x0;
  for (const word of words) {
    const width = word.box.x1 - word.box.x0;
    moved.set(word, { ...word, box: { x0: left, x1: left + width, y0, y1 } });
    left += width + word.fontSize * 0.4;
  }
}
