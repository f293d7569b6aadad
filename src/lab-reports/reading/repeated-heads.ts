import { headerAt } from './columns.ts';
import { rowsOf } from './rows.ts';
import type { Page, Word } from './word.ts';

/** In points: how exactly a head stands where it stood on the page before. */
const SAME_PLACE = 2;

/** How many words of a line have to be those of the first page: "Page 2 of 2" differs in one. */
const MOST = 0.6;

/**
 * The pages of a report without the head that each of them repeats: who the patient is has been read on the first, and
 * below the columns of a table that goes on, its boxes look like results.
 */
export function withoutRepeatedHeads(pages: readonly Page[]): readonly Page[] {
  const [first, ...others] = pages;
  if (!first || others.length === 0) return pages;
  const places = new Map<string, number[]>();
  for (const { text, box } of first.words) places.set(text, [...(places.get(text) ?? []), box.x0, box.y0]);
  return [first, ...others.map((page) => withoutHead(page, places))];
}

/** For every text of the first page where it stands, x and y by turns. */
type Places = ReadonlyMap<string, readonly number[]>;

function isRepeated({ text, box }: Word, places: Places): boolean {
  const found = places.get(text) ?? [];
  return found.some(
    (x, at) =>
      at % 2 === 0 &&
      Math.abs(x - box.x0) < SAME_PLACE &&
      Math.abs((found[at + 1] ?? 0) - box.y0) < SAME_PLACE,
  );
}

function withoutHead(page: Page, places: Places): Page {
  const end = endOfHead(page.words, places);
  return end === undefined ? page : { ...page, words: page.words.filter(({ box }) => box.y0 > end) };
}

/**
 * Where the head ends that a page has in common with the first, line by line from the top, up to the first headings of
 * columns; undefined where it has none. Its last line stays where it may head what follows.
 */
function endOfHead(words: readonly Word[], places: Places): number | undefined {
  const last = words
    .filter((word) => isRepeated(word, places))
    .reduce((most, { box }) => Math.max(most, box.y0), 0);
  const rows = rowsOf(words.filter(({ box }) => box.y0 <= last + SAME_PLACE));
  const heads = rows.findIndex((_, index) => headerAt(rows, index) !== undefined);
  const ends: number[] = [];
  let others = 0;
  for (const row of rows.slice(0, heads < 0 ? undefined : heads)) {
    const own = row.words.filter((word) => isRepeated(word, places)).length;
    others = own < MOST * row.words.length ? others + 1 : 0;
    if (own === 0 || others > 1) break;
    if (others === 0 && row.segments.length > 1) ends.push(Math.max(...row.words.map(({ box }) => box.y0)));
  }
  return ends.at(-1);
}
