import { COMPARATOR, DIGITS, readDigits, parseComparator, type DecimalSign } from './numbers.ts';

/** A printed interval. A bound is inclusive for dashes, "or equal" comparators and words such as "up to". */
export interface PrintedInterval {
  readonly min: number | null;
  readonly max: number | null;
  /** Whether the bound is exclusive: a value equal to it is outside. */
  readonly minIsOutside: boolean;
  readonly maxIsOutside: boolean;
  /** The larger number of decimals of both bounds. */
  readonly decimals: number;
}

const SPACED = String.raw`(?:\d{1,3}(?:[ \u202f\u00a0]\d{3})+(?:[.,]\d+)?)`;
const NUMBER = String.raw`[-−+]?(?:${SPACED}|${DIGITS})`;
const OR_EQUAL = String.raw`(?:\s+(?:or|o|ou|oder)\s+(?:equal|igual|[ée]gale?s?|gleich|uguale)(?:\s+(?:to|als))?|\s+gleich)?`;
const UP_TO = String.raw`(?:up\s?to|upto|(?:less|lower)(?:\s+than${OR_EQUAL}|\s+or\s+equal\s+to)|below|under|not\s+more\s+than|max(?:\.|imum|imal|imo|imum)?|bis(?:\s+zu)?|unter|kleiner${OR_EQUAL}(?:\s+als)?|igual\s+(?:o|ou)\s+(?:menor|inferior)\s+(?:a|que)|hasta|menor(?:es)?(?:\s+(?:o\s+igual\s+)?(?:de|que|do\s+que|a|ou\s+igual\s+a))?|inferior(?:es)?(?:\s+(?:a|o\s+igual\s+a|ou\s+igual\s+a))?|menos\s+de|jusqu['’]?\s?[aà]|inf[ée]rieure?s?\s+(?:ou\s+[ée]gale?s?\s+)?[aà]|inf\.?\s*[aà]?|moins\s+de|fino\s+a|inferiore?${OR_EQUAL}\s+a|minore?${OR_EQUAL}\s+(?:di|a)|at[ée]|abaixo\s+de|<\s?o\s?=)`;
const FROM = String.raw`(?:(?:more|greater|higher)(?:\s+than${OR_EQUAL}|\s+or\s+equal\s+to)|above|over|at\s+least|min(?:\.|imum|imo)?|[üu]ber|gr[öo](?:ß|ss)er${OR_EQUAL}(?:\s+als)?|igual\s+(?:o|ou)\s+(?:mayor|maior|superior)\s+(?:a|que)|al\s+menos|ab(?!0\b(?![.,]\d))|mindestens|mayor(?:es)?(?:\s+(?:o\s+igual\s+)?(?:de|que|a))?|superior(?:es)?(?:\s+(?:a|o\s+igual\s+a|ou\s+igual\s+a))?|m[áa]s\s+de|maior(?:es)?(?:\s+(?:que|do\s+que|ou\s+igual\s+a))?|acima\s+de|sup[ée]rieure?s?\s+(?:ou\s+[ée]gale?s?\s+)?[aà]|sup\.?\s*[aà]?|plus\s+de|superiore?${OR_EQUAL}\s+a|maggiore?${OR_EQUAL}\s+(?:di|a)|oltre)`;
const DASH = String.raw`(?:[-–—−‐‑~÷]{1,2}|\bto\b|\ba\b|à|\bbis\b|\bat[ée]\b|\bal\b|\bhasta\b|\band\b|\be\b|\by\b|\bet\b|\bund\b|\.{2,3}|…)`;
const LEAD = String.raw`(?:(?<!\p{L})(?:entre|between|von|de|da|du|desde|from|zwischen|tra|VR|VN|N|ref|VRef|RR|vr)\b[\s:.]*)?`;
const OPEN = String.raw`[(\[]?\s*`;
const CLOSE = String.raw`\s*[)\]]?[;,:]?`;

const BETWEEN = String.raw`${LEAD}(${COMPARATOR})?\s*(${NUMBER})\s*%?\s*${DASH}\s*(${COMPARATOR})?\s*(${NUMBER})`;
const ONE_SIDED = String.raw`${LEAD}(${COMPARATOR}|${UP_TO}|${FROM})\s*:?\s*(${NUMBER})`;
const WORDS_AFTER = String.raw`(${NUMBER})\s+(or\s+less|or\s+below|or\s+lower|ou\s+moins|oder\s+weniger|o\s+menos|o\s+meno|ou\s+menos|or\s+more|or\s+greater|or\s+above|or\s+higher|ou\s+plus|oder\s+mehr|o\s+m[áa]s|ou\s+mais)`;

/** "[- 35]" and "[35 -]": one-sided ranges. */
const HALF = String.raw`^[(\[]\s*(?:[-–]\s+(?<upTo>${NUMBER})|(?<from>${NUMBER})\s*[-–])\s*[)\]]$`;
const HALF_OPEN = new RegExp(HALF, 'u');
const WHOLE = new RegExp(String.raw`^${OPEN}(?:${BETWEEN}|${ONE_SIDED}|${WORDS_AFTER})${CLOSE}$`, 'iu');
const ANYWHERE = new RegExp(
  String.raw`(?:${BETWEEN}|${ONE_SIDED}|${WORDS_AFTER})(?!\d|\s?:\s?\d|(?<=\b1)\s?\/\s?\d)`,
  'giu',
);

export interface IntervalMatch {
  readonly interval: PrintedInterval;
  readonly text: string;
  readonly begin: number;
  readonly end: number;
}

/** Parses a whole text as one interval; undefined if it is none, such as 19-9. */
export function readInterval(text: string, sign: DecimalSign): PrintedInterval | undefined {
  const half = HALF_OPEN.exec(text.trim())?.groups;
  const [upTo, from] = [half?.['upTo'], half?.['from']];
  if (upTo !== undefined) return buildOneSided('<=', readSignedNumber(upTo, sign));
  if (from !== undefined) return buildOneSided('>=', readSignedNumber(from, sign));
  const match = WHOLE.exec(text.trim());
  return match ? buildInterval(match, sign) : undefined;
}

const IN_WORDS = new RegExp(
  String.raw`^(?:less|lower|greater|more|higher|below|above|over|under|inf|sup|menor|mayor|maior|menos|m[áa]s|moins|plus|kleiner|gr[öo](?:ß|ss)er|igual|unter|[üu]ber|minor|maggior|acima|abaixo)`,
  'iu',
);

/** "Inferior a 1,20" can be a result or a range; "up to 5" is only a range. */
export function isComparedInWords(text: string, sign: DecimalSign): boolean {
  const interval = IN_WORDS.test(text) ? readInterval(text, sign) : undefined;
  return interval !== undefined && (interval.min === null) !== (interval.max === null);
}

/** Every interval in a text, in order. */
export function findIntervals(text: string, sign: DecimalSign): IntervalMatch[] {
  const found: IntervalMatch[] = [];
  for (const match of text.matchAll(ANYWHERE)) {
    const interval = buildInterval(match, sign);
    if (interval) {
      found.push({ interval, text: match[0], begin: match.index, end: match.index + match[0].length });
    }
  }
  return found;
}

function buildInterval(match: RegExpExecArray, sign: DecimalSign): PrintedInterval | undefined {
  const [, lowCompared, low, highCompared, high, oneSided, bound, after, afterWords] = match;
  if (low !== undefined && high !== undefined)
    return buildTwoSided({ lowCompared, low, highCompared, high, sign });
  if (oneSided !== undefined && bound !== undefined)
    return buildOneSided(oneSided, readSignedNumber(bound, sign));
  if (after !== undefined && afterWords !== undefined) {
    const { value, decimals } = readSignedNumber(after, sign);
    const isUpper = /less|below|lower|moins|weniger|meno/i.test(afterWords);
    return { ...OPEN_ENDED, ...(isUpper ? { max: value } : { min: value }), decimals };
  }
  return undefined;
}

const OPEN_ENDED: PrintedInterval = {
  min: null,
  max: null,
  minIsOutside: false,
  maxIsOutside: false,
  decimals: 0,
};

interface IntervalBounds {
  readonly lowCompared: string | undefined;
  readonly low: string;
  readonly highCompared: string | undefined;
  readonly high: string;
  readonly sign: DecimalSign;
}

function buildTwoSided({
  lowCompared,
  low,
  highCompared,
  high,
  sign,
}: IntervalBounds): PrintedInterval | undefined {
  const from = readSignedNumber(low, sign);
  const to = readSignedNumber(high, sign);
  if (from.value > to.value) return undefined;
  const decimals = Math.max(from.decimals, to.decimals);
  const lowBound = lowCompared && parseComparator(lowCompared).startsWith('<') ? null : from.value;
  const highBound = highCompared && parseComparator(highCompared).startsWith('>') ? null : to.value;
  return {
    ...OPEN_ENDED,
    min: lowBound,
    max: highBound,
    maxIsOutside: highCompared?.trim() === '<',
    decimals,
  };
}

function buildOneSided(
  compared: string,
  { value, decimals }: { value: number; decimals: number },
): PrintedInterval {
  if (/[<>≤≥⩽⩾]/u.test(compared)) {
    const comparator = parseComparator(compared);
    if (comparator.startsWith('<'))
      return { ...OPEN_ENDED, max: value, maxIsOutside: comparator === '<', decimals };
    return { ...OPEN_ENDED, min: value, minIsOutside: comparator === '>', decimals };
  }
  const isUpper = new RegExp(`^(?:${UP_TO})$`, 'iu').test(compared.trim());
  const isOutside = !INCLUSIVE.test(compared);
  return isUpper
    ? { ...OPEN_ENDED, max: value, maxIsOutside: isOutside, decimals }
    : { ...OPEN_ENDED, min: value, minIsOutside: isOutside, decimals };
}

/** "Up to 40", "at least 40" and "mayor o igual a 40" include 40; "below 40", "über 40" and "superior a 40" do not. */
const INCLUSIVE =
  /equal|igual|[ée]gal|gleich|uguale|up\s?to|not\s+more|^max|^bis|hasta|jusqu|fino|^at[ée]|<\s?o\s?=|at\s+least|^min(?!or)|^ab(?!\p{L})|mindestens|al\s+menos/iu;

function readSignedNumber(text: string, sign: DecimalSign): { value: number; decimals: number } {
  const isNegative = /^[-−]/u.test(text);
  const read = readDigits(text.replace(/^[-−+]/u, ''), sign);
  return { ...read, value: isNegative ? -read.value : read.value };
}

/** How many words from `start` on are one interval; 0 for none. */
export function intervalLength(words: readonly string[], start: number, sign: DecimalSign): number {
  if (!/[\d<>≤≥([]|^\p{L}{1,12}/u.test(words[start] ?? '')) return 0;
  for (let count = Math.min(9, words.length - start); count > 0; count -= 1) {
    const some = words.slice(start, start + count);
    if (/\d/.test(some.at(-1) ?? '') || count > 1) {
      const text = some.join(' ');
      if (/\d/.test(text) && readInterval(text, sign)) return count;
    }
  }
  return 0;
}
