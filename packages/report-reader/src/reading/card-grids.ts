import { findCardLabels, type CardLabel, isBelowLabel, getVerticalCenter } from './card-labels.ts';
import {
  getAnnouncedWords,
  CARD_ALIGNED,
  isCardValue,
  isRangeScale,
  isStatusText,
  getLargestFontSize,
} from './card-lines.ts';
import { type Card, buildCard } from './card-rows.ts';
import { type TextRow, groupIntoRows, type RowSegment } from './rows.ts';
import type { ReportWord } from './report-model.ts';

/** An area of result cards, each with a labeled range. */
interface CardGrid {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
  /** All words in the area. */
  readonly words: ReadonlySet<ReportWord>;
  /** Column by column: each card as one row, then the words outside of cards. */
  readonly strips: readonly (readonly TextRow[])[];
}

/**
 * Finds the first area of a page where name, range and amount are stacked in cards: next to each other or, with the
 * amount in large print, in one column. A card consists of what is in its own column, whatever is next to it.
 */
export function findCardGrid(rows: readonly TextRow[]): CardGrid | undefined {
  const labels = findCardLabels(rows);
  const isOver = labels.filter(hasAmountAbove).length > labels.filter(hasAmountBelow).length;
  const cardsWith = (prints: ReadonlySet<number>) =>
    labels.flatMap((label, index) => {
      const next = labels.slice(index + 1).find((other) => isBelowLabel(other, label));
      return buildCard({ label, next, isOver, prints }) ?? [];
    });
  const cards = cardsWith(new Set(cardsWith(new Set()).flatMap(({ print }) => print ?? [])));
  const read = cards.filter(({ row }) => row !== undefined);
  const isPortal =
    read.some((card) => read.some((other) => card !== other && isSideBySide(card, other))) ||
    read.some(({ isInLargePrint }) => isInLargePrint) ||
    (read.length >= LEAST_READ && read.length > MOSTLY * labels.length);
  return isPortal ? buildGrid(rows, cards) : undefined;
}

/** Cards in one column without large print need this many readable ones, and this share of all labels. */
const LEAST_READ = 3;
const MOSTLY = 0.7;

const isSideBySide = (card: Card, other: Card): boolean => card.top < other.bottom && other.top < card.bottom;

/** Whether the amount stands between name and range, judged by the form and print of the lines above the range. */
function hasAmountAbove({ above, segment }: CardLabel): boolean {
  const [over, line] = above.slice(-2).length > 1 ? above.slice(-2) : [undefined, above.at(-1)];
  if (!line) return false;
  const isLarge =
    over !== undefined &&
    getLargestFontSize(line) > 1.15 * Math.max(getLargestFontSize(over), getLargestFontSize(segment));
  return isCardValue(line) || isLarge || (over !== undefined && isStatusText(line) && isCardValue(over));
}

/** Whether the amount is right below the range; otherwise the next card begins there. */
function hasAmountBelow({ below: [line, ...others], segment }: CardLabel): boolean {
  if (!line) return false;
  const own =
    getAnnouncedWords(line)?.length === 0 || isRangeScale(line, segment.words) ? (others[0] ?? line) : line;
  const under = others[others.indexOf(own) + 1];
  return (
    isCardValue(own) ||
    getLargestFontSize(own) >
      1.15 * Math.max(getLargestFontSize(segment), under ? getLargestFontSize(under) : 0)
  );
}

/** The consecutive cards from the first on, until a line between two card rows belongs to no card. */
function buildGrid(rows: readonly TextRow[], cards: readonly Card[]): CardGrid {
  const inArea: Card[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const card of cards.toSorted((a, b) => a.top - b.top)) {
    const bottom = end;
    const isApart = rows.some(
      ({ box }) => getVerticalCenter(box) > bottom && getVerticalCenter(box) < card.top,
    );
    if (inArea.length > 0 && isApart) break;
    inArea.push(card);
    end = Math.max(end, card.bottom);
  }
  const bottom = end;
  const top = Math.min(...inArea.map((card) => card.top)) - 1;
  const after = rows.filter(({ box }) => getVerticalCenter(box) > bottom).map(({ box }) => box.y0);
  const inside = rows
    .flatMap((row) => row.words)
    .filter(({ box }) => getVerticalCenter(box) > top && getVerticalCenter(box) < bottom);
  const strips = splitIntoCardStrips(inside, inArea);
  return { top, bottom: Math.min(...after), cuts: [], words: new Set(inside), strips };
}

/** The cards column by column, and the words between them, such as cards without a range. */
function splitIntoCardStrips(inside: readonly ReportWord[], cards: readonly Card[]): TextRow[][] {
  const isOfCard = ({ box }: ReportWord): boolean =>
    cards.some(
      ({ top, left, right, bottom }) =>
        box.x0 > left && box.x0 < right && getVerticalCenter(box) > top && getVerticalCenter(box) < bottom,
    );
  const strips = [
    ...cards.flatMap(({ row }) => (row ? [[row]] : [])),
    ...splitIntoColumns(inside.filter((word) => !isOfCard(word))),
  ];
  const placed = strips.map((rows) => ({ rows, x: rows[0]?.box.x0 ?? 0, y: rows[0]?.box.y0 ?? 0 }));
  return placed
    .toSorted((a, b) => (Math.abs(a.x - b.x) < 2 * CARD_ALIGNED ? a.y - b.y : a.x - b.x))
    .map(({ rows }) => rows);
}

/** Stacked words as rows, column by column. */
function splitIntoColumns(words: readonly ReportWord[]): TextRow[][] {
  const columns: RowSegment[][] = [];
  for (const segment of groupIntoRows(words).flatMap((row) => row.segments)) {
    const column = columns.find((some) =>
      some.some(({ box }) => box.x0 < segment.box.x1 && segment.box.x0 < box.x1),
    );
    if (column) column.push(segment);
    else columns.push([segment]);
  }
  return columns.map((some) => groupIntoRows(some.flatMap((segment) => segment.words)));
}
