import { sameUnitKey } from './units.ts';

/** What an amount is a part of, by the end of its unit. */
// prettier-ignore
const PER: readonly (readonly [per: string, unit: RegExp])[] = [
  ['share',  /^(?:%|l\/l|mmol\/mol|g\/g|ratio)$/],
  ['time',   /\/(?:24h\w*|d|day|tag|jour|die|d[ií]a|h|hr|hour|hora|min)$/],
  ['mass',   /\/(?:[kmunp]?g|[mu]?mol)\p{L}*$/u],
  ['volume', /\/(?:[cdmunpf]?l|[cdm]?m3|[cdm]?m³)$/],
];

const perOf = (unit: string): string => PER.find(([, form]) => form.test(sameUnitKey(unit)))?.[0] ?? 'whole';

/**
 * Whether two units can be of one amount, in conventional units and in SI: mg/dL and mmol/L, mg/24h and mmol/24h, % and
 * mmol/mol. A share beside a count, or what is excreted beside a concentration, is another amount.
 */
export const isSameInOther = (one: string, other: string): boolean =>
  sameUnitKey(one) !== sameUnitKey(other) && perOf(one) === perOf(other);

/** What stands, letters only, between an amount and the same once more. */
export const SAYS_AGAIN =
  /^(?:soit|or|ou|oder|o|entspricht|equivale(?:nte)?(?: a)?|corresponds to|i e|d h|pari a|das sind|is equal to)$/;

const numbersIn = (text: string): number[] =>
  (text.match(/\d+(?:[.,]\d+)?/g) ?? []).map((number) => Number(number.replace(',', '.')));

/** Rounding, and few digits. */
const MOST_APART = 1.12;

/** Whether a result and its bounds are all so many times those of another one, as they are in another unit. */
export function isProportional(one: string, other: string): boolean {
  const [own, others] = [numbersIn(one), numbersIn(other)];
  const factors = own.map((number, index) => (others[index] ?? 0) / number).filter(Number.isFinite);
  return (
    own.length === others.length &&
    factors.length > 1 &&
    Math.max(...factors) < MOST_APART * Math.min(...factors)
  );
}
