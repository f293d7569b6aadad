import { CARD_ALIGNED, isRangeLabel, getLargestFontSize } from './card-lines.ts';
import { type TextRow, groupIntoRows, type RowSegment } from './rows.ts';
import type { ReportWord } from './report-model.ts';

/** The range label of a card; the lines above and below in its column belong to the same card. */
export interface CardLabel {
  readonly row: TextRow;
  readonly segment: RowSegment;
  /** Where the next card to the right begins. */
  readonly right: number;
  /** The lines between the card above in its column and this label. */
  readonly above: readonly TextRow[];
  /** The lines between this label and the next one in its column. */
  readonly below: readonly TextRow[];
}

/** In font sizes: a card does not extend further above or below its label. */
const REACH = 9;

/** A page with more labels is not a card grid; each label is compared with all words near it. */
const MOST_LABELS = 150;

type LabelAnchor = Pick<CardLabel, 'row' | 'segment'>;

/** Finds every range label on a page, with the lines around it in its column. */
export function findCardLabels(rows: readonly TextRow[]): CardLabel[] {
  const labels = rows.flatMap((row) =>
    row.segments.filter(isRangeLabel).map((segment) => ({ row, segment })),
  );
  if (labels.length > MOST_LABELS) return [];
  const words = rows.flatMap((row) => row.words);
  return labels.map((label) => {
    const { box } = label.segment;
    const right = findRightEdge(label, labels);
    const { from, to } = findReach(label, labels);
    const end = Math.min(
      to,
      findForeignLine(rows, label, Math.min(...labels.map(({ segment }) => segment.box.x0))),
    );
    const own = new Set(label.segment.words);
    const around = words.filter(
      (word) => word.box.x0 > box.x0 - CARD_ALIGNED && word.box.x0 < right && !own.has(word),
    );
    const middle = getVerticalCenter(box);
    return {
      ...label,
      right,
      above: groupIntoRows(
        around.filter((word) => getVerticalCenter(word.box) > from && getVerticalCenter(word.box) < middle),
      ),
      below: groupIntoRows(
        around.filter((word) => getVerticalCenter(word.box) > middle && getVerticalCenter(word.box) < end),
      ),
    };
  });
}

/** The same label in a narrower card. */
export const narrowCardLabel = (label: CardLabel, right: number): CardLabel => {
  const cut = (rows: readonly TextRow[]) =>
    groupIntoRows(rows.flatMap((row) => row.words).filter(({ box }) => box.x0 < right));
  return { ...label, right, above: cut(label.above), below: cut(label.below) };
};

/** Whether a label is in the column of another, below it. */
export const isBelowLabel = (lower: LabelAnchor, upper: LabelAnchor): boolean =>
  lower.segment.box.y0 > upper.segment.box.y1 &&
  Math.abs(lower.segment.box.x0 - upper.segment.box.x0) < CARD_ALIGNED;

export const getVerticalCenter = ({ y0, y1 }: ReportWord['box']): number => (y0 + y1) / 2;

/** In font sizes: vertical tolerance for cards of one row, whose ranges may be at different heights. */
const SAME_LINE = 4.5;

/** Where the next label at about the same height begins, else the next one anywhere to the right. */
function findRightEdge({ segment }: LabelAnchor, labels: readonly LabelAnchor[]): number {
  const { box } = segment;
  const behind = labels.map((other) => other.segment.box).filter(({ x0 }) => x0 > box.x1);
  const beside = behind.filter(({ y0 }) => Math.abs(y0 - box.y0) < SAME_LINE * getLargestFontSize(segment));
  return Math.min(...(beside.length > 0 ? beside : behind).map(({ x0 }) => x0 - CARD_ALIGNED));
}

function findReach(label: LabelAnchor, labels: readonly LabelAnchor[]): { from: number; to: number } {
  const { y0, y1 } = label.segment.box;
  const reach = REACH * getLargestFontSize(label.segment);
  const above = labels.filter((other) => isBelowLabel(label, other)).map((other) => other.segment.box.y1);
  const below = labels.filter((other) => isBelowLabel(other, label)).map((other) => other.segment.box.y0);
  return { from: Math.max(y0 - reach, ...above), to: Math.min(y1 + reach, ...below) };
}

/** Where the first line below begins that starts left of all cards or spans two of them. */
function findForeignLine(rows: readonly TextRow[], { row, segment }: LabelAnchor, first: number): number {
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
