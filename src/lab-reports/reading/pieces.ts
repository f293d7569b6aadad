import { ARROW_SIGNS, ungluedSign, unglue } from './lexicon/flags.ts';
import { COMPARATOR, DIGITS, readNumber, type DecimalSign } from './numbers.ts';
import type { Row } from './rows.ts';
import { isUnit } from './units.ts';
import { type Word, unite } from './word.ts';

/** The words of a line, segment by segment: what is glued together comes apart, a comparator comes to its number. */
export function piecesOf(row: Row, sign: DecimalSign): Word[][] {
  let hasNumber = false;
  const segments = withRanges(withComparators(withoutScale(row.segments.map(({ words }) => words))));
  return segments.map((words, segment) =>
    words.flatMap((word, index) => {
      const mayHaveSide = !hasNumber && isAfterName(words, { index, segment });
      const parts = (mayHaveSide ? unpackSide(word) : undefined) ?? unpack(word);
      hasNumber ||= segment > 0 && parts.some(({ text }) => readNumber(text, sign) !== undefined);
      return parts;
    }),
  );
}

/**
 * "[   *   ]" shows where a value lies, and its star is no flag. With no more than blanks between them it may be one, and
 * becomes one word.
 */
function withoutScale(segments: readonly (readonly Word[])[]): (readonly Word[])[] {
  const all = segments.flat();
  const from = all.findIndex(({ text }) => text === '[');
  const to = all.findIndex(({ text }, index) => index > from && text === ']');
  const scale = from < 0 ? [] : all.slice(from, to + 1);
  if (scale.length < 2 || !scale.slice(1, -1).every(({ text }) => /^[*xX|.·•●○o–-]+$/u.test(text)))
    return [...segments];
  const [open] = scale;
  const star =
    open && isNarrow(scale) ? [{ ...open, text: '[*]', box: unite(scale.map(({ box }) => box)) }] : [];
  return segments
    .map((words) => words.flatMap((word) => (word === open ? star : scale.includes(word) ? [] : [word])))
    .filter((words) => words.length > 0);
}

const isNarrow = (scale: readonly Word[]): boolean =>
  scale.map(({ text }) => text).join('') === '[*]' &&
  scale.every(({ box, fontSize }, index) => box.x0 - (scale[index - 1]?.box.x1 ?? box.x0) < 0.8 * fontSize);

/** In points. A comparator may stand in a column of its own before the numbers. */
const MOST_APART = 40;

function withComparators(segments: readonly (readonly Word[])[]): (readonly Word[])[] {
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

/** In font sizes: what parts the bounds of a range from the sign between them, at most. */
const WITHIN_RANGE = 1.1;

/** "3.4  -  10.8" behind a result is one range, however wide its blanks are. */
function withRanges(segments: readonly (readonly Word[])[]): (readonly Word[])[] {
  const joined: (readonly Word[])[] = [];
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

/** A bound and the sign, or both bounds of which the first is the lower one; brackets may stand around them. */
function isRangeOf(words: readonly Word[]): boolean {
  const [low, sign, high] = words.map(({ text }, index) =>
    index === 0 ? text.replace(/^[([]/, '') : index === 2 ? text.replace(/[)\]]$/, '') : text,
  );
  if (words.length > 3 || !BOUND.test(low ?? '') || !/^[-–]$/u.test(sign ?? '')) return false;
  return high === undefined || (BOUND.test(high) && amountOf(low) < amountOf(high));
}

const amountOf = (text = ''): number => Number(text.replace(',', '.'));

const isComparatorOf = (sign: Word, number: Word | undefined): boolean =>
  number !== undefined &&
  /^[<>≤≥]=?$/u.test(sign.text) &&
  /^\d[\d.,]*$/.test(number.text) &&
  number.box.x0 - sign.box.x1 < MOST_APART;

/** Whether a number here may be a value, and what is glued to it a flag: not in a name, not in half a range. */
const isAfterName = (
  words: readonly Word[],
  { index, segment }: { index: number; segment: number },
): boolean => {
  const next = words[index + 1]?.text ?? '';
  return (segment > 0 && !/^[\d<>]/.test(next)) || isUnit(next);
};

/** 40- and 170++ */
function unpackSide(word: Word): Word[] | undefined {
  const parts = ungluedSign(word.text);
  return parts && split(word, parts);
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

/** A word that is two things glued together comes apart: 12.3H, *12.3, 93mg/dL, 5%, 70-99* */
function unpack(word: Word): Word[] {
  const glued = unglue(word.text);
  if (glued) {
    const parts = glued.flagFirst ? [glued.flag, glued.value] : [glued.value, glued.flag];
    return split(word, parts);
  }
  const around = WORD_WITH_FLAG.exec(word.text) ?? WITH_FLAG.exec(word.text);
  const [, before, inner, behind] = around ?? [];
  if (inner && (before || behind))
    return split(
      word,
      [before, inner, behind].filter((part) => part !== undefined),
    );
  const [, number, unit] = WITH_UNIT.exec(word.text) ?? [];
  if (number && unit && isUnit(unit) && !/^[x×]?10[\^*eE]/.test(word.text))
    return split(word, [number, unit]);
  const [, printed, mark] = UNIT_WITH_FLAG.exec(word.text) ?? [];
  if (printed && mark && isUnit(printed)) return split(word, [printed, mark]);
  const [, bracketed, rest] = /^(\[[^\]]+\]|\([<>]?[\d.,\s–-]+\))(\S+)$/u.exec(word.text) ?? [];
  if (bracketed && rest) return split(word, [bracketed, rest]);
  return [word];
}

function split(word: Word, parts: readonly string[]): Word[] {
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
