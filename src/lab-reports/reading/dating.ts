import { type DayOrder, orderShownBy } from './dates.ts';
import { dayOrderOf } from './head/day-order.ts';
import { rowsOf, textOf } from './rows.ts';
import type { Language, Page, ReadMetadata } from './word.ts';

/** What the whole of a report says of its dates. */
export interface Dating {
  /** The order of day and month that dates show which can be read one way only; undefined where none or both do. */
  readonly shown: DayOrder | undefined;
  /** The order that language, country and other signs speak for. */
  readonly likely: DayOrder | undefined;
  /** Where the newest of several results stands, where a line says so in words. */
  readonly newestAt: 'left' | 'right' | undefined;
  /** As YYYY-MM-DD. */
  readonly collected: string | null;
  readonly reported: string | null;
}

export function datingOf(
  pages: readonly Page[],
  { language, metadata }: { language: Language | null; metadata: ReadMetadata },
): Dating {
  const shown = ordersShownBy(pages.flatMap((page) => page.words.map(({ text }) => text)));
  return {
    shown: onlyOne([...shown]),
    likely: dayOrderOf(pages, language),
    newestAt: onlyOne([...new Set(pages.flatMap(sidesOf))]),
    collected: metadata.dateCollected?.slice(0, 10) ?? null,
    reported: metadata.dateReported?.slice(0, 10) ?? null,
  };
}

/** The orders of day and month that these texts prove: "14/01" and "01/14" are read one way only. */
export const ordersShownBy = (texts: readonly string[]): Set<DayOrder> =>
  new Set(texts.flatMap((text) => orderShownBy(text.split(' ')) ?? []));

const onlyOne = <Thing>(things: readonly Thing[]): Thing | undefined =>
  things.length === 1 ? things[0] : undefined;

const NEWEST =
  /\b(?:most recent|latest|newest|current|neueste\p{Ll}*|aktuell\p{Ll}*|m[aá]s recientes?|plus r[ée]cents?|pi[uù] recent[ei]|mais recentes?)(?=\P{L}|$)/iu;
const OLDEST = /\b(?:oldest|earliest|[äa]lteste\p{Ll}*|m[aá]s antigu[oa]s?|plus anciens?)(?=\P{L}|$)/iu;
const RIGHT = /\b(?:right|rechts|rechte\p{Ll}*|derecha|droite|destra|direita|last column)(?=\P{L}|$)/iu;
const LEFT = /\b(?:left|links|linke\p{Ll}*|izquierda|gauche|sinistra|esquerda|first)(?=\P{L}|$)/iu;

const sidesOf = ({ words }: Page): ('left' | 'right')[] =>
  rowsOf(words).flatMap((row) => row.segments.flatMap((segment) => sideIn(textOf(segment.words)) ?? []));

/** "most recent result in the right-hand column", "latest first", "oldest to newest, left to right" */
function sideIn(text: string): 'left' | 'right' | undefined {
  const newest = NEWEST.exec(text);
  if (!newest) return undefined;
  const oldest = OLDEST.exec(text);
  const [left, right] = [LEFT.exec(text), RIGHT.exec(text)];
  if (left && right) {
    const isLeftFirst = left.index < right.index;
    const isNewestFirst = !oldest || newest.index < oldest.index;
    return isLeftFirst === isNewestFirst ? 'left' : 'right';
  }
  if (!left && !right) return undefined;
  return oldest && oldest.index < newest.index !== Boolean(left) ? undefined : left ? 'left' : 'right';
}
