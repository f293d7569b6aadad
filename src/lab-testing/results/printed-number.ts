/**
 * A number as laboratories print it, as the source of a regular expression without groups: `5.7`, `.5`, `-2`, `1,234`,
 * `5,7`, `1.2E+03`, `1.2 x 10^3`. A power that is of something, as in `10.8 x10E3/uL`, is the unit's.
 */
export const NUMBER_SOURCE =
  '[-+]?(?:\\d{1,3}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|\\d{1,3}(?:\\.\\d{3})+,\\d+|\\d+(?:[.,]\\d+|\\.(?!\\.))?|\\.\\d+)(?:[eE][-+]?\\d{1,3}|\\s?[xX×*]\\s?10\\s?[\\^*eE]\\s?[-+]?\\d{1,3}(?!\\d|\\s?\\/|\\s?(?:cells?|copies|wbc|rbc)\\b))?';

const WHOLE = new RegExp(`^${NUMBER_SOURCE}$`);
const POWER = /\s?[xX×*]\s?10\s?[\^*eE]\s?(?=[-+]?\d)/;
const GROUPED = /^[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:e|$)/i;

/**
 * The number that is printed, null where it is none. A comma before exactly three digits parts thousands, as in the
 * country whose laboratories these are; any other single comma is a decimal one.
 */
export function readNumber(printed: string): number | null {
  const text = plain(printed);
  if (!WHOLE.test(text)) return null;
  const scientific = text.replace(POWER, 'e');
  const value = Number(withPoint(scientific));
  return Number.isFinite(value) ? value : null;
}

function withPoint(text: string): string {
  if (GROUPED.test(text)) return text.replaceAll(',', '');
  if (/\.\d{3}.*,/.test(text)) return text.replaceAll('.', '').replace(',', '.');
  return text.replace(',', '.');
}

/** One kind of minus and of blank, none at the ends. */
export const plain = (text: string): string =>
  text
    .replace(/[−﹣－‒]/g, '-')
    .replace(/[\s\u00a0\u2007\u2009\u202f]+/g, ' ')
    .trim();
