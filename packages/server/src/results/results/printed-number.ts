import { toPreciseNumber, type DecimalLiteral } from '../../platform/precise-json.ts';

/**
 * A number as laboratories print it, as the source of a regular expression without groups: `5.7`, `.5`, `-2`, `1,234`,
 * `5,7`, `1.2E+03`, `1.2 x 10^3`. A power that belongs to the unit, as in `10.8 x10E3/uL`, is not included.
 */
export const NUMBER_SOURCE =
  '[-+]?(?:\\d{1,3}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|\\d{1,3}(?:\\.\\d{3})+,\\d+|\\d+(?:[.,]\\d+|\\.(?!\\.))?|\\.\\d+)(?:[eE][-+]?\\d{1,3}|\\s?[xX×*]\\s?10\\s?[\\^*eE]\\s?[-+]?\\d{1,3}(?!\\d|\\s?\\/|\\s?(?:cells?|copies|wbc|rbc)\\b))?';

const WHOLE_NUMBER = new RegExp(`^${NUMBER_SOURCE}$`);
const POWER_OF_TEN = /\s?[xX×*]\s?10\s?[\^*eE]\s?(?=[-+]?\d)/;
const GROUPED_NUMBER = /^[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:e|$)/i;

/**
 * The value of a printed number; null where the text is not a number. A comma before exactly three digits separates
 * thousands, as in the United States; any other single comma is a decimal separator.
 */
export function parsePrintedNumber(printed: string): number | null {
  const text = normalizePrinted(printed);
  if (!WHOLE_NUMBER.test(text)) return null;
  const scientific = text.replace(POWER_OF_TEN, 'e');
  const value = Number(withDecimalPoint(scientific));
  return Number.isFinite(value) ? value : null;
}

function withDecimalPoint(text: string): string {
  if (GROUPED_NUMBER.test(text)) return text.replaceAll(',', '');
  if (/\.\d{3}.*,/.test(text)) return text.replaceAll('.', '').replace(',', '.');
  return text.replace(',', '.');
}

/**
 * The number as it is printed in the text, in the grammar of JSON and FHIR: `5.10` for `< 5,10`. The number itself if
 * the text does not have it.
 */
export function findWrittenNumber(printed: string, value: number): number | DecimalLiteral {
  for (const [number] of normalizePrinted(printed).matchAll(ALL_NUMBERS)) {
    // The sign of `0.10-0.50` separates.
    for (const each of [number, number.replace(/^[-+]/, '')]) {
      if (parsePrintedNumber(each) !== value) continue;
      const literal = withDecimalPoint(each.replace(POWER_OF_TEN, 'e'))
        .replace(/^\+/, '')
        .replace(/^(-?)0+(?=\d)/, '$1')
        .replace(/^(-?)\./, '$10.')
        .replace(/\.(?!\d)/, '');
      return JSON_NUMBER.test(literal) ? toPreciseNumber(literal) : value;
    }
  }
  return value;
}

const ALL_NUMBERS = new RegExp(NUMBER_SOURCE, 'g');
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i;

/** Replaces all minus signs by `-` and all white space by single spaces, and trims. */
export const normalizePrinted = (text: string): string =>
  text
    .replace(/[−﹣－‒]/g, '-')
    .replace(/[\s\u00a0\u2007\u2009\u202f]+/g, ' ')
    .trim();
