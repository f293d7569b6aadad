import type { SeenLine, SeenWord } from './engine.ts';
import { plainSigns } from './letters.ts';

/**
 * The words of a page with what recognisers typically get wrong put right, where the form leaves no doubt. Nothing
 * here changes how large a number is.
 */
export function tidy(lines: readonly SeenLine[]): SeenWord[] {
  const words = lines.flatMap((line) =>
    joinPowers(line.words.map((word) => withoutEnd(tidyWord(word))).filter(({ text }) => text !== '')),
  );
  return oneDecimalSign(words);
}

const tidyWord = (word: SeenWord): SeenWord => ({
  ...word,
  text: SLIPS.reduce(
    (text, [wrong, right]) => text.replaceAll(wrong, right),
    inNumber(plainSigns(word.text).replaceAll(/\s+/g, '')),
  ),
});

/** A number with a letter in it that looks like a digit, about a decimal sign. */
function inNumber(text: string): string {
  if (/^[<>]?[\dOolI]+[.,][\dOolI]+$/.test(text) && /\d/.test(text)) {
    return text.replaceAll(/[Oo]/g, '0').replaceAll(/[lI]/g, '1');
  }
  return text;
}

const SLIPS: readonly (readonly [RegExp, string])[] = [
  // Iron, Insulin, IgG: no word begins with a small l before such a letter.
  [/^(\(?)l(?=[bcdfghjkmnpqrstvwxz]\p{Ll}{2}|g[AEGM]\b)/gu, '$1I'],
  // Albumin, (Ultrasensitive): no capital I inside a word.
  [/(?<=\p{L})I(?=\p{Ll})/gu, 'l'],
  // Collected, in a typewriter's face; not HbA1c.
  [/(?<=\p{Ll})1(?=1?\p{Ll})/gu, 'l'],
  [/(?<=\p{Ll}l)1(?=\p{Ll})/gu, 'l'],
  [/^\(?CI-?\)?$/g, 'Cl'],
  [/(?<=^|[µumkn])lU(?=\/|$)/g, 'IU'],
  // The alphabet of the recogniser has no sharp s and no raised three.
  [/wei(?:f3?|B|b)$/g, 'weiß'],
  [/\/mm[²'*"]$/g, '/mm³'],
  // Powers of ten, whose mark is read as something like it.
  [/10[~'"*^-](?=(?:3|6|9|12)\/(?:[µu]?[lL]|mm))/g, '10^'],
  [/10²(?=\/(?:[µu][lL]|mm))/g, '10³'],
  [/^&$/g, '%'],
  // A speck behind a number that has its decimal sign already.
  [/(?<=\d[.,]\d{1,4})[.,]$/g, ''],
];

/** 10 and 3/uL, between which the mark of the power was lost. */
function joinPowers(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isPower =
      before !== undefined &&
      /^[x×]?10$/.test(before.text) &&
      /^\^?(?:3|6|9|12)\/(?:[µu]?[lL]|mm)/.test(word.text) &&
      word.box.x0 - before.box.x1 < 0.9 * word.fontSize;
    if (!before || !isPower) joined.push(word);
    else {
      joined[joined.length - 1] = {
        ...before,
        text: `${before.text}^${word.text.replace('^', '')}`,
        box: { ...before.box, x1: word.box.x1 },
        confidence: Math.min(before.confidence, word.confidence),
      };
    }
  }
  return joined;
}

/** A decimal number or a range of two; no date, and no thousands. */
const DECIMAL = /^[<>([]?\d+([.,])\d{1,2}(?:-\d+[.,]\d{1,2})?[-)\]]?$/;
const CLEARLY = 1.8;

/** A page prints its decimals one way: the few that were read the other way were read wrong. */
function oneDecimalSign(words: readonly SeenWord[]): SeenWord[] {
  const signs = words.map(({ text }) => DECIMAL.exec(text)?.[1]);
  const commas = signs.filter((sign) => sign === ',').length;
  const points = signs.filter((sign) => sign === '.').length;
  if (Math.max(commas, points) < CLEARLY * Math.min(commas, points)) return [...words];
  const right = commas > points ? ',' : '.';
  return words.map((word) =>
    DECIMAL.test(word.text) ? { ...word, text: word.text.replaceAll(/[.,]/g, right) } : word,
  );
}

const UNSURE = 0.6;

/** A number that ends in its decimal sign: a speck behind it, or digits that were lost, so nobody should rely on it. */
function withoutEnd(word: SeenWord): SeenWord {
  if (!/^[<>]?\d+[.,]$/.test(word.text)) return word;
  return { ...word, text: word.text.slice(0, -1), confidence: Math.min(word.confidence, UNSURE) };
}
