import type { DayOrder } from './dates.ts';
import { findShownDayOrders, inferDayOrder } from './header/day-order.ts';
import { groupIntoRows, joinWords } from './rows.ts';
import type { Language, ReportPage, ParsedMetadata } from './report-model.ts';

/** What the whole report says about its dates. */
export interface ReportDateContext {
  /** The order of day and month shown by unambiguous dates or by their printed form; undefined if none or both are proved. */
  readonly provenOrder: DayOrder | undefined;
  /** The order suggested by language, country and other signs. */
  readonly likelyOrder: DayOrder | undefined;
  /** Where the newest of several results stands, if a line says so. */
  readonly newestSide: 'left' | 'right' | undefined;
  /** As YYYY-MM-DD. */
  readonly collected: string | null;
  readonly reported: string | null;
}

export function readDateContext(
  pages: readonly ReportPage[],
  { language, metadata }: { language: Language | null; metadata: ParsedMetadata },
): ReportDateContext {
  const likelyOrder = inferDayOrder(pages, language);
  const texts = pages.flatMap((page) => page.words.map(({ text }) => text));
  const shown = findShownDayOrders(texts, { doPointsProve: likelyOrder !== 'mdy' });
  return {
    provenOrder: onlyOne([...shown]),
    likelyOrder,
    newestSide: onlyOne([...new Set(pages.flatMap(findNewestSides))]),
    collected: metadata.dateCollected?.slice(0, 10) ?? null,
    reported: metadata.dateReported?.slice(0, 10) ?? null,
  };
}

const onlyOne = <Thing>(things: readonly Thing[]): Thing | undefined =>
  things.length === 1 ? things[0] : undefined;

const NEWEST =
  /\b(?:most recent|latest|newest|current|neueste\p{Ll}*|aktuell\p{Ll}*|m[aá]s recientes?|plus r[ée]cents?|pi[uù] recent[ei]|mais recentes?)(?=\P{L}|$)/iu;
const OLDEST = /\b(?:oldest|earliest|[äa]lteste\p{Ll}*|m[aá]s antigu[oa]s?|plus anciens?)(?=\P{L}|$)/iu;
const RIGHT = /\b(?:right|rechts|rechte\p{Ll}*|derecha|droite|destra|direita|last column)(?=\P{L}|$)/iu;
const LEFT = /\b(?:left|links|linke\p{Ll}*|izquierda|gauche|sinistra|esquerda|first)(?=\P{L}|$)/iu;

const findNewestSides = ({ words }: ReportPage): ('left' | 'right')[] =>
  groupIntoRows(words).flatMap((row) =>
    row.segments.flatMap((segment) => readNewestSide(joinWords(segment.words)) ?? []),
  );

/** "most recent result in the right-hand column", "latest first", "oldest to newest, left to right" */
function readNewestSide(text: string): 'left' | 'right' | undefined {
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
