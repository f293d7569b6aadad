import type { SeenLine, SeenWord } from './engine.ts';
import { plainSigns } from './letters.ts';
import { numberRead, partsOfNumber, SLIPS } from './slips.ts';

/**
 * The words of a page with what recognisers typically get wrong put right, where the form leaves no doubt. Nothing
 * here changes how large a number is.
 */
export function tidy(lines: readonly SeenLine[]): SeenWord[] {
  const words = lines.flatMap((line) =>
    joinPowers(
      joinTiters(joinDecimals(line.words))
        .flatMap(tidyWord)
        .filter(({ text }) => text !== ''),
    ),
  );
  return oneDecimalSign(closed(words));
}

function tidyWord(word: SeenWord): SeenWord[] {
  const plain = plainSigns(word.text).replaceAll(/\s+/g, '');
  const text = SLIPS.reduce((left, [wrong, right]) => left.replaceAll(wrong, right), plain);
  return apart({ ...word, text }).map((part) => {
    const { text: read, isSure } = numberRead(part.text);
    return { ...part, text: read, confidence: isSure ? part.confidence : Math.min(part.confidence, UNSURE) };
  });
}

/** A number and the unit behind it, between which the blank was lost. */
function apart(word: SeenWord): SeenWord[] {
  const parts = partsOfNumber(word.text);
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

/** 3 and , and 0, which stand as far apart in a typewriter's face as words do elsewhere. */
function joinDecimals(words: readonly SeenWord[]): SeenWord[] {
  const joined: SeenWord[] = [];
  for (const word of words) {
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
    if (isPower)
      joined.splice(
        -1,
        1,
        together([
          { ...before, text: `${before.text}^` },
          { ...word, text: word.text.replace('^', '') },
        ]),
      );
    else joined.push(word);
  }
  return joined;
}

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
