import { type BoundingBox, type ReportWord, uniteBoxes } from './report-model.ts';

/** Words that are close together; a visible gap separates segments. */
export interface RowSegment {
  readonly words: readonly ReportWord[];
  readonly box: BoundingBox;
}

/** One printed line. */
export interface TextRow {
  readonly words: readonly ReportWord[];
  readonly segments: readonly RowSegment[];
  readonly box: BoundingBox;
  readonly fontSize: number;
  readonly page: number;
  /** Built from the lines of a card: no row above continues its name. */
  readonly isWhole?: true;
}

const getHeight = ({ y0, y1 }: BoundingBox): number => y1 - y0;
const getVerticalCenter = ({ y0, y1 }: BoundingBox): number => (y0 + y1) / 2;

/**
 * Groups words into lines, from left to right: each word joins the line whose last word it overlaps most vertically, so
 * a line may be skewed, and superscripts stay with their line. Sorted from top to bottom.
 */
export function groupIntoRows(words: readonly ReportWord[]): TextRow[] {
  const lines: ReportWord[][] = [];
  const sorted = words.toSorted((a, b) => a.box.x0 - b.box.x0);
  sorted.forEach((word, index) => {
    const line = findBestLine(lines, word);
    if (line && !hasBetterWord(line, sorted, index)) line.push(word);
    else lines.push([word]);
  });
  return lines
    .map(buildRow)
    .filter((row) => row.words.length > 0)
    .toSorted((a, b) => getVerticalCenter(a.box) - getVerticalCenter(b.box));
}

const LEAST_OVERLAP = 0.45;
/** If two stacked words both overlap a line by less than this, the one that overlaps it more joins it. */
const LITTLE_OVERLAP = 0.62;

/** Whether the word above or below this one, which begins slightly further right, continues the line better. */
function hasBetterWord(line: readonly ReportWord[], sorted: readonly ReportWord[], index: number): boolean {
  const [word, last] = [sorted[index], line.at(-1)];
  if (!word || !last) return false;
  const own = measureOverlapShare(last, word);
  if (own > LITTLE_OVERLAP) return false;
  for (let at = index + 1; at < sorted.length; at += 1) {
    const other = sorted[at];
    if (!other || other.box.x0 > word.box.x0 + word.fontSize) return false;
    if (measureOverlapShare(last, other) > own + 0.02 && measureOverlapShare(word, other) < LEAST_OVERLAP)
      return true;
  }
  return false;
}

/** Vertical overlap of two words, as a share of the lower height. */
const measureOverlapShare = (one: ReportWord, other: ReportWord): number =>
  (Math.min(one.box.y1, other.box.y1) - Math.max(one.box.y0, other.box.y0)) /
  Math.min(getHeight(one.box), getHeight(other.box));

function findBestLine(lines: readonly ReportWord[][], word: ReportWord): ReportWord[] | undefined {
  let best: ReportWord[] | undefined;
  let bestScore = LEAST_OVERLAP;
  for (const line of lines) {
    const last = line.at(-1);
    if (!last || last.box.x1 > word.box.x0 + Math.min(4, word.fontSize * 0.4)) continue;
    const overlap = Math.min(last.box.y1, word.box.y1) - Math.max(last.box.y0, word.box.y0);
    const share = overlap / Math.min(getHeight(last.box), getHeight(word.box));
    const score = share - Math.min(0.2, (word.box.x0 - last.box.x1) / 3_000);
    if (share > LEAST_OVERLAP && score > bestScore) {
      best = line;
      bestScore = score;
    }
  }
  return best;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function buildRow(line: readonly ReportWord[]): TextRow {
  const letters = line.filter((word) => word.text.length > 2);
  const fontSize = median((letters.length > 0 ? letters : line).map((word) => word.fontSize));
  const whole = joinBrokenWords(
    line.flatMap((word, index) =>
      isSideFlag(line[index - 1], word) ? [word] : withoutLeader(withoutDot(word, line.slice(0, index))),
    ),
    fontSize,
  );
  const segments = splitIntoSegments(joinRaisedWords(whole, fontSize)).filter(
    ({ words }) => !isControl(words),
  );
  const words = segments.flatMap((segment) => segment.words);
  return {
    words,
    segments,
    box: uniteBoxes((words.length > 0 ? words : line).map((word) => word.box)),
    fontSize,
    page: line[0]?.page ?? 0,
  };
}

/** "0.12 --" has a flag. */
const isSideFlag = (number: ReportWord | undefined, { text, box, fontSize }: ReportWord): boolean =>
  text === '--' && number !== undefined && /\d$/.test(number.text) && box.x0 - number.box.x1 < fontSize;

/** Buttons and links on a printed portal page. */
const CONTROL =
  /^(?:view|see|show|hide) (?:trends?|graphs?|charts?|past results|history|details|more|less|all)$|^(?:learn more|about this test|trends?|compare results)$/iu;

const isControl = (words: readonly ReportWord[]): boolean => CONTROL.test(joinWords(words));

const LEADER = /(?:[.·•…_]{3,}|(?:\s\.){3,}|[-=_~*]{4,})[:]?/gu;

/** Dot leaders, rules made of characters and column bars are not words. */
function withoutLeader(word: ReportWord): ReportWord[] {
  if (/^(?:[.·…_=~-]{3,}:?|[-–—_]{2,}|\.{1,2})$/u.test(word.text)) return [];
  if (!LEADER.test(word.text)) return [word];
  const parts = word.text.split(LEADER);
  const perLetter = (word.box.x1 - word.box.x0) / word.text.length;
  let from = 0;
  return parts.flatMap((text) => {
    const begin = word.text.indexOf(text, from);
    from = begin + text.length;
    if (text === '') return [];
    const x0 = word.box.x0 + begin * perLetter;
    return [{ ...word, text, box: { ...word.box, x0, x1: x0 + text.length * perLetter } }];
  });
}

/** ". . . .9.1": the last dot of a leader, glued to its number by the text layer. */
function withoutDot(word: ReportWord, before: readonly ReportWord[]): ReportWord {
  if (!/^\.(?:[<>≤≥]=?$|[<>-]?\d)/u.test(word.text)) return word;
  const dots = before.slice(-3);
  const steps = [...dots, word].slice(1).map(({ box }, index) => box.x0 - (dots[index]?.box.x0 ?? 0));
  const isInStep =
    dots.length === 3 &&
    dots.every(({ text }) => /^[.·…]$/u.test(text)) &&
    Math.max(...steps) - Math.min(...steps) < 0.3 * Math.max(...steps);
  // No number has two decimal points.
  if (!isInStep && !/^\.\d+[.,]\d/.test(word.text)) return word;
  const x0 = word.box.x0 + (word.box.x1 - word.box.x0) / word.text.length;
  // ". . . .5" may be a half as well.
  const confidence = /^\.\d+$/.test(word.text) ? Math.min(word.confidence, 0.7) : word.confidence;
  return { ...word, text: word.text.slice(1), box: { ...word.box, x0 }, confidence };
}

/** Text layers split words at tight kerning; words that nearly touch are joined. */
function joinBrokenWords(words: readonly ReportWord[], fontSize: number): ReportWord[] {
  const joined: ReportWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const touches =
      before !== undefined &&
      Math.abs(before.fontSize - word.fontSize) < 0.15 * fontSize &&
      Math.abs(before.box.y1 - word.box.y1) < 0.25 * fontSize &&
      word.box.x0 - before.box.x1 < 0.09 * fontSize &&
      before.confidence === 1;
    if (before && touches) {
      joined[joined.length - 1] = {
        ...before,
        text: before.text + word.text,
        box: uniteBoxes([before.box, word.box]),
      };
    } else joined.push(word);
  }
  return joined;
}

/** Superscripts: an exponent joins its number, a footnote mark is dropped. */
function joinRaisedWords(words: readonly ReportWord[], fontSize: number): ReportWord[] {
  const kept: ReportWord[] = [];
  for (const word of words) {
    const before = kept.at(-1);
    const isSmall = word.fontSize < 0.8 * fontSize;
    const isExponent =
      before !== undefined &&
      /(?:\b|[x×])10$|m$|^10$/u.test(before.text) &&
      /^[-+]?\d{1,2}(?:\/.*)?$/.test(word.text);
    const isRaised =
      before !== undefined &&
      getVerticalCenter(word.box) < getVerticalCenter(before.box) - (isSmall ? 0.08 : 0.2) * fontSize &&
      word.box.x0 - before.box.x1 < (isSmall ? 1.2 : 0.15) * fontSize;
    if (isRaised && isExponent) {
      const mark = before.text.endsWith('m') ? '' : '^';
      kept[kept.length - 1] = {
        ...before,
        text: `${before.text}${mark}${word.text}`,
        box: uniteBoxes([before.box, word.box]),
      };
    } else if (!isRaised || !isSmall || !FOOTNOTE.test(word.text)) kept.push(word);
  }
  return kept;
}

const FOOTNOTE = /^(?:[\d,;.]{1,5}|[a-z]{1,2}|[*†‡§#]+|\(?[\da-z]\)?)$/iu;

const isBar = ({ text }: ReportWord): boolean => /^[|¦│;]+$/u.test(text);

/** In font sizes: wider gaps separate segments. */
const GAP = 0.8;

function splitIntoSegments(words: readonly ReportWord[]): RowSegment[] {
  const groups: ReportWord[][] = [];
  for (const word of words) {
    const before = groups.at(-1)?.at(-1);
    const size = before ? Math.max(before.fontSize, word.fontSize) : 0;
    if (isBar(word)) groups.push([]);
    else if (groups.at(-1)?.length === 0 || (before && word.box.x0 - before.box.x1 < GAP * size))
      groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) => ({ words: group, box: uniteBoxes(group.map((word) => word.box)) }));
}

/** Words as one row with one segment, whatever is next to them on the page. */
export function toSingleRow(words: readonly ReportWord[]): TextRow {
  const box = uniteBoxes(words.map((word) => word.box));
  const [first] = words;
  return {
    words,
    segments: [{ words, box }],
    box,
    fontSize: first?.fontSize ?? 10,
    page: first?.page ?? 1,
  };
}

export const joinWords = (words: readonly ReportWord[]): string => words.map((word) => word.text).join(' ');
