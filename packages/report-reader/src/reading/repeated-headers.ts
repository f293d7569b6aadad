import { findHeaderAt } from './columns.ts';
import { groupIntoRows } from './rows.ts';
import type { ReportPage, ReportWord } from './report-model.ts';

/** In points: position tolerance for words of a repeated header. */
const SAME_PLACE = 2;

/** Minimum share of words of a line that repeat the first page: "Page 2 of 2" differs in one. */
const LEAST_REPEATED_SHARE = 0.6;

/**
 * Removes the header that later pages repeat: the patient is read from the first page, and under the columns of a
 * continued table its fields look like results.
 */
export function withoutRepeatedHeaders(pages: readonly ReportPage[]): readonly ReportPage[] {
  const [first, ...others] = pages;
  if (!first || others.length === 0) return pages;
  const places = new Map<string, number[]>();
  for (const { text, box } of first.words) places.set(text, [...(places.get(text) ?? []), box.x0, box.y0]);
  return [first, ...others.map((page) => withoutHeader(page, places))];
}

/** For every text of the first page its positions, x and y alternating. */
type TextPositions = ReadonlyMap<string, readonly number[]>;

function isRepeated({ text, box }: ReportWord, places: TextPositions): boolean {
  const found = places.get(text) ?? [];
  return found.some(
    (x, at) =>
      at % 2 === 0 &&
      Math.abs(x - box.x0) < SAME_PLACE &&
      Math.abs((found[at + 1] ?? 0) - box.y0) < SAME_PLACE,
  );
}

function withoutHeader(page: ReportPage, places: TextPositions): ReportPage {
  const end = findHeaderEnd(page.words, places);
  return end === undefined ? page : { ...page, words: page.words.filter(({ box }) => box.y0 > end) };
}

/**
 * The end of the header that a page shares with the first, line by line from the top to the first table headings;
 * undefined if there is none. Its last line stays if it may be a heading of what follows.
 */
function findHeaderEnd(words: readonly ReportWord[], places: TextPositions): number | undefined {
  const last = words
    .filter((word) => isRepeated(word, places))
    .reduce((most, { box }) => Math.max(most, box.y0), 0);
  const rows = groupIntoRows(words.filter(({ box }) => box.y0 <= last + SAME_PLACE));
  const heads = rows.findIndex((_, index) => findHeaderAt(rows, index) !== undefined);
  const ends: number[] = [];
  let others = 0;
  for (const row of rows.slice(0, heads < 0 ? undefined : heads)) {
    const own = row.words.filter((word) => isRepeated(word, places)).length;
    others = own < LEAST_REPEATED_SHARE * row.words.length ? others + 1 : 0;
    if (own === 0 || others > 1) break;
    if (others === 0 && row.segments.length > 1) ends.push(Math.max(...row.words.map(({ box }) => box.y0)));
  }
  return ends.at(-1);
}
