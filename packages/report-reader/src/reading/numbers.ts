import type { Comparator } from './report-model.ts';

/** The decimal separator of a report. */
export type DecimalSign = '.' | ',';

export interface PrintedNumber {
  readonly value: number;
  readonly comparator: Comparator | null;
  /** Number of printed decimals. */
  readonly decimals: number;
}

/** Digits with separators: 1,234.5 or 1.234,5 or 1'234.5 or .5 */
export const DIGITS = String.raw`(?:\d{1,3}(?:['’]\d{3})+(?:[.,]\d+)?|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)`;
export const COMPARATOR = String.raw`(?:[<>]\s*(?:or|o|ou|oder)?\s*=|=\s*[<>]|[<>≤≥⩽⩾])`;

/** Thousands separated by blanks: 150 000 */
const SPACED = String.raw`\d{1,3}(?:[ \u202f\u00a0]\d{3})+(?:[.,]\d+)?`;
/** "x 10*6", "x10^6", "×10⁶" and "x10E6" after a number. */
const POWER = String.raw`\s?[x×]\s?10\s?(?:[*^eE]{1,2}\s?([+-]?\d{1,2})|(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))`;
/** "2.45E+03"; without its sign, E may be a letter of a code. */
const EXPONENT = String.raw`e([+-]\d{1,2})`;
const NUMBER = new RegExp(
  String.raw`^(${COMPARATOR})?\s*([-−–+]?)(${SPACED}|${DIGITS})(?:${POWER}|${EXPONENT})?$`,
  'iu',
);
const ONLY_POWER = new RegExp(`^${POWER}$`, 'iu');

export const isPower = (text: string): boolean => ONLY_POWER.test(text);

/** Parses a whole text as one number; undefined if it is none. */
export function readNumber(text: string, decimalSign: DecimalSign): PrintedNumber | undefined {
  const match = NUMBER.exec(text.trim());
  const [, compared, sign, digits, plain, raised, exponent] = match ?? [];
  if (digits === undefined) return undefined;
  const read = readDigits(digits, decimalSign);
  const size = applyPower(read.value, plain ?? exponent ?? raised?.normalize('NFKC').replace('−', '-'));
  const value = sign === '-' || sign === '−' || sign === '–' ? -size : size;
  return { ...read, value, comparator: compared ? parseComparator(compared) : null };
}

/** Applied in decimal notation, so that 1.84 times a million gets no extra digits from floating point. */
const applyPower = (value: number, power: string | undefined): number =>
  power === undefined ? value : Number(`${String(value)}e${power}`);

export function parseComparator(text: string): Comparator {
  const isLess = /[<≤⩽]/u.test(text);
  const isOrEqual = /[=≤≥⩽⩾]/u.test(text);
  if (isLess) return isOrEqual ? '<=' : '<';
  return isOrEqual ? '>=' : '>';
}

/** Unsigned digits by the report's decimal sign; digits that contradict it are read by their form. */
export function readDigits(digits: string, decimalSign: DecimalSign): { value: number; decimals: number } {
  const text = digits.replaceAll(/['’\s]/gu, '');
  const decimal = findDecimalSign(text, decimalSign);
  const thousands = decimal === '.' ? ',' : '.';
  const clean = text.replaceAll(thousands, '').replace(decimal, '.');
  const decimals = clean.includes('.') ? clean.length - clean.indexOf('.') - 1 : 0;
  return { value: Number(clean), decimals };
}

function findDecimalSign(text: string, habit: DecimalSign): DecimalSign {
  const lastDot = text.lastIndexOf('.');
  const lastComma = text.lastIndexOf(',');
  if (lastDot >= 0 && lastComma >= 0) return lastDot > lastComma ? '.' : ',';
  const sign = lastDot >= 0 ? '.' : ',';
  if (lastDot < 0 && lastComma < 0) return habit;
  if (looksGrouped(text, sign)) return habit === sign && !isRepeated(text, sign) ? sign : getOtherSign(sign);
  return sign;
}

const getOtherSign = (sign: DecimalSign): DecimalSign => (sign === '.' ? ',' : '.');
const isRepeated = (text: string, sign: DecimalSign): boolean => text.split(sign).length > 2;

/** 1.234 may be thousands; 0.234 and 1.23 cannot. */
const looksGrouped = (text: string, sign: DecimalSign): boolean =>
  sign === '.' ? /^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text) : /^[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}$/.test(text);

/** "4.000" and "11.000": round thousands in a report of absolute counts. Elsewhere they may have three decimals. */
const ROUND_THOUSANDS = /^(?:[2-9]|[1-9]\d{1,2})\.\d00$/;
const ROUND_THOUSANDS_MIN = 2;
/** "/mm3" and "cel/µL", but not "10^3/µL". */
const ABSOLUTE_COUNT = /^(?:c[eé]l\p{L}*\.?)?\/(?:mm[³3]|[µμu]l)$/iu;

/** The decimal sign that most unambiguous numbers of a report use; a dot if none decides. */
export function detectDecimalSign(texts: Iterable<string>): DecimalSign {
  let commas = 0;
  let dots = 0;
  const thousands = new Set<string>();
  let hasCount = false;
  for (const text of texts) {
    if (/\d[.,/:]\d+[.,/:]\d/.test(text)) continue;
    if (/(?:^|\D)(?:\d+,\d{1,2}|0,\d{3,})(?!\d|[.,]\d)/.test(text)) commas += 1;
    if (/(?:^|\D)(?:\d+\.\d{1,2}|0\.\d{3,})(?!\d|[.,]\d)/.test(text)) dots += 1;
    if (ROUND_THOUSANDS.test(text)) thousands.add(text);
    if (ABSOLUTE_COUNT.test(text)) hasCount = true;
  }
  if (commas + dots === 0) return hasCount && thousands.size >= ROUND_THOUSANDS_MIN ? ',' : '.';
  return commas > dots ? ',' : '.';
}
