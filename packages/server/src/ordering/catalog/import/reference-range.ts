/** The inclusive bounds of a reference range, and the decimals of its values. */
interface ReferenceBounds {
  readonly low: number | null;
  readonly high: number | null;
  readonly decimals: number;
}

const NUMBER = String.raw`(-?\d+(?:\.\d+)?)`;
const BETWEEN = new RegExp(String.raw`^${NUMBER}\s*-\s*${NUMBER}$`);
const ONE_SIDED = new RegExp(String.raw`^(<=|<|>=|>)\s*${NUMBER}$`);

export const RANGE_FORMS = 'a range such as 70-99, <5.7, <=5.6, >40 or >=40';

/** Parses a reference range as laboratories print it; undefined if it is not one of RANGE_FORMS. */
export function parseReferenceRange(text: string, decimals: number | undefined): ReferenceBounds | undefined {
  const between = BETWEEN.exec(text);
  if (between) {
    const [, low = '', high = ''] = between;
    const places = decimals ?? Math.max(countDecimals(low), countDecimals(high));
    return Number(low) > Number(high)
      ? undefined
      : { low: Number(low), high: Number(high), decimals: places };
  }
  const beyond = ONE_SIDED.exec(text);
  if (!beyond) return undefined;
  const [, sign = '', number = ''] = beyond;
  return toOneSidedBounds({ sign, value: Number(number), decimals: decimals ?? countDecimals(number) });
}

/** An exclusive bound becomes the nearest value inside it: `<5.7` becomes at most 5.6. */
function toOneSidedBounds({
  sign,
  value,
  decimals,
}: {
  sign: string;
  value: number;
  decimals: number;
}): ReferenceBounds {
  const step = sign.endsWith('=') ? 0 : 10 ** -decimals;
  const inside = Number((sign.startsWith('<') ? value - step : value + step).toFixed(decimals));
  return sign.startsWith('<') ? { low: null, high: inside, decimals } : { low: inside, high: null, decimals };
}

const countDecimals = (number: string): number => number.split('.')[1]?.length ?? 0;
