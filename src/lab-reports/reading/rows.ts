import { type Box, type Word, unite } from './word.ts';

/** Words that stand close together; between segments lies what a reader sees as a gap. */
export interface Segment {
  readonly words: readonly Word[];
  readonly box: Box;
}

/** One line of print. */
export interface Row {
  readonly words: readonly Word[];
  readonly segments: readonly Segment[];
  readonly box: Box;
  readonly fontSize: number;
  readonly page: number;
  /** Put together from the lines of a card: no line above is more of its name. */
  readonly isWhole?: true;
}

const heightOf = ({ y0, y1 }: Box): number => y1 - y0;
const middleOf = ({ y0, y1 }: Box): number => (y0 + y1) / 2;

/**
 * Puts words into lines, from left to right: each goes to the line whose last word it overlaps most in height,
 * so a line may climb, and raised small print stays with its line. From top to bottom.
 */
export function rowsOf(words: readonly Word[]): Row[] {
  const lines: Word[][] = [];
  const sorted = words.toSorted((a, b) => a.box.x0 - b.box.x0);
  sorted.forEach((word, index) => {
    const line = bestLine(lines, word);
    if (line && !hasBetter(line, sorted, index)) line.push(word);
    else lines.push([word]);
  });
  return lines
    .map(rowOf)
    .filter((row) => row.words.length > 0)
    .toSorted((a, b) => middleOf(a.box) - middleOf(b.box));
}

const LEAST_OVERLAP = 0.45;
/** Of two words above each other that both overlap a line this little, the one that overlaps it more is of the line. */
const LITTLE_OVERLAP = 0.62;

/** Whether a line goes on better with the word above or below this one, which begins a little further right. */
function hasBetter(line: readonly Word[], sorted: readonly Word[], index: number): boolean {
  const [word, last] = [sorted[index], line.at(-1)];
  if (!word || !last) return false;
  const own = shareOf(last, word);
  if (own > LITTLE_OVERLAP) return false;
  for (let at = index + 1; at < sorted.length; at += 1) {
    const other = sorted[at];
    if (!other || other.box.x0 > word.box.x0 + word.fontSize) return false;
    if (shareOf(last, other) > own + 0.02 && shareOf(word, other) < LEAST_OVERLAP) return true;
  }
  return false;
}

/** How much of the lower of two words lies beside the other. */
const shareOf = (one: Word, other: Word): number =>
  (Math.min(one.box.y1, other.box.y1) - Math.max(one.box.y0, other.box.y0)) /
  Math.min(heightOf(one.box), heightOf(other.box));

function bestLine(lines: readonly Word[][], word: Word): Word[] | undefined {
  let best: Word[] | undefined;
  let bestScore = LEAST_OVERLAP;
  for (const line of lines) {
    const last = line.at(-1);
    if (!last || last.box.x1 > word.box.x0 + Math.min(4, word.fontSize * 0.4)) continue;
    const overlap = Math.min(last.box.y1, word.box.y1) - Math.max(last.box.y0, word.box.y0);
    const share = overlap / Math.min(heightOf(last.box), heightOf(word.box));
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

function rowOf(line: readonly Word[]): Row {
  const letters = line.filter((word) => word.text.length > 2);
  const fontSize = median((letters.length > 0 ? letters : line).map((word) => word.fontSize));
  const whole = joinBroken(
    line.flatMap((word, index) =>
      isSideOf(line[index - 1], word) ? [word] : withoutLeader(withoutDot(word, line.slice(0, index))),
    ),
    fontSize,
  );
  const segments = segmentsOf(attachRaised(whole, fontSize)).filter(({ words }) => !isControl(words));
  const words = segments.flatMap((segment) => segment.words);
  return {
    words,
    segments,
    box: unite((words.length > 0 ? words : line).map((word) => word.box)),
    fontSize,
    page: line[0]?.page ?? 0,
  };
}

/** "0.12 --" has a flag. */
const isSideOf = (number: Word | undefined, { text, box, fontSize }: Word): boolean =>
  text === '--' && number !== undefined && /\d$/.test(number.text) && box.x0 - number.box.x1 < fontSize;

/** What is there to be clicked, on the page of a portal that was printed. */
const CONTROL =
  /^(?:view|see|show|hide) (?:trends?|graphs?|charts?|past results|history|details|more|less|all)$|^(?:learn more|about this test|trends?|compare results)$/iu;

const isControl = (words: readonly Word[]): boolean => CONTROL.test(textOf(words));

const LEADER = /(?:[.·•…_]{3,}|(?:\s\.){3,}|[-=_~*]{4,})[:]?/gu;

/** Dots that lead the eye, rules made of signs and bars between columns are no words. */
function withoutLeader(word: Word): Word[] {
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

/** ". . . .9.1": the last dot of a leader, which a text layer set to its number. */
function withoutDot(word: Word, before: readonly Word[]): Word {
  if (!/^\.(?:[<>≤≥]=?$|[<>-]?\d)/u.test(word.text)) return word;
  const dots = before.slice(-3);
  const steps = [...dots, word].slice(1).map(({ box }, index) => box.x0 - (dots[index]?.box.x0 ?? 0));
  const isInStep =
    dots.length === 3 &&
    dots.every(({ text }) => /^[.·…]$/u.test(text)) &&
    Math.max(...steps) - Math.min(...steps) < 0.3 * Math.max(...steps);
  // No number has two points.
  if (!isInStep && !/^\.\d+[.,]\d/.test(word.text)) return word;
  const x0 = word.box.x0 + (word.box.x1 - word.box.x0) / word.text.length;
  // ". . . .5" may be a half as well.
  const confidence = /^\.\d+$/.test(word.text) ? Math.min(word.confidence, 0.7) : word.confidence;
  return { ...word, text: word.text.slice(1), box: { ...word.box, x0 }, confidence };
}

/** Text layers cut words where letters are set closer; what nearly touches was one word. */
function joinBroken(words: readonly Word[], fontSize: number): Word[] {
  const joined: Word[] = [];
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
        box: unite([before.box, word.box]),
      };
    } else joined.push(word);
  }
  return joined;
}

/** Small print above the line: an exponent belongs to its number, a footnote sign to nobody. */
function attachRaised(words: readonly Word[], fontSize: number): Word[] {
  const kept: Word[] = [];
  for (const word of words) {
    const before = kept.at(-1);
    const isSmall = word.fontSize < 0.8 * fontSize;
    const isExponent =
      before !== undefined &&
      /(?:\b|[x×])10$|m$|^10$/u.test(before.text) &&
      /^[-+]?\d{1,2}(?:\/.*)?$/.test(word.text);
    const isRaised =
      before !== undefined &&
      middleOf(word.box) < middleOf(before.box) - (isSmall ? 0.08 : 0.2) * fontSize &&
      word.box.x0 - before.box.x1 < (isSmall ? 1.2 : 0.15) * fontSize;
    if (isRaised && isExponent) {
      const mark = before.text.endsWith('m') ? '' : '^';
      kept[kept.length - 1] = {
        ...before,
        text: `${before.text}${mark}${word.text}`,
        box: unite([before.box, word.box]),
      };
    } else if (!isRaised || !isSmall || !FOOTNOTE.test(word.text)) kept.push(word);
  }
  return kept;
}

const FOOTNOTE = /^(?:[\d,;.]{1,5}|[a-z]{1,2}|[*†‡§#]+|\(?[\da-z]\)?)$/iu;

const isBar = ({ text }: Word): boolean => /^[|¦│;]+$/u.test(text);

/** Wider gaps than this, in font sizes, part columns. */
const GAP = 0.8;

function segmentsOf(words: readonly Word[]): Segment[] {
  const groups: Word[][] = [];
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
    .map((group) => ({ words: group, box: unite(group.map((word) => word.box)) }));
}

/** Words that stand together, as a row of one segment, whatever stands beside them on the page. */
export function rowWith(words: readonly Word[]): Row {
  const box = unite(words.map((word) => word.box));
  const [first] = words;
  return {
    words,
    segments: [{ words, box }],
    box,
    fontSize: first?.fontSize ?? 10,
    page: first?.page ?? 1,
  };
}

export const textOf = (words: readonly Word[]): string => words.map((word) => word.text).join(' ');
