import { hasAnalyteWord } from './lexicon/analytes.ts';
import { ARROW_SIGNS, splitTrailingSign, splitGluedFlag } from './lexicon/flags.ts';
import { COMPARATOR, DIGITS, readNumber, type DecimalSign } from './numbers.ts';
import type { TextRow } from './rows.ts';
import { isUnit } from './units.ts';
import { type ReportWord, uniteBoxes } from './report-model.ts';

/** The words of a row by segment, with glued words split and comparators joined to their numbers. */
export function splitGluedWords(row: TextRow, sign: DecimalSign): ReportWord[][] {
  let hasNumber = false;
  const segments = withRanges(withComparators(withoutDrawnScale(row.segments.map(({ words }) => words))));
  return segments.map((words, segment) =>
    words.flatMap((word, index) => {
      const mayHaveSide = !hasNumber && isAfterName(words, { index, segment });
      const parts = (mayHaveSide ? splitSideSign(word) : undefined) ?? splitWord(word);
      hasNumber ||= segment > 0 && parts.some(({ text }) => readNumber(text, sign) !== undefined);
      return parts;
    }),
  );
}

/**
 * "[   *   ]" shows the position of a value, and its star is not a flag. Printed tightly it may be one, and becomes one
 * word.
 */
function withoutDrawnScale(segments: readonly (readonly ReportWord[])[]): (readonly ReportWord[])[] {
  const all = segments.flat();
  const from = all.findIndex(({ text }) => text === '[');
  const to = all.findIndex(({ text }, index) => index > from && text === ']');
  const scale = from < 0 ? [] : all.slice(from, to + 1);
  if (scale.length < 2 || !scale.slice(1, -1).every(({ text }) => /^[*xX|.·•●○o–-]+$/u.test(text)))
    return [...segments];
  const [open] = scale;
  const star =
    open && isNarrow(scale) ? [{ ...open, text: '[*]', box: uniteBoxes(scale.map(({ box }) => box)) }] : [];
  return segments
    .map((words) => words.flatMap((word) => (word === open ? star : scale.includes(word) ? [] : [word])))
    .filter((words) => words.length > 0);
}

const isNarrow = (scale: readonly ReportWord[]): boolean =>
  scale.map(({ text }) => text).join('') === '[*]' &&
  scale.every(({ box, fontSize }, index) => box.x0 - (scale[index - 1]?.box.x1 ?? box.x0) < 0.8 * fontSize);

/** In points. A comparator may have its own column before the numbers. */
const MOST_APART = 40;

function withComparators(segments: readonly (readonly ReportWord[])[]): (readonly ReportWord[])[] {
  return segments.flatMap((words, index) => {
    const [sign, ...others] = words;
    const [number] = segments[index + 1] ?? [];
    const before = segments[index - 1];
    const isWaiting = others.length === 0 && sign && isComparatorOf(sign, number);
    if (isWaiting) return [];
    const last = before?.length === 1 ? before[0] : undefined;
    return [last && sign && isComparatorOf(last, sign) ? [last, ...words] : words];
  });
}

/** In font sizes: the largest gap between the bounds of a range and the dash. */
const WITHIN_RANGE = 1.1;

/** "3.4  -  10.8" after a result is one range, even with wide blanks. */
function withRanges(segments: readonly (readonly ReportWord[])[]): (readonly ReportWord[])[] {
  const joined: (readonly ReportWord[])[] = [];
  for (const words of segments) {
    const before = joined.at(-1);
    const [sign, other] = [before?.at(-1), words[0]];
    const isBehindResult = joined.slice(0, -1).some((some) => some.some(({ text }) => BOUND.test(text)));
    const isClose =
      sign && other && other.box.x0 - sign.box.x1 < WITHIN_RANGE * Math.max(sign.fontSize, other.fontSize);
    if (before && isClose && isBehindResult && isRangeOf([...before, ...words]))
      joined[joined.length - 1] = [...before, ...words];
    else joined.push(words);
  }
  return joined;
}

const BOUND = /^[<>]?\d[\d.,]*$/u;

/** A bound with the dash, or two bounds in ascending order; brackets are allowed. */
function isRangeOf(words: readonly ReportWord[]): boolean {
  const [low, sign, high] = words.map(({ text }, index) =>
    index === 0 ? text.replace(/^[([]/, '') : index === 2 ? text.replace(/[)\]]$/, '') : text,
  );
  if (words.length > 3 || !BOUND.test(low ?? '') || !/^[-–]$/u.test(sign ?? '')) return false;
  return high === undefined || (BOUND.test(high) && parseAmount(low) < parseAmount(high));
}

const parseAmount = (text = ''): number => Number(text.replace(',', '.'));

const isComparatorOf = (sign: ReportWord, number: ReportWord | undefined): boolean =>
  number !== undefined &&
  /^[<>≤≥]=?$/u.test(sign.text) &&
  /^\d[\d.,]*$/.test(number.text) &&
  number.box.x0 - sign.box.x1 < MOST_APART;

/** Whether a number here may be a value with a glued flag: not in a name, not in half a range. */
const isAfterName = (
  words: readonly ReportWord[],
  { index, segment }: { index: number; segment: number },
): boolean => {
  const next = words[index + 1]?.text ?? '';
  return (segment > 0 && !/^[\d<>]/.test(next)) || isUnit(next);
};

/** 40- and 170++ */
function splitSideSign(word: ReportWord): ReportWord[] | undefined {
  const parts = splitTrailingSign(word.text);
  return parts && splitByText(word, parts);
}

const WITH_UNIT = new RegExp(
  String.raw`^((?:${COMPARATOR})?\s*[-+]?${DIGITS}(?:[-–]${DIGITS})?)(\p{L}.*|%.*|/.+)$`,
  'u',
);
const WITH_FLAG = new RegExp(
  String.raw`^(?:([HL*!${ARROW_SIGNS}]{1,2})?([([]?${DIGITS}[-–]${DIGITS}[)\]]?)([HLA*!${ARROW_SIGNS}]{1,2})?)$`,
  'u',
);
const WORD_WITH_FLAG = new RegExp(
  String.raw`^([*!${ARROW_SIGNS}]{1,2})?(\p{L}{3,})([*!${ARROW_SIGNS}]{1,2})?$`,
  'u',
);
const UNIT_WITH_FLAG = new RegExp(String.raw`^(.*[/%].*?)([+*!${ARROW_SIGNS}]{1,2})$`, 'u');

/** "Sodium:140" */
const LABELED_NUMBER = new RegExp(String.raw`^(\p{L}{2,}[:=])((?:${COMPARATOR})?${DIGITS})$`, 'u');

/** Splits a word that is two things glued together: 12.3H, *12.3, 93mg/dL, 5%, 70-99* */
function splitWord(word: ReportWord): ReportWord[] {
  const glued = splitGluedFlag(word.text);
  if (glued) {
    const parts = glued.flagFirst ? [glued.flag, glued.value] : [glued.value, glued.flag];
    return splitByText(word, parts);
  }
  const around = WORD_WITH_FLAG.exec(word.text) ?? WITH_FLAG.exec(word.text);
  const [, before, inner, behind] = around ?? [];
  if (inner && (before || behind))
    return splitByText(
      word,
      [before, inner, behind].filter((part) => part !== undefined),
    );
  const [, number, unit] = WITH_UNIT.exec(word.text) ?? [];
  if (number && unit && isUnit(unit) && !/^[x×]?10[\^*eE]/.test(word.text))
    return splitByText(word, [number, unit]);
  const [, printed, mark] = UNIT_WITH_FLAG.exec(word.text) ?? [];
  if (printed && mark && isUnit(printed)) return splitByText(word, [printed, mark]);
  const [, label, amount] = LABELED_NUMBER.exec(word.text) ?? [];
  if (label && amount && hasAnalyteWord(label)) return splitByText(word, [label, amount]);
  const [, bracketed, rest] = /^(\[[^\]]+\]|\([<>]?[\d.,\s–-]+\))(\S+)$/u.exec(word.text) ?? [];
  if (bracketed && rest) return splitByText(word, [bracketed, rest]);
  return [word];
}

function splitByText(word: ReportWord, parts: readonly string[]): ReportWord[] {
  const letters = parts.join('').length || 1;
  const perLetter = (word.box.x1 - word.box.x0) / letters;
  let x0 = word.box.x0;
  return parts.map((text) => {
    const x1 = x0 + text.length * perLetter;
    const part = { ...word, text, box: { ...word.box, x0, x1 } };
    x0 = x1;
    return part;
  });
}
