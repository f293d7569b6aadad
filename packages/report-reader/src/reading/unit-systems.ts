import { toUnitKey } from './units.ts';

/** What an amount is relative to, by the end of its unit. */
// prettier-ignore
const DENOMINATORS: readonly (readonly [per: string, unit: RegExp])[] = [
  ['share',  /^(?:%|l\/l|mmol\/mol|g\/g|ratio)$/],
  ['time',   /\/(?:24h\w*|d|day|tag|jour|die|d[ií]a|h|hr|hour|hora|min)$/],
  ['mass',   /\/(?:[kmunp]?g|[mu]?mol)\p{L}*$/u],
  ['volume', /\/(?:[cdmunpf]?l|[cdm]?m3|[cdm]?m³)$/],
];

const getDenominator = (unit: string): string =>
  DENOMINATORS.find(([, form]) => form.test(toUnitKey(unit)))?.[0] ?? 'whole';

/**
 * Whether two units can express one amount, in conventional units and in SI: mg/dL and mmol/L, mg/24h and mmol/24h, %
 * and mmol/mol. A share and a count, or an excretion and a concentration, are different amounts.
 */
export const isSameQuantity = (one: string, other: string): boolean =>
  toUnitKey(one) !== toUnitKey(other) && getDenominator(one) === getDenominator(other);

/** Words, letters only, between an amount and its equivalent in another unit. */
export const EQUIVALENCE_PHRASE =
  /^(?:soit|or|ou|oder|o|entspricht|equivale(?:nte)?(?: a)?|corresponds to|i e|d h|pari a|das sind|is equal to)$/;

const readNumbers = (text: string): number[] =>
  (text.match(/\d+(?:[.,]\d+)?/g) ?? []).map((number) => Number(number.replace(',', '.')));

/** Tolerance for rounding and few digits. */
const MOST_APART = 1.12;

/** Whether a result and its bounds differ from another one by a constant factor, as in another unit. */
export function isProportional(one: string, other: string): boolean {
  const [own, others] = [readNumbers(one), readNumbers(other)];
  const factors = own.map((number, index) => (others[index] ?? 0) / number).filter(Number.isFinite);
  return (
    own.length === others.length &&
    factors.length > 1 &&
    Math.max(...factors) < MOST_APART * Math.min(...factors)
  );
}
