import { cardLabelsOf, type CardLabel, isUnder, middleOf } from './card-labels.ts';
import { announcedIn, CARD_ALIGNED, isFound, isScaleOf, isStatus, sizeOf } from './card-lines.ts';
import { type Card, cardOf } from './card-rows.ts';
import { type Row, rowsOf, type Segment } from './rows.ts';
import type { Word } from './word.ts';

/** An area of cards, in each of which a label announces the range. */
export interface CardGrid {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
  /** All that stands in it. */
  readonly words: ReadonlySet<Word>;
  /** Column by column, each card as one line, and what stands beside them. */
  readonly strips: readonly (readonly Row[])[];
}

/**
 * The first area of a page where name, range and amount stand under each other, in cards beside each other or, with the
 * amount in large print, in one column. What is of which card, its own column says, whatever stands beside it.
 */
export function cardGrid(rows: readonly Row[]): CardGrid | undefined {
  const labels = cardLabelsOf(rows);
  const isOver = labels.filter(hasAmountAbove).length > labels.filter(hasAmountBelow).length;
  const cardsWith = (prints: ReadonlySet<number>) =>
    labels.flatMap((label, index) => {
      const next = labels.slice(index + 1).find((other) => isUnder(other, label));
      return cardOf({ label, next, isOver, prints }) ?? [];
    });
  const cards = cardsWith(new Set(cardsWith(new Set()).flatMap(({ print }) => print ?? [])));
  const read = cards.filter(({ row }) => row !== undefined);
  const isPortal =
    read.some((card) => read.some((other) => card !== other && isBeside(card, other))) ||
    read.some(({ isInLargePrint }) => isInLargePrint) ||
    (read.length >= LEAST_READ && read.length > MOSTLY * labels.length);
  return isPortal ? areaOf(rows, cards) : undefined;
}

/** Cards in one column that are printed like any list are those that are several, and nothing but cards. */
const LEAST_READ = 3;
const MOSTLY = 0.7;

const isBeside = (card: Card, other: Card): boolean => card.top < other.bottom && other.top < card.bottom;

/** Whether the amount stands between the name and the range, as far as form and print of the line above the range tell. */
function hasAmountAbove({ above, segment }: CardLabel): boolean {
  const [over, line] = above.slice(-2).length > 1 ? above.slice(-2) : [undefined, above.at(-1)];
  if (!line) return false;
  const isLarge = over !== undefined && sizeOf(line) > 1.15 * Math.max(sizeOf(over), sizeOf(segment));
  return isFound(line) || isLarge || (over !== undefined && isStatus(line) && isFound(over));
}

/** Whether it stands right below the range, where the next card begins otherwise. */
function hasAmountBelow({ below: [line, ...others], segment }: CardLabel): boolean {
  if (!line) return false;
  const own = announcedIn(line)?.length === 0 || isScaleOf(line, segment.words) ? (others[0] ?? line) : line;
  const under = others[others.indexOf(own) + 1];
  return isFound(own) || sizeOf(own) > 1.15 * Math.max(sizeOf(segment), under ? sizeOf(under) : 0);
}

/** The cards from the first on, as long as no line stands between two rows of cards that is of none. */
function areaOf(rows: readonly Row[], cards: readonly Card[]): CardGrid {
  const inArea: Card[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const card of cards.toSorted((a, b) => a.top - b.top)) {
    const bottom = end;
    const isApart = rows.some(({ box }) => middleOf(box) > bottom && middleOf(box) < card.top);
    if (inArea.length > 0 && isApart) break;
    inArea.push(card);
    end = Math.max(end, card.bottom);
  }
  const bottom = end;
  const top = Math.min(...inArea.map((card) => card.top)) - 1;
  const after = rows.filter(({ box }) => middleOf(box) > bottom).map(({ box }) => box.y0);
  const inside = rows
    .flatMap((row) => row.words)
    .filter(({ box }) => middleOf(box) > top && middleOf(box) < bottom);
  const strips = stripsOfCards(inside, inArea);
  return { top, bottom: Math.min(...after), cuts: [], words: new Set(inside), strips };
}

/** The cards column by column, and what stands beside them: cards that say no range. */
function stripsOfCards(inside: readonly Word[], cards: readonly Card[]): Row[][] {
  const isOfCard = ({ box }: Word): boolean =>
    cards.some(
      ({ top, left, right, bottom }) =>
        box.x0 > left && box.x0 < right && middleOf(box) > top && middleOf(box) < bottom,
    );
  const strips = [
    ...cards.flatMap(({ row }) => (row ? [[row]] : [])),
    ...columnsOf(inside.filter((word) => !isOfCard(word))),
  ];
  const placed = strips.map((rows) => ({ rows, x: rows[0]?.box.x0 ?? 0, y: rows[0]?.box.y0 ?? 0 }));
  return placed
    .toSorted((a, b) => (Math.abs(a.x - b.x) < 2 * CARD_ALIGNED ? a.y - b.y : a.x - b.x))
    .map(({ rows }) => rows);
}

/** What stands under each other, as lines. */
function columnsOf(words: readonly Word[]): Row[][] {
  const columns: Segment[][] = [];
  for (const segment of rowsOf(words).flatMap((row) => row.segments)) {
    const column = columns.find((some) =>
      some.some(({ box }) => box.x0 < segment.box.x1 && segment.box.x0 < box.x1),
    );
    if (column) column.push(segment);
    else columns.push([segment]);
  }
  return columns.map((some) => rowsOf(some.flatMap((segment) => segment.words)));
}
