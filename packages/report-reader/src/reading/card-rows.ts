import { type CardLabel, narrowCardLabel } from './card-labels.ts';
import {
  getAnnouncedWords,
  CARD_ALIGNED,
  isRangeScale,
  isStatusText,
  getLargestFontSize,
} from './card-lines.ts';
import { type CardName, findNameAbove } from './card-names.ts';
import { type CardValue, findValueAbove, findValueBelow } from './card-values.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { uniteBoxes, type ReportWord } from './report-model.ts';

export interface Card {
  /** The whole card as one table row; undefined if its amount cannot be determined. */
  readonly row: TextRow | undefined;
  readonly top: number;
  readonly left: number;
  readonly right: number;
  /** Its lower edge, including the marks of its scale. */
  readonly bottom: number;
  /** Whether the amount is larger than the range. */
  readonly isInLargePrint: boolean;
  /** The font size of the amount, if its form proves that it is one. */
  readonly print: number | undefined;
}

interface CardContext {
  readonly label: CardLabel;
  /** The label of the card below. */
  readonly next: CardLabel | undefined;
  /** Whether amounts on this page stand above their ranges. */
  readonly isOver: boolean;
  /** The font sizes of the amounts of cards that are certain. */
  readonly prints: ReadonlySet<number>;
}

/** Builds the card around a range label; undefined if the lines do not form a card. */
export function buildCard({ label, next, isOver, prints }: CardContext): Card | undefined {
  const value = isOver ? findValueAbove(label) : findValueBelow(label, next);
  const named = findNameAbove(value ?? label, label);
  if (!named) return undefined;
  // Text next to the name may be the value.
  if (named.right !== undefined && !value?.isSure) return undefined;
  if (named.right !== undefined)
    return buildCard({ label: narrowCardLabel(label, named.right), next, isOver, prints });
  const size = value ? getLargestFontSize(value.line) : 0;
  const isPrinted =
    prints.has(size) && size > 1.15 * Math.max(getLargestFontSize(label.segment), getLargestFontSize(named));
  const isSure = value?.isSure || (isPrinted && !value?.isLong);
  // Text in the same print as the name above is the name of something else.
  const mayBe = isSure || (size > 1.05 * getLargestFontSize(named) && hasAnalyteWord(joinWords(named.words)));
  return {
    row: value && mayBe ? buildCardRow({ label, named, value, isSure }) : undefined,
    top: named.top,
    bottom: findCardBottom(label, value),
    left: label.segment.box.x0 - CARD_ALIGNED,
    right: label.right,
    isInLargePrint: size > 1.15 * getLargestFontSize(label.segment),
    print: value?.isSure ? size : undefined,
  };
}

interface CardParts {
  readonly label: CardLabel;
  readonly named: CardName;
  readonly value: CardValue;
  readonly isSure: boolean;
}

function buildCardRow({ label, named, value, isSure }: CardParts): TextRow {
  const found = buildValueSegments(value, isSure);
  const status = found.some(endsInStatus) ? [] : [...named.status, ...value.status];
  const range = value.range.flatMap(({ words }) => words);
  const segments = [
    buildSegment(named.words),
    ...found,
    ...status.map(({ words }) => buildSegment(words)),
    buildSegment([...label.segment.words, ...range]),
  ];
  const words = segments.flatMap((segment) => segment.words);
  return {
    words,
    segments,
    box: uniteBoxes(words.map(({ box }) => box)),
    fontSize: getLargestFontSize(named),
    page: label.row.page,
    isWhole: true,
  };
}

function findCardBottom({ segment, below }: CardLabel, value: CardValue | undefined): number {
  const marks = below.filter((row) => isRangeScale(row, segment.words));
  const own = value ? [value.line, ...value.range] : [];
  return Math.max(...[segment, ...own, ...marks].map(({ box }) => box.y1));
}

const buildSegment = (words: readonly ReportWord[]): RowSegment => ({
  words,
  box: uniteBoxes(words.map(({ box }) => box)),
});

/** The line of the amount, with a value label: the printed one is replaced by ours. */
function buildValueSegments({ line }: CardValue, isSure: boolean): RowSegment[] {
  const told = new Set(getAnnouncedWords(line) ?? line.words);
  const segments = line.segments
    .map(({ words }) => words.filter((word) => told.has(word)))
    .filter((words) => words.length > 0);
  return segments.map((words, index) => {
    const own = isSure
      ? words
      : words.map((word) => ({ ...word, confidence: Math.min(word.confidence, 0.7) }));
    const [first] = own;
    if (index > 0 || !first) return buildSegment(own);
    const label = { ...first, text: 'Value:', box: { ...first.box, x1: first.box.x0 } };
    return buildSegment([label, ...own]);
  });
}

const endsInStatus = ({ words }: RowSegment): boolean =>
  words.length > 2 && isStatusText({ words: words.slice(-1) });
