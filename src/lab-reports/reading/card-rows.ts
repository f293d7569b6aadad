import { type CardLabel, narrowed } from './card-labels.ts';
import { announcedIn, CARD_ALIGNED, isScaleOf, isStatus, sizeOf } from './card-lines.ts';
import { type CardName, nameAbove } from './card-names.ts';
import { type CardValue, valueAbove, valueBelow } from './card-values.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { unite, type Word } from './word.ts';

export interface Card {
  /** All of it as one line of a table; undefined where nobody can tell what its amount is. */
  readonly row: Row | undefined;
  readonly top: number;
  readonly left: number;
  readonly right: number;
  /** Where it ends, with the marks of its scale. */
  readonly bottom: number;
  /** Whether the amount is set larger than the range. */
  readonly isInLargePrint: boolean;
  /** The print of the amount, where its form says that it is one. */
  readonly print: number | undefined;
}

interface Around {
  readonly label: CardLabel;
  /** The label of the card below. */
  readonly next: CardLabel | undefined;
  /** Whether the amounts of the page stand above their ranges. */
  readonly isOver: boolean;
  /** In which print the cards that are sure have their amounts. */
  readonly prints: ReadonlySet<number>;
}

/** The card around a label of a range; undefined where its lines are none of a card. */
export function cardOf({ label, next, isOver, prints }: Around): Card | undefined {
  const value = isOver ? valueAbove(label) : valueBelow(label, next);
  const named = nameAbove(value ?? label, label);
  if (!named) return undefined;
  // Where something stands beside the name, it may be what was found.
  if (named.right !== undefined && !value?.isSure) return undefined;
  if (named.right !== undefined) return cardOf({ label: narrowed(label, named.right), next, isOver, prints });
  const size = value ? sizeOf(value.line) : 0;
  const isPrinted = prints.has(size) && size > 1.15 * Math.max(sizeOf(label.segment), sizeOf(named));
  const isSure = value?.isSure || (isPrinted && !value?.isLong);
  // What is printed like the name above is the name of something else.
  const mayBe = isSure || (size > 1.05 * sizeOf(named) && namesAnalyte(textOf(named.words)));
  return {
    row: value && mayBe ? rowOf({ label, named, value, isSure }) : undefined,
    top: named.top,
    bottom: bottomOf(label, value),
    left: label.segment.box.x0 - CARD_ALIGNED,
    right: label.right,
    isInLargePrint: size > 1.15 * sizeOf(label.segment),
    print: value?.isSure ? size : undefined,
  };
}

interface Parts {
  readonly label: CardLabel;
  readonly named: CardName;
  readonly value: CardValue;
  readonly isSure: boolean;
}

function rowOf({ label, named, value, isSure }: Parts): Row {
  const found = announced(value, isSure);
  const status = found.some(endsInStatus) ? [] : [...named.status, ...value.status];
  const range = value.range.flatMap(({ words }) => words);
  const segments = [
    segmentOf(named.words),
    ...found,
    ...status.map(({ words }) => segmentOf(words)),
    segmentOf([...label.segment.words, ...range]),
  ];
  const words = segments.flatMap((segment) => segment.words);
  return {
    words,
    segments,
    box: unite(words.map(({ box }) => box)),
    fontSize: sizeOf(named),
    page: label.row.page,
    isWhole: true,
  };
}

function bottomOf({ segment, below }: CardLabel, value: CardValue | undefined): number {
  const marks = below.filter((row) => isScaleOf(row, segment.words));
  const own = value ? [value.line, ...value.range] : [];
  return Math.max(...[segment, ...own, ...marks].map(({ box }) => box.y1));
}

const segmentOf = (words: readonly Word[]): Segment => ({ words, box: unite(words.map(({ box }) => box)) });

/** The line of the amount, with what announces it: the laboratory's word or ours. */
function announced({ line }: CardValue, isSure: boolean): Segment[] {
  const told = new Set(announcedIn(line) ?? line.words);
  const segments = line.segments
    .map(({ words }) => words.filter((word) => told.has(word)))
    .filter((words) => words.length > 0);
  return segments.map((words, index) => {
    const own = isSure
      ? words
      : words.map((word) => ({ ...word, confidence: Math.min(word.confidence, 0.7) }));
    const [first] = own;
    if (index > 0 || !first) return segmentOf(own);
    const label = { ...first, text: 'Value:', box: { ...first.box, x1: first.box.x0 } };
    return segmentOf([label, ...own]);
  });
}

const endsInStatus = ({ words }: Segment): boolean =>
  words.length > 2 && isStatus({ words: words.slice(-1) });
