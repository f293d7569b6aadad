import { correctCapitals } from './capitals.ts';
import type { OcrTextLine, OcrWord } from './engine.ts';
import { toLatinSigns } from './latin-signs.ts';
import { correctNumber, splitTimestamp, splitNumber, MISREADINGS } from './misreadings.ts';
import { joinAdjacentCells, measurePitch, extendToCells } from './monospace.ts';

/**
 * Post-processes OCR output: joins and splits words and corrects typical misreadings, where the form leaves no doubt.
 * Never changes the magnitude of a number.
 */
export function postprocessLines(lines: readonly OcrTextLine[]): OcrWord[] {
  const pitch = measurePitch(lines);
  const whole = pitch === undefined ? lines : lines.map((line) => joinAdjacentCells(line, pitch));
  const words = whole.flatMap((line) =>
    correctSignsByNeighbors(
      joinPowers(
        joinStrokes(joinPluses(joinDates(joinTiters(joinDecimals(line.words)))))
          .flatMap(postprocessWord)
          .filter(({ text }) => text !== ''),
      ),
    ),
  );
  const right = correctCapitals(unifyDecimalSign(fixRangeEnds(words)));
  return pitch === undefined ? right : right.map((word) => extendToCells(word, pitch));
}

function postprocessWord(word: OcrWord): OcrWord[] {
  const plain = toLatinSigns(word.text).replaceAll(/\s+/g, '');
  const text = MISREADINGS.reduce((left, [wrong, right]) => left.replaceAll(wrong, right), plain);
  return splitWord(removeLeader({ ...word, text })).map((part) => {
    const { text: read, isSure } = correctNumber(part.text);
    return {
      ...part,
      text: read,
      confidence: isSure ? part.confidence : Math.min(part.confidence, UNSURE_NUMBER),
    };
  });
}

/** Maximum width of a digit, in font sizes. */
const WIDEST_DIGIT = 0.65;

/** A point in front of a number that is far wider than its digits is the remains of a dot leader, as in ".....21". */
function removeLeader(word: OcrWord): OcrWord {
  const [, digits] = /^[.·]+(\d+(?:[.,]\d+)?)$/.exec(word.text) ?? [];
  if (digits === undefined) return word;
  const wide = digits.length * WIDEST_DIGIT * word.fontSize;
  const { x0, x1 } = word.box;
  return x1 - x0 < 1.6 * wide ? word : { ...word, text: digits, box: { ...word.box, x0: x1 - wide } };
}

/** Splits a number from the unit after it, or a date from the time, if the blank was lost. */
function splitWord(word: OcrWord): OcrWord[] {
  const parts = splitNumber(word.text) ?? splitTimestamp(word.text);
  if (!parts) return [word];
  const [number, unit] = parts;
  const { x0, x1 } = word.box;
  const middle = x0 + ((x1 - x0) * number.length) / word.text.length;
  return [
    { ...word, text: number, box: { ...word.box, x1: middle } },
    { ...word, text: unit, box: { ...word.box, x0: middle } },
  ];
}

/** Maximum confidence of a number whose form is contradictory. */
const UNSURE_NUMBER = 0.6;

/** Maximum confidence of a number whose decimals were separate, such as "0," and "90". */
const JOINED_CONFIDENCE = 0.7;
const isOpen = (text: string): boolean => /^[<>*]?(?:0|[1-9]\d*)[.,，．]$/u.test(text);
const isClose = (left: OcrWord, right: OcrWord): boolean => right.box.x0 - left.box.x1 < 0.5 * right.fontSize;

/** Joins "3", "," and "0", which are as far apart in a monospaced font as words are elsewhere. */
function joinDecimals(words: readonly OcrWord[]): OcrWord[] {
  const joined: OcrWord[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    // "12. 12. 24" is a date.
    const isOfDate = /^\d{1,2}\.$/.test(joined.at(-2)?.text ?? '');
    if (last && !isOfDate && isOpen(last.text) && /^\d{1,3}$/.test(word.text) && isClose(last, word)) {
      const number = mergeWords([last, word]);
      joined.splice(-1, 1, { ...number, confidence: Math.min(number.confidence, JOINED_CONFIDENCE) });
      continue;
    }
    const [whole, sign] = joined.slice(-2);
    const isNumber =
      whole !== undefined &&
      sign !== undefined &&
      /^[<>*]?\d+$/.test(whole.text) &&
      /^[.,:;]$/.test(sign.text) &&
      /^\d+$/.test(word.text) &&
      [sign.box.x0 - whole.box.x1, word.box.x0 - sign.box.x1].every((gap) => gap < 0.5 * word.fontSize);
    if (isNumber) joined.splice(-2, 2, mergeWords([whole, sign, word]));
    else joined.push(word);
  }
  return joined;
}

const mergeWords = (parts: readonly [OcrWord, ...OcrWord[]]): OcrWord => ({
  ...parts[0],
  text: parts.map(({ text }) => text).join(''),
  box: { ...parts[0].box, x1: Math.max(...parts.map(({ box }) => box.x1)) },
  confidence: Math.min(...parts.map(({ confidence }) => confidence)),
});

const DATE = /^\d{1,2}([/.-])\d{1,2}\1(?:\d{2}|\d{4})$/;
const PART_OF_DATE = /^[\d/.-]+$/;
/** 20 / 02 / 23 has five parts. */
const MOST_PARTS = 5;

/** Joins the parts of a date in a monospaced font. */
function joinDates(words: readonly OcrWord[]): OcrWord[] {
  const joined: OcrWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const rest = words.slice(at, at + MOST_PARTS);
    const count = rest.findIndex((_, end) => end > 0 && isDate(rest.slice(0, end + 1))) + 1;
    const [first, ...others] = rest.slice(0, Math.max(1, count));
    if (first) joined.push(mergeWords([first, ...others]));
    at += others.length;
  }
  return joined;
}

const isDate = (words: readonly OcrWord[]): boolean =>
  words.every(
    ({ text, box, fontSize }, at) =>
      PART_OF_DATE.test(text) && box.x0 - (words[at - 1]?.box.x1 ?? box.x0) < 0.5 * fontSize,
  ) && DATE.test(words.map(({ text }) => text).join(''));

/** Joins "2" and "+" if the plus is part of a grade and not a flag. */
function joinPluses(words: readonly OcrWord[]): OcrWord[] {
  const joined: OcrWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isGrade =
      before !== undefined &&
      /^[1-4]$/.test(before.text) &&
      word.text === '+' &&
      word.box.x0 - before.box.x1 < 0.6 * word.fontSize;
    if (isGrade) joined.splice(-1, 1, mergeWords([before, word]));
    else joined.push(word);
  }
  return joined;
}

/** Joins a titer such as "1" and ":320", and the bracket before it: a thin digit leaves a gap. */
function joinTiters(words: readonly OcrWord[]): OcrWord[] {
  const joined: OcrWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isTiter =
      before !== undefined &&
      ((/^[(<>]?1$/.test(before.text) && /^:\d+\)?$/.test(word.text)) ||
        (before.text === '(' && /^1(?::\d+\))?$/.test(word.text))) &&
      word.box.x0 - before.box.x1 < 0.5 * word.fontSize;
    if (isTiter) joined.splice(-1, 1, mergeWords([before, word]));
    else joined.push(word);
  }
  return joined;
}

/** Joins "mmol/" and "L": as a separate word, the L would be the flag for a low value. */
function joinStrokes(words: readonly OcrWord[]): OcrWord[] {
  const joined: OcrWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isUnit =
      before !== undefined &&
      /^[\p{L}\d^]+\/$/u.test(before.text) &&
      /^[dmµu]?[lL]$/.test(word.text) &&
      word.box.x0 - before.box.x1 < 0.35 * word.fontSize;
    if (isUnit) joined.splice(-1, 1, mergeWords([before, word]));
    else joined.push(word);
  }
  return joined;
}

/** Joins "10" and "3/uL" if the caret was lost or is attached to the 10. */
function joinPowers(words: readonly OcrWord[]): OcrWord[] {
  const joined: OcrWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isPower =
      before !== undefined &&
      /^[x×]?10[\^*~]?$/.test(before.text) &&
      /^\^?(?:3|6|9|12)\/(?:[µu]?[lL]|mm)/.test(word.text) &&
      word.box.x0 - before.box.x1 < 0.9 * word.fontSize;
    if (isPower)
      joined.splice(
        -1,
        1,
        mergeWords([
          { ...before, text: `${before.text.replace(/[\^*~]$/, '')}^` },
          { ...word, text: word.text.replace('^', '') },
        ]),
      );
    else joined.push(word);
  }
  return joined;
}

const isNear = (left: OcrWord | undefined, right: OcrWord | undefined): boolean =>
  left !== undefined && right !== undefined && right.box.x0 - left.box.x1 < 0.8 * left.fontSize;

/** Corrects signs by their neighbors: [ V 40] is "> 40", and & is a percent sign unless it is between two words. */
const correctSignsByNeighbors = (words: readonly OcrWord[]): OcrWord[] =>
  words.map((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (/^[vV]$/.test(word.text) && /^[[(]$/.test(before?.text ?? '') && /^\d/.test(after?.text ?? ''))
      return { ...word, text: '>', confidence: Math.min(word.confidence, UNSURE_NUMBER) };
    if (isBetweenBounds(before, word, after))
      return { ...word, confidence: Math.max(word.confidence, KNOWN) };
    if (isWornDash(before, word, after))
      return { ...word, text: '-', confidence: Math.max(word.confidence, KNOWN) };
    if (word.text !== '&') return word;
    const isAnd = [before, after].every((other) => /^\p{L}/u.test(other?.text ?? ''));
    return isAnd && isNear(before, word) && isNear(word, after) ? word : { ...word, text: '%' };
  });

/** Whether the letter is the range sign between two close numbers, as in 45 à 84. */
const isBetweenBounds = (before: OcrWord | undefined, word: OcrWord, after: OcrWord | undefined) =>
  /^[aà]$/.test(word.text) &&
  [before, after].every((bound) => /^\d+(?:[.,]\d+)?$/.test(bound?.text ?? '')) &&
  isNear(before, word) &&
  isNear(word, after);

/** Whether a dot between two close numbers is the worn dash of a range, as in 115 · 165. */
const isWornDash = (before: OcrWord | undefined, { text, box }: OcrWord, after: OcrWord | undefined) =>
  /^[·•~]$/.test(text) &&
  /^[([<>]?\d+(?:[.,]\d+)?$/.test(before?.text ?? '') &&
  /^\d+(?:[.,]\d+)?[)\]]?$/.test(after?.text ?? '') &&
  box.x0 - (before?.box.x1 ?? 0) < (before?.fontSize ?? 0) &&
  (after?.box.x0 ?? 0) - box.x1 < (before?.fontSize ?? 0);

/** Minimum confidence of a sign that is unambiguous in its context. */
const KNOWN = 0.9;

const BRACKETED = 3;

/** An upright stroke after a range is a bracket if the page has brackets, otherwise a table rule, which is removed. */
function fixRangeEnds(words: readonly OcrWord[]): OcrWord[] {
  const end = words.filter(({ text }) => text.includes('[')).length >= BRACKETED ? ']' : '';
  return words.map((word) => ({
    ...word,
    text: word.text.replace(/(?<=^[^([{]*\d)(?:[|}]+\]?|\][|}]+)$/, end),
  }));
}

/** A decimal number or a range of two; not a date, and not a number with a thousands separator. */
const DECIMAL = /^[<>([*]?\d+([.,])\d{1,2}(?:-\d+[.,]\d{1,2})?[-)\]]?$/;
const CLEARLY = 1.3;
/** With at least MANY decimals on a page, this share of commas means that all are commas. */
const MANY = 8;
const COMMAS = 0.4;

/** A decimal sign with low confidence has a smaller vote. */
const SURE = 0.85;
const voteOf = ({ confidence }: OcrWord): number => (confidence < SURE ? 0.2 : 1);

/** A page uses one decimal sign, so the minority was misread. */
function unifyDecimalSign(words: readonly OcrWord[]): OcrWord[] {
  const votes = { ',': 0, '.': 0 };
  for (const word of words) {
    const sign = DECIMAL.exec(word.text)?.[1];
    if (sign === ',' || sign === '.') votes[sign] += voteOf(word);
  }
  const isFew = votes[','] + votes['.'] < MANY;
  if (isFew && Math.max(votes[','], votes['.']) < CLEARLY * Math.min(votes[','], votes['.']))
    return [...words];
  // In coarse print a comma may lose its tail, but a point never gets one.
  const right = votes[','] > (isFew ? 1 : COMMAS) * votes['.'] ? ',' : '.';
  return words.map((word, at) =>
    DECIMAL.test(word.text) && !/^CA$/i.test(words[at - 1]?.text ?? '')
      ? { ...word, text: word.text.replaceAll(/[.,]/g, right) }
      : word,
  );
}
