import { parseFlagLevel } from './lexicon/flags.ts';
import { matchHeadingAt, matchColumnRole } from './lexicon/column-headings.ts';
import { isGestational } from './lexicon/range-scopes.ts';
import { isOrganism, parseQualitative } from './lexicon/qualitative-results.ts';
import { findHeaderAt } from './columns.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { isUnit } from './units.ts';
import type { ReportWord } from './report-model.ts';

/** An area of a page that is read column by column. */
interface CardArea {
  readonly top: number;
  readonly bottom: number;
  readonly cuts: readonly number[];
}

/** In points: alignment tolerance. */
const ALIGNED = 3;

/** The first area with cards next to each other, or with two results in every row; undefined if there is none. */
export function findCardArea(rows: readonly TextRow[]): CardArea | undefined {
  let hasHead = false;
  for (const [index, row] of rows.entries()) {
    const cards = findCards(rows, index);
    if (cards) return buildArea(rows, index, cards);
    hasHead ||= findHeaderAt(rows, index) !== undefined;
    // Rows below headings have columns of their own, such as one for the method.
    if (!hasHead && isPair(row)) {
      const area = findPairArea(rows, index);
      if (area) return area;
    }
  }
  return undefined;
}

/** Where cards begin: names next to each other, each with an amount below. */
function findCards(rows: readonly TextRow[], index: number): CardColumns | undefined {
  const heads = rows[index];
  const names = heads?.segments.filter((segment, at) => at === 0 || !isStatus(segment)) ?? [];
  if (!heads || names.length < 2 || !names.every(canBeName)) return undefined;
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
  const lines = findCardLines(rows, index);
  const kinds = starts.map((start, at) =>
    classifyCard(lines, start, starts[at + 1] ?? Number.POSITIVE_INFINITY),
  );
  return kinds.every((kind) => kind !== undefined) && kinds.includes('explained')
    ? { starts, isOpen: true }
    : undefined;
}

interface CardColumns {
  readonly starts: readonly number[];
  /** Whether an amount may be anywhere in its card, as above the mark of a scale. */
  readonly isOpen: boolean;
}

const canBeName = (name: RowSegment): boolean =>
  !/\d{2}[:/.-]\d|:$/.test(joinWords(name.words)) &&
  !isGestational(joinWords(name.words)) &&
  !isUnit(joinWords(name.words)) &&
  matchColumnRole(joinWords(name.words)) === undefined &&
  !startsWithAmount(name);

const isNear = (above: TextRow, below: TextRow): boolean =>
  below.box.y0 - above.box.y1 <= 2.5 * above.fontSize;
const beginsAt = ({ box }: RowSegment, start: number): boolean => Math.abs(box.x0 - start) < ALIGNED;

const MOST_LINES = 6;

/** The rows right below the names of cards. */
function findCardLines(rows: readonly TextRow[], index: number): TextRow[] {
  const lines: TextRow[] = [];
  for (const row of rows.slice(index + 1, index + 1 + MOST_LINES)) {
    const above = lines.at(-1) ?? rows[index];
    if (above && !isNear(above, row)) break;
    lines.push(row);
  }
  return lines;
}

/**
 * Classifies what is below a name up to the next card: range, value label, status, then the amount. "explained" if
 * anything precedes the amount.
 */
function classifyCard(lines: readonly TextRow[], from: number, to: number): 'bare' | 'explained' | undefined {
  let isExplained = false;
  for (const segment of lines.flatMap(({ segments }) => segments)) {
    if (segment.box.x0 < from - ALIGNED || segment.box.x0 >= to - ALIGNED) continue;
    const told = getAnnouncedWords(segment);
    const isFinding = told !== undefined && (isExplained || startsWithAmount({ ...segment, words: told }));
    if (told && told.length > 0 && isFinding) return 'explained';
    const isAmount = startsWithAmount(segment) && !isScaleEnds(segment);
    if (isAmount && (isExplained || beginsAt(segment, from))) return isExplained ? 'explained' : 'bare';
    const isOfCard = told?.length === 0 || isStatus(segment) || isScaleEnds(segment);
    if (!isOfCard && !(hasRangeLabel(segment) && beginsAt(segment, from))) return undefined;
    isExplained ||= told !== undefined || hasRangeLabel(segment);
  }
  return undefined;
}

/** The words after "Value" or "Your result:" at the start of a line, possibly none; undefined without it. */
function getAnnouncedWords({ words }: RowSegment): readonly ReportWord[] | undefined {
  const heading = matchHeadingAt(getWordTexts(words), 0);
  return heading?.role === 'value' ? words.slice(heading.count) : undefined;
}

const hasRangeLabel = ({ words }: RowSegment): boolean =>
  matchHeadingAt(getWordTexts(words), 0)?.role === 'range';

const getWordTexts = (words: readonly ReportWord[]): string[] => words.map(({ text }) => text);

/** Two bounds at the ends of a scale. */
const isScaleEnds = ({ words }: RowSegment): boolean =>
  words.length === 2 && words.every(({ text }) => /^\d[\d.,]*$/.test(text));

/** "In range", next to the name of a card. */
const isStatus = ({ words }: RowSegment): boolean => parseFlagLevel(joinWords(words)) !== undefined;

const startsWithAmount = ({ words }: RowSegment): boolean =>
  /^[<>≤≥]?=?\s?\d[\d.,]*$/u.test(words[0]?.text ?? '') || parseQualitative(joinWords(words)) !== undefined;

/** The area down to the first row that begins at no card, crosses from one card to the next, or is a title. */
function buildArea(rows: readonly TextRow[], index: number, { starts, isOpen }: CardColumns): CardArea {
  const cuts = starts.slice(1).map((start) => start - ALIGNED);
  const names = rows[index];
  const isOfCards = ({ segments }: TextRow): boolean =>
    segments.some((segment) => starts.some((start) => beginsAt(segment, start))) ||
    (isOpen && (segments[0]?.box.x0 ?? 0) > (starts[0] ?? 0));
  const isTitle = ({ segments: [first, ...others], fontSize }: TextRow): boolean =>
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

/** In points: a row that is lower by less is not a separate line. */
const CLOSE = 14;

/**
 * Whether a title stands in one column while the other continues next to it: the rows right above and below have
 * nothing in its column. Separate columns have separate titles; a common title has cards in all columns below.
 */
function isOfOneColumn(rows: readonly TextRow[], at: number, cuts: readonly number[]): boolean {
  const columnOf = ({ box }: RowSegment) => cuts.filter((cut) => box.x0 >= cut).length;
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

const crosses = (segments: readonly RowSegment[], cuts: readonly number[]): boolean =>
  segments.some(({ box }) => cuts.some((cut) => box.x0 < cut && box.x1 > cut + ALIGNED));

/** Organisms are findings, but names if a finding follows them. */
const isFinding = (text: string): boolean => parseQualitative(text) !== undefined && !isOrganism(text);

const LEAST_PAIRS = 4;

/** Name and result in words, twice in one row. */
const isPair = ({ segments }: TextRow): boolean =>
  segments.length === 4 &&
  segments.every(({ words }, index) => isFinding(joinWords(words)) === (index % 2 === 1));

function findPairArea(rows: readonly TextRow[], index: number): CardArea | undefined {
  const x = rows[index]?.segments[2]?.box.x0 ?? 0;
  const end = rows.findIndex(
    (row, at) => at > index && (!isPair(row) || Math.abs((row.segments[2]?.box.x0 ?? 0) - x) > ALIGNED),
  );
  const pairs = rows.slice(index, end < 0 ? undefined : end);
  const names = new Set(pairs.map(({ segments }) => joinWords(segments[2]?.words ?? [])));
  if (pairs.length < LEAST_PAIRS || names.size < pairs.length) return undefined;
  return {
    top: (rows[index]?.box.y0 ?? 0) - 1,
    bottom: (pairs.at(-1)?.box.y1 ?? 0) + 0.5,
    cuts: [x - ALIGNED],
  };
}
