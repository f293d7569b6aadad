import { flagLevelOf } from './lexicon/flags.ts';
import { headingAt, roleOfHeading } from './lexicon/headers.ts';
import { isOrganism, qualityOf } from './lexicon/qualities.ts';
import { headerAt } from './columns.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import type { Word } from './word.ts';

/** An area of a page that is read column by column. */
interface Area {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
}

/** In points: how exactly things stand in a line. */
const ALIGNED = 3;

/** The first area with cards beside each other, or with two results in every line; undefined where there is none. */
export function sideBySide(rows: readonly Row[]): Area | undefined {
  let hasHead = false;
  for (const [index, row] of rows.entries()) {
    const cards = cardsAt(rows, index);
    if (cards) return areaOf(rows, index, cards);
    hasHead ||= headerAt(rows, index) !== undefined;
    // What stands below headings has columns of its own, such as one for the method.
    if (!hasHead && isPair(row)) {
      const area = pairsFrom(rows, index);
      if (area) return area;
    }
  }
  return undefined;
}

/** Where cards begin: names beside each other, and below each an amount. */
function cardsAt(rows: readonly Row[], index: number): Cards | undefined {
  const heads = rows[index];
  const names = heads?.segments.filter((segment, at) => at === 0 || !isStatus(segment)) ?? [];
  if (!heads || names.length < 2 || !names.every(mayBeName)) return undefined;
  const starts = names.map(({ box }) => box.x0);
  const amounts = rows[index + 1];
  const isRightBelow =
    amounts !== undefined &&
    amounts.segments.length >= names.length &&
    isNear(heads, amounts) &&
    starts.every((start) => {
      const below = amounts.segments.find((segment) => beginsAt(segment, start));
      return below !== undefined && startsWithAmount(below);
    });
  if (isRightBelow) return { starts, isOpen: false };
  const lines = linesOfCards(rows, index);
  const kinds = starts.map((start, at) =>
    kindOfCard(lines, start, starts[at + 1] ?? Number.POSITIVE_INFINITY),
  );
  return kinds.every((kind) => kind !== undefined) && kinds.includes('explained')
    ? { starts, isOpen: true }
    : undefined;
}

interface Cards {
  readonly starts: readonly number[];
  /** Whether an amount may stand anywhere in its card, as above the mark of a scale. */
  readonly isOpen: boolean;
}

const mayBeName = (name: Segment): boolean =>
  !/\d{2}[:/.-]\d|:$/.test(textOf(name.words)) &&
  roleOfHeading(textOf(name.words)) === undefined &&
  !startsWithAmount(name);

const isNear = (above: Row, below: Row): boolean => below.box.y0 - above.box.y1 <= 2.5 * above.fontSize;
const beginsAt = ({ box }: Segment, start: number): boolean => Math.abs(box.x0 - start) < ALIGNED;

const MOST_LINES = 6;

/** The lines right below the names of cards. */
function linesOfCards(rows: readonly Row[], index: number): Row[] {
  const lines: Row[] = [];
  for (const row of rows.slice(index + 1, index + 1 + MOST_LINES)) {
    const above = lines.at(-1) ?? rows[index];
    if (above && !isNear(above, row)) break;
    lines.push(row);
  }
  return lines;
}

/**
 * What stands below a name as far as the next card: its range, a word that announces the value, how it is seen, and then
 * the amount; "explained" where something is said before it.
 */
function kindOfCard(lines: readonly Row[], from: number, to: number): 'bare' | 'explained' | undefined {
  let isExplained = false;
  for (const segment of lines.flatMap(({ segments }) => segments)) {
    if (segment.box.x0 < from - ALIGNED || segment.box.x0 >= to - ALIGNED) continue;
    const told = announcedIn(segment);
    const isFinding = told !== undefined && (isExplained || startsWithAmount({ ...segment, words: told }));
    if (told && told.length > 0 && isFinding) return 'explained';
    const isAmount = startsWithAmount(segment) && !isEnds(segment);
    if (isAmount && (isExplained || beginsAt(segment, from))) return isExplained ? 'explained' : 'bare';
    const isOfCard = told?.length === 0 || isStatus(segment) || isEnds(segment);
    if (!isOfCard && !(saysRange(segment) && beginsAt(segment, from))) return undefined;
    isExplained ||= told !== undefined || saysRange(segment);
  }
  return undefined;
}

/** What "Value" or "Your result:" at the begin of a line of a card announces, which may be nothing; undefined without. */
function announcedIn({ words }: Segment): readonly Word[] | undefined {
  const heading = headingAt(textsOf(words), 0);
  return heading?.role === 'value' ? words.slice(heading.count) : undefined;
}

const saysRange = ({ words }: Segment): boolean => headingAt(textsOf(words), 0)?.role === 'range';

const textsOf = (words: readonly Word[]): string[] => words.map(({ text }) => text);

/** Two bounds at the ends of a scale. */
const isEnds = ({ words }: Segment): boolean =>
  words.length === 2 && words.every(({ text }) => /^\d[\d.,]*$/.test(text));

/** "In range", beside the name of a card. */
const isStatus = ({ words }: Segment): boolean => flagLevelOf(textOf(words)) !== undefined;

const startsWithAmount = ({ words }: Segment): boolean =>
  /^[<>≤≥]?=?\s?\d[\d.,]*$/u.test(words[0]?.text ?? '') || qualityOf(textOf(words)) !== undefined;

/** As far down as lines begin where a card begins, none crosses from one to the next, and none is a title. */
function areaOf(rows: readonly Row[], index: number, { starts, isOpen }: Cards): Area {
  const cuts = starts.slice(1).map((start) => start - ALIGNED);
  const names = rows[index];
  const isOfCards = ({ segments }: Row): boolean =>
    segments.some((segment) => starts.some((start) => beginsAt(segment, start))) ||
    (isOpen && (segments[0]?.box.x0 ?? 0) > (starts[0] ?? 0));
  const isTitle = ({ segments: [first, ...others], fontSize }: Row): boolean =>
    first !== undefined &&
    others.length === 0 &&
    !startsWithAmount(first) &&
    names !== undefined &&
    fontSize > 1.1 * names.fontSize;
  const end = rows.findIndex(
    (row, at) =>
      at > index &&
      (crosses(row.segments, cuts) || ((!isOfCards(row) || isTitle(row)) && !isOfOneColumn(rows, at, cuts))),
  );
  return {
    top: (names?.box.y0 ?? 0) - 1,
    bottom: end < 0 ? Number.POSITIVE_INFINITY : (rows[end]?.box.y0 ?? 0) - 1,
    cuts,
  };
}

/** In points: a line that stands lower by less is no line of its own. */
const CLOSE = 14;

/**
 * Whether a title stands in one column while the other goes on beside it: the lines right above and right below it have
 * nothing in its column. Columns of their own have their own titles; one title for all has cards in all of them below.
 */
function isOfOneColumn(rows: readonly Row[], at: number, cuts: readonly number[]): boolean {
  const columnOf = ({ box }: Segment) => cuts.filter((cut) => box.x0 >= cut).length;
  const row = rows[at];
  const [title, ...others] = row?.segments ?? [];
  if (!row || !title || others.length > 0) return false;
  const beside = [rows[at - 1], rows[at + 1]].filter(
    (other) => other !== undefined && Math.abs(other.box.y0 - row.box.y0) < CLOSE,
  );
  return (
    beside.length > 0 &&
    beside.every((other) => other?.segments.every((segment) => columnOf(segment) !== columnOf(title)))
  );
}

const crosses = (segments: readonly Segment[], cuts: readonly number[]): boolean =>
  segments.some(({ box }) => cuts.some((cut) => box.x0 < cut && box.x1 > cut + ALIGNED));

/** Organisms are found, and are names where it stands beside them whether they were. */
const isFinding = (text: string): boolean => qualityOf(text) !== undefined && !isOrganism(text);

const LEAST_PAIRS = 4;

/** Name and result in words, and the same once more beside them. */
const isPair = ({ segments }: Row): boolean =>
  segments.length === 4 &&
  segments.every(({ words }, index) => isFinding(textOf(words)) === (index % 2 === 1));

function pairsFrom(rows: readonly Row[], index: number): Area | undefined {
  const x = rows[index]?.segments[2]?.box.x0 ?? 0;
  const end = rows.findIndex(
    (row, at) => at > index && (!isPair(row) || Math.abs((row.segments[2]?.box.x0 ?? 0) - x) > ALIGNED),
  );
  const pairs = rows.slice(index, end < 0 ? undefined : end);
  const names = new Set(pairs.map(({ segments }) => textOf(segments[2]?.words ?? [])));
  if (pairs.length < LEAST_PAIRS || names.size < pairs.length) return undefined;
  return {
    top: (rows[index]?.box.y0 ?? 0) - 1,
    bottom: (pairs.at(-1)?.box.y1 ?? 0) + 0.5,
    cuts: [x - ALIGNED],
  };
}
