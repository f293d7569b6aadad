import { withCapitals } from './capitals.ts';
import type { SeenLine, SeenWord } from './engine.ts';
import { plainSigns } from './letters.ts';
import { numberRead, partsOfMoment, partsOfNumber, SLIPS } from './slips.ts';
import { joinCells, pitchOf, withCells } from './typewriter.ts';

/**
 * The words of a page with what recognisers typically get wrong put right, where the form leaves no doubt. Nothing
 * here changes how large a number is.
 */
export function tidy(lines: readonly SeenLine[]): SeenWord[] {
  const pitch = pitchOf(lines);
  const whole = pitch === undefined ? lines : lines.map((line) => joinCells(line, pitch));
  const words = whole.flatMap((line) =>
    withSigns(
      joinPowers(
        joinStrokes(joinPluses(joinDates(joinTiters(joinDecimals(line.words)))))
          .flatMap(tidyWord)
          .filter(({ text }) => text !== ''),
      ),
    ),
  );
  const right = withCapitals(oneDecimalSign(closed(words)));
  return pitch === undefined ? right : right.map((word) => withCells(word, pitch));
}

function tidyWord(word: SeenWord): SeenWord[] {
  const plain = plainSigns(word.text).replaceAll(/\s+/g, '');
  const text = SLIPS.reduce((left, [wrong, right]) => left.replaceAll(wrong, right), plain);
  return apart(withoutLeader({ ...word, text })).map((part) => {
    const { text: read, isSure } = numberRead(part.text);
    return { ...part, text: read, confidence: isSure ? part.confidence : Math.min(part.confidence, UNSURE) };
  });
}

/** No digit of print is wider than so much of its size. */
const WIDEST_DIGIT = 0.65;

/** .21 that is far wider than its digits: the point is all that was read of the row of dots that leads to them. */
function withoutLeader(word: SeenWord): SeenWord {
  const [, digits] = /^[.·]+(\d+(?:[.,]\d+)?)$/.exec(word.text) ?? [];
  if (digits === undefined) return word;
  const wide = digits.length * WIDEST_DIGIT * word.fontSize;
  const { x0, x1 } = word.box;
  return x1 - x0 < 1.6 * wide ? word : { ...word, text: digits, box: { ...word.box, x0: x1 - wide } };
}

/** A number and the unit behind it, between which the blank was lost. */
function apart(word: SeenWord): SeenWord[] {
  const parts = partsOfNumber(word.text) ?? partsOfMoment(word.text);
  if (!parts) return [word];
  const [number, unit] = parts;
  const { x0, x1 } = word.box;
  const middle = x0 + ((x1 - x0) * number.length) / word.text.length;
  return [
    { ...word, text: number, box: { ...word.box, x1: middle } },
    { ...word, text: unit, box: { ...word.box, x0: middle } },
  ];
}

/** As sure as a number is whose signs contradict its form: nobody should rely on it. */
const UNSURE = 0.6;

/** As sure as a number is whose decimals stand apart from it: 0, and 90. */
const HALF_SURE = 0.7;
const isOpen = (text: string): boolean => /^[<>*]?(?:0|[1-9]\d*)[.,，．]$/u.test(text);
const isClose = (left: SeenWord, right: SeenWord): boolean =>
  right.box.x0 - left.box.x1 < 0.5 * right.fontSize;

/** 3 and , and 0, which stand as far apart in a typewriter's face as words do elsewhere. */
function joinDecimals(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    // 12. 12. 24 is a date.
    const isOfDate = /^\d{1,2}\.$/.test(joined.at(-2)?.text ?? '');
    if (last && !isOfDate && isOpen(last.text) && /^\d{1,3}$/.test(word.text) && isClose(last, word)) {
      const number = together([last, word]);
      joined.splice(-1, 1, { ...number, confidence: Math.min(number.confidence, HALF_SURE) });
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
    if (isNumber) joined.splice(-2, 2, together([whole, sign, word]));
    else joined.push(word);
  }
  return joined;
}

const together = (parts: readonly [SeenWord, ...SeenWord[]]): SeenWord => ({
  ...parts[0],
  text: parts.map(({ text }) => text).join(''),
  box: { ...parts[0].box, x1: Math.max(...parts.map(({ box }) => box.x1)) },
  confidence: Math.min(...parts.map(({ confidence }) => confidence)),
});

const DATE = /^\d{1,2}([/.-])\d{1,2}\1(?:\d{2}|\d{4})$/;
const PART_OF_DATE = /^[\d/.-]+$/;
/** 20 / 02 / 23 */
const MOST_PARTS = 5;

/** 20 and / and 02 and / and 23, in a typewriter's face. */
function joinDates(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const rest = words.slice(at, at + MOST_PARTS);
    const count = rest.findIndex((_, end) => end > 0 && isDate(rest.slice(0, end + 1))) + 1;
    const [first, ...others] = rest.slice(0, Math.max(1, count));
    if (first) joined.push(together([first, ...others]));
    at += others.length;
  }
  return joined;
}

const isDate = (words: readonly SeenWord[]): boolean =>
  words.every(
    ({ text, box, fontSize }, at) =>
      PART_OF_DATE.test(text) && box.x0 - (words[at - 1]?.box.x1 ?? box.x0) < 0.5 * fontSize,
  ) && DATE.test(words.map(({ text }) => text).join(''));

/** 2 and +, where the plus is no flag behind a number but how much there is of something. */
function joinPluses(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isGrade =
      before !== undefined &&
      /^[1-4]$/.test(before.text) &&
      word.text === '+' &&
      word.box.x0 - before.box.x1 < 0.6 * word.fontSize;
    if (isGrade) joined.splice(-1, 1, together([before, word]));
    else joined.push(word);
  }
  return joined;
}

/** 1 and :320, and the bracket before them: a slim digit stands apart from what follows it. */
function joinTiters(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isTiter =
      before !== undefined &&
      ((/^[(<>]?1$/.test(before.text) && /^:\d+\)?$/.test(word.text)) ||
        (before.text === '(' && /^1(?::\d+\))?$/.test(word.text))) &&
      word.box.x0 - before.box.x1 < 0.5 * word.fontSize;
    if (isTiter) joined.splice(-1, 1, together([before, word]));
    else joined.push(word);
  }
  return joined;
}

/** mmol/ and L, where the blank is none: as a word by itself the L would say that a value is low. */
function joinStrokes(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isUnit =
      before !== undefined &&
      /^[\p{L}\d^]+\/$/u.test(before.text) &&
      /^[dmµu]?[lL]$/.test(word.text) &&
      word.box.x0 - before.box.x1 < 0.35 * word.fontSize;
    if (isUnit) joined.splice(-1, 1, together([before, word]));
    else joined.push(word);
  }
  return joined;
}

/** 10 and 3/uL, between which the mark of the power was lost or stands with the 10. */
function joinPowers(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
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
        together([
          { ...before, text: `${before.text.replace(/[\^*~]$/, '')}^` },
          { ...word, text: word.text.replace('^', '') },
        ]),
      );
    else joined.push(word);
  }
  return joined;
}

const isNear = (left: SeenWord | undefined, right: SeenWord | undefined): boolean =>
  left !== undefined && right !== undefined && right.box.x0 - left.box.x1 < 0.8 * left.fontSize;

/** Signs that are known by what they stand between: [ V 40] is above 40, and & is a percent sign but between two words. */
const withSigns = (words: readonly SeenWord[]): SeenWord[] =>
  words.map((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (/^[vV]$/.test(word.text) && /^[[(]$/.test(before?.text ?? '') && /^\d/.test(after?.text ?? ''))
      return { ...word, text: '>', confidence: Math.min(word.confidence, UNSURE) };
    if (isBetweenBounds(before, word, after))
      return { ...word, confidence: Math.max(word.confidence, KNOWN) };
    if (isRubbedDash(before, word, after))
      return { ...word, text: '-', confidence: Math.max(word.confidence, KNOWN) };
    if (word.text !== '&') return word;
    const isAnd = [before, after].every((other) => /^\p{L}/u.test(other?.text ?? ''));
    return isAnd && isNear(before, word) && isNear(word, after) ? word : { ...word, text: '%' };
  });

/** 45 à 84: a letter between two numbers that stand near is the sign of a range, however hardly it was read. */
const isBetweenBounds = (before: SeenWord | undefined, word: SeenWord, after: SeenWord | undefined) =>
  /^[aà]$/.test(word.text) &&
  [before, after].every((bound) => /^\d+(?:[.,]\d+)?$/.test(bound?.text ?? '')) &&
  isNear(before, word) &&
  isNear(word, after);

/** 115 · 165: on coarse print a dot at half height, close between two numbers, is what is left of the dash of a range. */
const isRubbedDash = (before: SeenWord | undefined, { text, box }: SeenWord, after: SeenWord | undefined) =>
  /^[·•~]$/.test(text) &&
  /^[([<>]?\d+(?:[.,]\d+)?$/.test(before?.text ?? '') &&
  /^\d+(?:[.,]\d+)?[)\]]?$/.test(after?.text ?? '') &&
  box.x0 - (before?.box.x1 ?? 0) < (before?.fontSize ?? 0) &&
  (after?.box.x0 ?? 0) - box.x1 < (before?.fontSize ?? 0);

/** As sure as a sign is that nothing else can be. */
const KNOWN = 0.9;

const BRACKETED = 3;

/** What ends a range is read as many an upright stroke: a bracket where the page has brackets, else the rule of a table. */
function closed(words: readonly SeenWord[]): SeenWord[] {
  const end = words.filter(({ text }) => text.includes('[')).length >= BRACKETED ? ']' : '';
  return words.map((word) => ({
    ...word,
    text: word.text.replace(/(?<=^[^([{]*\d)(?:[|}]+\]?|\][|}]+)$/, end),
  }));
}

/** A decimal number or a range of two; no date, and no thousands. */
const DECIMAL = /^[<>([*]?\d+([.,])\d{1,2}(?:-\d+[.,]\d{1,2})?[-)\]]?$/;
const CLEARLY = 1.3;
/** Of so many decimals on a page a part of this size with commas tells that all have commas. */
const MANY = 8;
const COMMAS = 0.4;

/** A sign that was hardly seen says less of how a page prints its decimals. */
const SURE = 0.85;
const voteOf = ({ confidence }: SeenWord): number => (confidence < SURE ? 0.2 : 1);

/** A page prints its decimals one way: the few that were read the other way were read wrong. */
function oneDecimalSign(words: readonly SeenWord[]): SeenWord[] {
  const votes = { ',': 0, '.': 0 };
  for (const word of words) {
    const sign = DECIMAL.exec(word.text)?.[1];
    if (sign === ',' || sign === '.') votes[sign] += voteOf(word);
  }
  const isFew = votes[','] + votes['.'] < MANY;
  if (isFew && Math.max(votes[','], votes['.']) < CLEARLY * Math.min(votes[','], votes['.']))
    return [...words];
  // A comma loses its tail on coarse print; a point grows none.
  const right = votes[','] > (isFew ? 1 : COMMAS) * votes['.'] ? ',' : '.';
  return words.map((word, at) =>
    DECIMAL.test(word.text) && !/^CA$/i.test(words[at - 1]?.text ?? '')
      ? { ...word, text: word.text.replaceAll(/[.,]/g, right) }
      : word,
  );
}
