import { CARD_ALIGNED, isRangeLabel, sizeOf } from './card-lines.ts';
import { type Row, rowsOf, type Segment } from './rows.ts';
import type { Word } from './word.ts';

/** Where a card says its range: what stands above and below in its column is of the same card. */
export interface CardLabel {
  readonly row: Row;
  readonly segment: Segment;
  /** Where the next card begins beside it. */
  readonly right: number;
  /** What stands between the card above in its column and this label. */
  readonly above: readonly Row[];
  /** What stands between this label and the next in its column. */
  readonly below: readonly Row[];
}

/** In font sizes: further above its label no card begins, nor does its value stand further below. */
const REACH = 9;

/** No page has room for more cards; around each label is looked for all that stands near. */
const MOST_LABELS = 150;

type Label = Pick<CardLabel, 'row' | 'segment'>;

/** Every label of a range on a page, with what stands around it in its column. */
export function cardLabelsOf(rows: readonly Row[]): CardLabel[] {
  const labels = rows.flatMap((row) =>
    row.segments.filter(isRangeLabel).map((segment) => ({ row, segment })),
  );
  if (labels.length > MOST_LABELS) return [];
  const words = rows.flatMap((row) => row.words);
  return labels.map((label) => {
    const { box } = label.segment;
    const right = rightOf(label, labels);
    const { from, to } = reachOf(label, labels);
    const end = Math.min(
      to,
      foreignBelow(rows, label, Math.min(...labels.map(({ segment }) => segment.box.x0))),
    );
    const own = new Set(label.segment.words);
    const around = words.filter(
      (word) => word.box.x0 > box.x0 - CARD_ALIGNED && word.box.x0 < right && !own.has(word),
    );
    const middle = middleOf(box);
    return {
      ...label,
      right,
      above: rowsOf(around.filter((word) => middleOf(word.box) > from && middleOf(word.box) < middle)),
      below: rowsOf(around.filter((word) => middleOf(word.box) > middle && middleOf(word.box) < end)),
    };
  });
}

/** The same label in a card that ends further left. */
export const narrowed = (label: CardLabel, right: number): CardLabel => {
  const cut = (rows: readonly Row[]) =>
    rowsOf(rows.flatMap((row) => row.words).filter(({ box }) => box.x0 < right));
  return { ...label, right, above: cut(label.above), below: cut(label.below) };
};

/** Whether a label stands in the column of another, below it. */
export const isUnder = (lower: Label, upper: Label): boolean =>
  lower.segment.box.y0 > upper.segment.box.y1 &&
  Math.abs(lower.segment.box.x0 - upper.segment.box.x0) < CARD_ALIGNED;

export const middleOf = ({ y0, y1 }: Word['box']): number => (y0 + y1) / 2;

/** In font sizes: the cards of one line do not all have their ranges at the same height. */
const SAME_LINE = 4.5;

/** Where the next label begins about as high, else where one begins anywhere that this one does not reach. */
function rightOf({ segment }: Label, labels: readonly Label[]): number {
  const { box } = segment;
  const behind = labels.map((other) => other.segment.box).filter(({ x0 }) => x0 > box.x1);
  const beside = behind.filter(({ y0 }) => Math.abs(y0 - box.y0) < SAME_LINE * sizeOf(segment));
  return Math.min(...(beside.length > 0 ? beside : behind).map(({ x0 }) => x0 - CARD_ALIGNED));
}

function reachOf(label: Label, labels: readonly Label[]): { from: number; to: number } {
  const { y0, y1 } = label.segment.box;
  const reach = REACH * sizeOf(label.segment);
  const above = labels.filter((other) => isUnder(label, other)).map((other) => other.segment.box.y1);
  const below = labels.filter((other) => isUnder(other, label)).map((other) => other.segment.box.y0);
  return { from: Math.max(y0 - reach, ...above), to: Math.min(y1 + reach, ...below) };
}

/** Where the first line below begins that starts before all cards, or reaches from one to the next. */
function foreignBelow(rows: readonly Row[], { row, segment }: Label, first: number): number {
  const starts = row.segments.filter(isRangeLabel).map(({ box }) => box.x0);
  const foreign = rows.find(
    (other) =>
      starts.length > 1 &&
      other.box.y0 > segment.box.y1 &&
      other.segments.some(
        ({ box }) =>
          box.x0 < first - CARD_ALIGNED ||
          starts.some((start) => box.x0 < start - CARD_ALIGNED && box.x1 > start + CARD_ALIGNED),
      ),
  );
  return foreign?.box.y0 ?? Number.POSITIVE_INFINITY;
}
